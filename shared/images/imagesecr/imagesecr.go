// Package imagesecr logs in to Amazon ECR, the upstream registry.
//
// The response of GetAuthorizationToken contains the address of the registry and the credential, so
// neither is a setting. A token is valid for 12 hours. It is kept until shortly before it expires,
// because a login takes longer than a pull.
package imagesecr

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecr"

	"portside/shared/images"
)

// Login says how to reach the upstream registry. Authorization is a secret.
type Login struct {
	Endpoint      *url.URL // scheme and host
	Authorization string   // value of the header
	MadeAt        time.Time
	expiresAt     time.Time
}

// margin is how long before its expiry a token is replaced, which is longer than any request
// takes.
const margin = 10 * time.Minute

// Logins creates logins and keeps the last one. It is safe for concurrent use.
type Logins struct {
	client *ecr.Client
	now    func() time.Time

	mu   sync.Mutex
	last Login
}

// New returns a Logins that has no login yet.
func New(client *ecr.Client, now func() time.Time) *Logins {
	return &Logins{client: client, now: now}
}

// Login returns a login that is valid for at least some minutes. Errors: images.ErrUnavailable.
func (l *Logins) Login(ctx context.Context) (Login, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now().Before(l.last.expiresAt.Add(-margin)) {
		return l.last, nil
	}
	login, err := l.login(ctx)
	if err != nil {
		return Login{}, fmt.Errorf("%w: log in to ECR: %w", images.ErrUnavailable, err)
	}
	l.last = login
	return login, nil
}

// minLoginAge is the minimum age of a login that may be replaced after a rejection, so that requests
// do not log in again and again while the registry rejects every login.
const minLoginAge = time.Minute

// Reject records that the registry rejected the login, and reports whether another login may work.
func (l *Logins) Reject(login Login) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if login.Authorization != l.last.Authorization {
		return true // another request has replaced it
	}
	if l.now().Before(login.MadeAt.Add(minLoginAge)) {
		return false
	}
	l.last = Login{}
	return true
}

func (l *Logins) login(ctx context.Context) (Login, error) {
	made := l.now()
	out, err := l.client.GetAuthorizationToken(ctx, &ecr.GetAuthorizationTokenInput{})
	if err != nil {
		return Login{}, err
	}
	if len(out.AuthorizationData) == 0 {
		return Login{}, errors.New("the response has no authorization data")
	}
	data := out.AuthorizationData[0]
	if data.AuthorizationToken == nil || data.ExpiresAt == nil || data.ProxyEndpoint == nil {
		return Login{}, errors.New("the response lacks the token, its expiry or the registry's address")
	}
	endpoint, err := url.Parse(*data.ProxyEndpoint)
	if err != nil || endpoint.Host == "" {
		return Login{}, errors.New("the registry's address is not a valid URL")
	}
	return Login{
		Endpoint:      &url.URL{Scheme: endpoint.Scheme, Host: endpoint.Host},
		Authorization: "Basic " + *data.AuthorizationToken, MadeAt: made, expiresAt: *data.ExpiresAt,
	}, nil
}
