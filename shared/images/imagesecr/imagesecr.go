// Package imagesecr logs in to Amazon ECR, which is the registry behind the service's own.
//
// ECR's answer to GetAuthorizationToken says where the registry is and how to authenticate there, so neither is a setting.
// A token lives for 12 hours; one is kept until shortly before its end, since a login costs more than a pull.
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

// Login is how to reach the upstream registry. Authorization is a secret.
type Login struct {
	Endpoint      *url.URL // scheme and host
	Authorization string   // value of the header
	MadeAt        time.Time
	expiresAt     time.Time
}

// margin before its end in which a token is no longer used: longer than any request takes.
const margin = 10 * time.Minute

// Logins gets logins and keeps the last one. It is safe for concurrent use.
type Logins struct {
	client *ecr.Client
	now    func() time.Time

	mu   sync.Mutex
	last Login
}

// New returns Logins without a login.
func New(client *ecr.Client, now func() time.Time) *Logins {
	return &Logins{client: client, now: now}
}

// Login returns a login that is good for some minutes at least. Errors: images.ErrAway.
func (l *Logins) Login(ctx context.Context) (Login, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now().Before(l.last.expiresAt.Add(-margin)) {
		return l.last, nil
	}
	login, err := l.login(ctx)
	if err != nil {
		return Login{}, fmt.Errorf("%w: log in to ECR: %w", images.ErrAway, err)
	}
	l.last = login
	return login, nil
}

// patience is how old a login must be to be doubted: a registry that refuses every login is not asked for one by each request.
const patience = time.Minute

// Refused tells that the registry does not take the login any more, and reports whether another may do.
func (l *Logins) Refused(login Login) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if login.Authorization != l.last.Authorization {
		return true // somebody else has got a new one
	}
	if l.now().Before(login.MadeAt.Add(patience)) {
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
		return Login{}, errors.New("the answer has no authorization data")
	}
	data := out.AuthorizationData[0]
	if data.AuthorizationToken == nil || data.ExpiresAt == nil || data.ProxyEndpoint == nil {
		return Login{}, errors.New("the answer lacks the token, its end or the registry's address")
	}
	endpoint, err := url.Parse(*data.ProxyEndpoint)
	if err != nil || endpoint.Host == "" {
		return Login{}, errors.New("the registry's address is not an address")
	}
	return Login{
		Endpoint:      &url.URL{Scheme: endpoint.Scheme, Host: endpoint.Host},
		Authorization: "Basic " + *data.AuthorizationToken, MadeAt: made, expiresAt: *data.ExpiresAt,
	}, nil
}
