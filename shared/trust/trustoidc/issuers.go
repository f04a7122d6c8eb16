package trustoidc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"portside/shared/trust"
)

const (
	keysLife   = time.Hour        // after which keys are read again, so that a key that the issuer has removed stops working
	minRefresh = time.Minute      // between two reads because of an unknown key
	minRetry   = 10 * time.Second // after a failed read
	maxIssuers = 1000             // that a process remembers
)

var errRecent = errors.New("the last attempt failed a moment ago")

// issuers keeps the keys of issuers.
type issuers struct {
	client *http.Client
	now    func() time.Time

	mu sync.Mutex
	by map[string]*issuer
}

func newIssuers(client *http.Client, now func() time.Time) *issuers {
	return &issuers{client: client, now: now, by: map[string]*issuer{}}
}

// issuer has the keys of an issuer. Its lock is held during a read, so that requests at the same time read once.
type issuer struct {
	mu     sync.Mutex
	keys   []trust.Key // nil until they were read
	read   time.Time   // of keys
	failed time.Time   // of the last read that failed; zero if none did since
}

func (i *issuers) of(address string) *issuer {
	i.mu.Lock()
	defer i.mu.Unlock()
	if found := i.by[address]; found != nil {
		return found
	}
	if len(i.by) >= maxIssuers {
		clear(i.by)
	}
	i.by[address] = &issuer{}
	return i.by[address]
}

// keys returns the keys of an issuer, of which one is wanted. If none is, it reads them again.
func (i *issuers) keys(ctx context.Context, address string, isWanted func(trust.Key) bool) ([]trust.Key, error) {
	known, now := i.of(address), i.now()
	known.mu.Lock()
	defer known.mu.Unlock()
	age := now.Sub(known.read)
	isFresh := known.keys != nil && age < keysLife
	if isFresh && (age < minRefresh || slices.ContainsFunc(known.keys, isWanted)) {
		return known.keys, nil
	}
	if now.Sub(known.failed) < minRetry {
		return known.keysOr(isFresh, errRecent)
	}
	keys, err := i.fetch(ctx, address)
	if err != nil {
		known.failed = now
		return known.keysOr(isFresh, err)
	}
	known.keys, known.read, known.failed = keys, now, time.Time{}
	return keys, nil
}

// keysOr returns the keys if they are fresh, although they could not be read again, and otherwise the error.
func (k *issuer) keysOr(isFresh bool, err error) ([]trust.Key, error) {
	if isFresh {
		return k.keys, nil
	}
	return nil, err
}

// fetch reads the issuer's configuration and its keys.
func (i *issuers) fetch(ctx context.Context, address string) ([]trust.Key, error) {
	ctx = oidc.ClientContext(ctx, i.client)
	provider, err := oidc.NewProvider(ctx, address) // checks that the configuration is of this issuer
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	var metadata struct {
		Keys string `json:"jwks_uri"`
	}
	if err := provider.Claims(&metadata); err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	text, err := i.get(ctx, metadata.Keys)
	if err != nil {
		return nil, fmt.Errorf("read the keys: %w", err)
	}
	keys, err := trust.ParseKeys(text)
	if err != nil {
		return nil, fmt.Errorf("the key set %w", err)
	}
	return keys, nil
}

var errStatus = errors.New("the status is not 200")

func (i *issuers) get(ctx context.Context, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	response, err := i.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, errStatus
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("read the response: %w", err)
	}
	return text, nil
}
