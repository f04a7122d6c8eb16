// Command sendmail is the Lambda function that sends the mails that a request failed to send, and expires credential
// requests that were not collected in time. A schedule invokes it.
package main

import (
	"time"

	"portside/shared/credentialrequests"
	"portside/shared/credentialrequests/credentialrequestsdynamo"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/start"
	"portside/shared/mail/mailses"
	"portside/shared/notices/credentialnotices"
	"portside/shared/revocation"
	"portside/shared/revocation/revocationdynamo"
	"portside/shared/sessions"
	"portside/shared/sessions/sessionsdynamo"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

func main() { start.Events(build) }

func build(settings *start.Settings) (any, error) {
	cfg := awsenv.Config(settings)
	client := items.Client(cfg)
	auditLog := auditlog.New(settings.String("AUDIT_TABLE"), time.Now)
	keys := credentialsdynamo.New(client, settings.String("CREDENTIALS_TABLE"), "").Audited(auditLog)
	accounts := usersdynamo.New(client, settings.String("USERS_TABLE"), keys, daycounts.In(settings.String("ANALYTICS_TABLE")))
	mailer := mailses.New(cfg, settings.String("MAIL_FROM"))
	requests := sessionsdynamo.New(client, keys, accounts.People)
	ending := revocationdynamo.New(client, keys)
	return handle(tasks{
		invitations: users.NewInviter(accounts.Invitations, mailer, time.Now).SendDue,
		requests: credentialrequests.NewService(credentialrequests.Parts{
			Store: credentialrequestsdynamo.New(client, keys, accounts.People), Credentials: keys, People: accounts.People,
			Mailer: mailer, Now: time.Now,
		}).TakeDue,
		signIns: sessions.NewService(sessions.Dependencies{
			Requests: requests, Outbox: requests, Sessions: requests, Credentials: keys, People: accounts.People,
			Mailer: mailer, Now: time.Now,
		}).SendDue,
		closings: users.NewCloser(accounts, time.Now).FinishDue,
		notices: credentialnotices.NewService(credentialnotices.Parts{
			Outbox: keys.Notices, People: accounts.People, Mailer: mailer, Now: time.Now,
		}).SendDue,
		revocations: revocation.NewService(revocation.Parts{Store: ending, Jobs: ending, Now: time.Now}).FinishDue,
	}), nil
}
