// Package mediaopenai asks language models and transcribers that speak OpenAI's HTTP protocol, whoever runs them: vLLM, Ollama,
// llama.cpp, whisper.cpp and OpenAI all do. It is a thin client, because the official one is larger than the rest of a function.
//
// The server is trusted with documents, and with nothing else: its answers are bounded, it cannot redirect a request, and
// no text of its answers gets into an error or a log, since it may repeat a document there. What it does not support (strict
// schemas, a temperature) is found out by its refusal, once.
package mediaopenai

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"portside/shared/media/mediaprompt"
)

// Key is an API key. It prints and logs as dots.
type Key string

// String hides the key.
func (Key) String() string { return "…" }

// GoString hides the key.
func (Key) GoString() string { return "…" }

// LogValue hides the key.
func (Key) LogValue() slog.Value { return slog.StringValue("…") }

// MarshalText hides the key.
func (Key) MarshalText() ([]byte, error) { return []byte("…"), nil }

// Options are where the server is and what it should do.
type Options struct {
	BaseURL string // up to the version, such as https://api.openai.com/v1
	Key     Key    // empty: the server wants none
	Model   string // for chat completions, or for transcriptions
	Prompt  mediaprompt.Settings
	Retrier mediaprompt.Retrier
	Client  *http.Client // nil: one of its own
	Ledger  mediaprompt.Ledger
}

// New returns an engine that asks for chat completions.
func New(o Options) (*mediaprompt.Engine, error) {
	c, err := newCaller(o)
	if err != nil {
		return nil, err
	}
	return mediaprompt.New(&chat{caller: c}, o.prompt(c)), nil
}

// mostPicture is what the services behind the protocol take of a picture, in bytes.
const mostPicture = 3_750_000

// NewViewer returns a viewer that asks for chat completions about pictures. There is no standard way to send a PDF.
func NewViewer(o Options) (*mediaprompt.Viewer, error) {
	c, err := newCaller(o)
	if err != nil {
		return nil, err
	}
	return mediaprompt.NewViewer(&chat{caller: c}, o.prompt(c), map[string]int64{
		"image/png": mostPicture, "image/jpeg": mostPicture, "image/gif": mostPicture, "image/webp": mostPicture,
	}), nil
}

// prompt names the model where the options do not.
func (o Options) prompt(c *caller) mediaprompt.Settings {
	if o.Prompt.Name == "" {
		o.Prompt.Name = "openai " + o.Model + "@" + c.base.Host
	}
	return o.Prompt
}

// newCaller checks the options.
func newCaller(o Options) (*caller, error) {
	base, err := url.Parse(o.BaseURL)
	switch {
	case err != nil:
		return nil, errors.New("the base URL of the model server is none") // the error has the text, which may hold a key
	case base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		return nil, errors.New("the base URL of the model server must begin with https:// or http://")
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("the base URL of the model server must have neither user, query nor fragment; give the key as the key")
	case o.Model == "":
		return nil, errors.New("the model server needs the name of a model")
	case strings.ContainsFunc(string(o.Key), func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("the key of the model server must be printable ASCII without spaces")
	}
	return &caller{base: base, key: o.Key, model: o.Model, client: clientOf(o.Client), retrier: o.Retrier, ledger: o.Ledger}, nil
}

// clientOf returns a client that follows no redirect: the request has a key and a document.
func clientOf(given *http.Client) *http.Client {
	client := &http.Client{}
	if given != nil {
		*client = *given
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}

// internal is an error for the log: something is set up wrong.
func internal(format string, args ...any) error {
	return fmt.Errorf("the model server: "+format, args...)
}
