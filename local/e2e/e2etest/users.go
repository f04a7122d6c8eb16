package e2etest

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// FirstAdmin is the address of the admin that each stack has from its start.
const FirstAdmin = "admin@localhost"

// NewUser returns the body of a request for an active user. Fields are further members, such as
// `"department":"Engines"`.
func (p *Stack) NewUser(person, role string, fields ...string) string {
	email := p.Email(person)
	return fmt.Sprintf(`{"email":%q,"name":%q,"role":%q,"sendActivationEmail":false%s}`, email, email, role,
		further(fields))
}

func further(fields []string) string { return strings.Join(append([]string{""}, fields...), ",") }

// CreateUser creates an active user and returns the user's path and an API key. An admin is deleted after the test,
// because admins get mails about the requests of all others.
func (p *Stack) CreateUser(t *testing.T, person, role string, fields ...string) (at, key string) {
	t.Helper()
	root := p.Admin(t)
	at = "/v1/users/" + root.Post("/v1/users", p.NewUser(person, role, fields...)).WantStatus(http.StatusCreated).
		Text("data.id")
	if role == "admin" {
		t.Cleanup(func() { p.delete(at) })
	}
	return at, root.Post(at+"/api-keys", `{"name":"test"}`).WantStatus(http.StatusCreated).Text("data.key")
}

// CreateUserOf creates an active user of a customer and returns the user's path and an API key.
func (p *Stack) CreateUserOf(t *testing.T, customerID, person, role string) (at, key string) {
	t.Helper()
	return p.CreateUser(t, person, role, `"customerId":"`+customerID+`"`)
}

// delete deletes a user if the test has not done so itself. The stack may have ended.
func (p *Stack) delete(at string) {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodDelete, p.Info.API+at, nil)
	if err != nil {
		return
	}
	r.Header.Set("X-Api-Key", p.adminKey())
	if reply, err := p.Conns.RoundTrip(r); err == nil {
		_ = reply.Body.Close()
	}
}

// CreateCustomer creates a customer and returns its ID. The slug becomes one that only this test uses.
func (p *Stack) CreateCustomer(t *testing.T, name, slug string, fields ...string) string {
	t.Helper()
	body := fmt.Sprintf(`{"name":%q,"slug":%q%s}`, name, p.Name(slug), further(fields))
	return p.Admin(t).Post("/v1/customers", body).WantStatus(http.StatusCreated).Text("data.id")
}

// ActivateUser creates a user who activates the account by mail. It returns the user's path and first API key, which no
// other user created.
func (p *Stack) ActivateUser(t *testing.T, person, role string, fields ...string) (at, key string) {
	t.Helper()
	body := strings.Replace(p.NewUser(person, role, fields...), `"sendActivationEmail":false`,
		`"sendActivationEmail":true`, 1)
	at = "/v1/users/" + p.Admin(t).Post("/v1/users", body).WantStatus(http.StatusCreated).Text("data.id")
	if role == "admin" {
		t.Cleanup(func() { p.delete(at) })
	}
	_, token := p.MailedLink(t, person)
	return at, p.Anonymous(t).Post("/v1/users/activate", `{"token":"`+token+`"}`).WantStatus(http.StatusOK).
		Text("data.apiKey")
}

// UserPath finds a user by the address and returns the user's path.
func (p *Stack) UserPath(t *testing.T, person string) string {
	t.Helper()
	list := p.Admin(t).Get("/v1/users?email="+p.Email(person)).WantStatus(http.StatusOK).WantValue("pagination.total", 1)
	return "/v1/users/" + list.Text("data.0.id")
}

// UserID returns the last part of the path of a user.
func UserID(at string) string { return path.Base(at) }

// SignInLink returns the path of the sign-in page with a link that the operator makes for a user. Mailed links have a
// limit for each address.
func (p *Stack) SignInLink(t *testing.T, person string) string {
	t.Helper()
	output := p.Operate(t, "sign-in-link", "--email", p.Email(person))
	for word := range strings.FieldsSeq(output) {
		if link, found := strings.CutPrefix(word, p.Info.Portal); found {
			return link
		}
	}
	t.Fatalf("the operator's command printed no link:\n%s", output)
	return ""
}

// SignIn returns the cookie of a new session of a user.
func (p *Stack) SignIn(t *testing.T, person string) (cookie string) {
	t.Helper()
	_, token, _ := strings.Cut(p.SignInLink(t, person), "#")
	signedIn := p.Anonymous(t).Post("/v1/sessions", `{"token":"`+token+`"}`).WantStatus(http.StatusCreated)
	cookie, _, _ = strings.Cut(signedIn.Header.Get("Set-Cookie"), ";")
	return cookie
}

// AgeSessions changes all sessions of the client's user as if the user signed in 16 minutes ago.
func (p *Stack) AgeSessions(t *testing.T, owner Client) {
	t.Helper()
	for _, session := range owner.Get("/v1/sessions").WantStatus(http.StatusOK).List("data") {
		p.SetTime(t, session.(map[string]any)["id"].(string), "authenticated", Now().Add(-16*time.Minute))
	}
}

// Expire sets the expiry of a credential to a second ago.
func (p *Stack) Expire(t *testing.T, credential string) {
	t.Helper()
	p.SetTime(t, PublicID(credential), "expires", Now().Add(-time.Second))
}

// PublicID returns the public part of a credential.
func PublicID(credential string) string { return strings.Split(credential, "_")[1] }

// SetTime changes a time of a stored credential.
func (p *Stack) SetTime(t *testing.T, credentialID, attribute string, at time.Time) {
	t.Helper()
	millis := strconv.FormatInt(at.UnixMilli(), 10)
	_, err := p.DynamoDB().UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(p.Info.Tables["CredentialsTable"]),
		Key: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "credential#" + credentialID}, "sk": &types.AttributeValueMemberS{Value: "credential"},
		},
		UpdateExpression: aws.String("SET #attribute = :at"), ConditionExpression: aws.String("attribute_exists(#attribute)"),
		ExpressionAttributeNames:  map[string]string{"#attribute": attribute},
		ExpressionAttributeValues: map[string]types.AttributeValue{":at": &types.AttributeValueMemberN{Value: millis}},
	})
	if err != nil {
		t.Fatal(err)
	}
}
