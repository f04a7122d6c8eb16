package office

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"portside/shared/credentialrequests"
	"portside/shared/credentialrequests/credentialrequestsdynamo"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/customers"
	"portside/shared/customers/customersdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/entitlements"
	"portside/shared/entitlements/entitlementsdynamo"
	"portside/shared/mail/mailses"
	"portside/shared/notices/credentialnotices"
	"portside/shared/projects"
	"portside/shared/projects/projectsdynamo"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/revocation"
	"portside/shared/revocation/revocationdynamo"
	"portside/shared/sessions"
	"portside/shared/sessions/sessionsdynamo"
	"portside/shared/tokens"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/trust"
	"portside/shared/trust/trustdynamo"
	"portside/shared/trust/trustoidc"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
	"portside/shared/web/resource"
)

// Services are the services of the functions, and the stores below them that tests need.
type Services struct {
	Users       *users.Service
	Importer    *users.Importer
	Keys        *users.Keys
	Issuer      *users.Issuer
	Inviter     *users.Inviter
	Closer      *users.Closer
	Tokens      *tokens.Service
	Requests    *credentialrequests.Service
	SignIns     *sessions.Service
	Revocations *revocation.Service
	Notices     *credentialnotices.Service
	Pulls       *pullsdynamo.Store
	Projects    *projects.Service
	Customers   *customers.Service
	Entitled    *entitlements.Service
	Policies    *trust.Service
	Exchanger   *trust.Exchanger
	// Authenticator has no rate limit.
	Authenticator *credentials.Authenticator
}

// NewServices composes the services. Each function has its own process, but shares the tables and nothing else.
func NewServices(cfg aws.Config, tables Tables, now func() time.Time) Services {
	client, mailer := items.Client(cfg), mailses.New(cfg, "portside@example.com")
	auditLog := auditlog.New(tables.Audit, now)
	keys := credentialsdynamo.New(client, tables.Credentials, tables.RequestCounts).Audited(auditLog)
	people := usersdynamo.New(client, tables.Users, keys, daycounts.In(tables.Analytics))
	plans := projectsdynamo.New(client, tables.Projects, daycounts.In(tables.Analytics)).Audited(auditLog)
	ending, signIns := revocationdynamo.New(client, keys), sessionsdynamo.New(client, keys, people.People)
	notices := credentialnotices.NewService(credentialnotices.Parts{Outbox: keys.Notices, People: people.People, Mailer: mailer, Now: now})
	inviter := users.NewInviter(people.Invitations, mailer, now)
	return Services{
		Users: users.NewService(people, inviter, resource.NewID, now), Importer: users.NewImporter(people.Bulk, resource.NewID, now),
		Keys: users.NewKeys(people, people.Keys, now), Issuer: users.NewIssuer(people, people.Keys),
		Inviter: inviter, Closer: users.NewCloser(people, now),
		Tokens: tokens.NewService(tokensdynamo.New(client, keys), people.People, tokens.MaxDays, now),
		Requests: credentialrequests.NewService(credentialrequests.Parts{
			Store: credentialrequestsdynamo.New(client, keys, people.People), Credentials: keys, People: people.People,
			Mailer: mailer, NewID: resource.NewID, Now: now,
		}),
		SignIns: sessions.NewService(sessions.Dependencies{
			Requests: signIns, Outbox: signIns, Sessions: signIns, Credentials: keys, People: people.People, Mailer: mailer, Now: now,
		}),
		Revocations: revocation.NewService(revocation.Parts{
			Store: ending, Jobs: ending, Failures: keys.Requests, Now: now,
		}),
		Notices: notices, Pulls: pullsdynamo.New(client, tables.Pulls, tables.Analytics),
		Projects:      projects.NewService(plans, people.People, resource.NewID, now),
		Customers:     customers.NewService(customersdynamo.New(client, tables.Customers, keys.Customers, auditLog), resource.NewID, now),
		Entitled:      entitlements.NewService(entitlementsdynamo.New(client, keys.Name(), auditLog), resource.NewID, now),
		Policies:      trust.NewService(trustdynamo.New(client, keys), resource.NewID, now),
		Exchanger:     trust.NewExchanger(trustdynamo.New(client, keys), trustoidc.New(now), now),
		Authenticator: credentials.NewAuthenticator(keys.Requests, 0, now),
	}
}

// SendDue does what the function sendmail does every minute: it sends stored mails, and finishes suspensions and
// revocations.
func (s Services) SendDue(ctx context.Context) error {
	var failed error
	for _, send := range []func(context.Context) (int, error){
		s.Inviter.SendDue, s.Requests.TakeDue, s.SignIns.SendDue, s.Closer.FinishDue, s.Notices.SendDue,
		s.Revocations.FinishDue,
	} {
		if _, err := send(ctx); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}
