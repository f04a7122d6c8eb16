package client

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The defaults of the options.
const (
	defaultAttemptTimeout = time.Minute // the gateway ends a request after half a minute
	defaultRetries        = 3
	defaultUserAgent      = "portside-go"
)

// Client calls the API of one service with one credential. Its methods can run concurrently.
type Client struct {
	address        string // without a slash at the end
	authorize      func(http.Header)
	userAgent      string
	transport      http.RoundTripper
	attemptTimeout time.Duration
	retries        int
	onWait         func(wait time.Duration, cause error)
}

// Option changes a default of a Client.
type Option func(*Client)

// WithTransport sends requests through t instead of [http.DefaultTransport].
func WithTransport(t http.RoundTripper) Option { return func(c *Client) { c.transport = t } }

// WithUserAgent sets the header User-Agent. Name your program and its version.
func WithUserAgent(name string) Option { return func(c *Client) { c.userAgent = name } }

// WithTimeout bounds each attempt of a call. The default is one minute. The context of a call bounds all attempts
// together.
func WithTimeout(d time.Duration) Option { return func(c *Client) { c.attemptTimeout = d } }

// WithRetries sets how often a failed call is repeated. The default is 3; 0 switches retries off.
func WithRetries(n int) Option { return func(c *Client) { c.retries = n } }

// WithWaitNotice sets a function that is called before each wait for a retry, with the failure of the last attempt: an
// [*Error] if the service refused it. Several calls can be waiting at the same time.
func WithWaitNotice(notice func(wait time.Duration, cause error)) Option {
	return func(c *Client) { c.onWait = notice }
}

// New returns a client of the service at an address such as https://portal.example.com. The credential is an API key
// (psk_…), an access token (pst_…), or empty for operations that need none. New sends no request.
func New(address, credential string, options ...Option) (*Client, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("portside: parse the address of the service: %w", err)
	}
	if parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" {
		return nil, fmt.Errorf("portside: the address of the service must begin with https:// or http://, not %q", address)
	}
	c := &Client{
		address: strings.TrimSuffix(parsed.String(), "/"), authorize: authorization(credential), userAgent: defaultUserAgent,
		transport: http.DefaultTransport, attemptTimeout: defaultAttemptTimeout, retries: defaultRetries,
		onWait: func(time.Duration, error) {},
	}
	for _, set := range options {
		set(c)
	}
	return c, nil
}

// authorization returns a function that sets the header for a credential. A function does not show the credential when
// a Client is printed.
func authorization(credential string) func(http.Header) {
	return func(h http.Header) {
		switch {
		case credential == "":
		case strings.HasPrefix(credential, "pst_"):
			h.Set("Authorization", "Bearer "+credential)
		default:
			h.Set("X-API-Key", credential)
		}
	}
}
