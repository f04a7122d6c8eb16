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

// Users creates users, finds them, signs them in, and changes when their credentials were used or end.
type Users struct{ stack *Stack }

// Body returns the body of a request for an active user. Fields are further members, such as
// `"department":"Engines"`.
func (u Users) Body(person, role string, fields ...string) string {
	email := u.stack.Email(person)
	return fmt.Sprintf(`{"email":%q,"name":%q,"role":%q,"sendActivationEmail":false%s}`, email, email, role,
		further(fields))
}

func further(fields []string) string { return strings.Join(append([]string{""}, fields...), ",") }

// Create creates an active user and returns the user's path and an API key. An admin is deleted after the test,
// because admins get mails about the requests of all others.
func (u Users) Create(t *testing.T, person, role string, fields ...string) (at, key string) {
	t.Helper()
	root := u.stack.Admin(t)
	at = "/v1/users/" + root.Post("/v1/users", u.Body(person, role, fields...)).WantStatus(http.StatusCreated).
		Text("data.id")
	if role == "admin" {
		t.Cleanup(func() { u.delete(at) })
	}
	return at, root.Post(at+"/api-keys", `{"name":"test"}`).WantStatus(http.StatusCreated).Text("data.key")
}

// CreateOf creates an active user of a customer and returns the user's path and an API key.
func (u Users) CreateOf(t *testing.T, customerID, person, role string) (at, key string) {
	t.Helper()
	return u.Create(t, person, role, `"customerId":"`+customerID+`"`)
}

// delete deletes a user if the test has not done so itself. The stack may have ended.
func (u Users) delete(at string) {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodDelete, u.stack.Info.API+at, nil)
	if err != nil {
		return
	}
	r.Header.Set("X-Api-Key", u.stack.adminKey())
	if reply, err := u.stack.Conns.RoundTrip(r); err == nil {
		_ = reply.Body.Close()
	}
}

// CreateCustomer creates a customer and returns its ID. The slug becomes one that only this test uses.
func (p *Stack) CreateCustomer(t *testing.T, name, slug string, fields ...string) string {
	t.Helper()
	body := fmt.Sprintf(`{"name":%q,"slug":%q%s}`, name, p.Name(slug), further(fields))
	return p.Admin(t).Post("/v1/customers", body).WantStatus(http.StatusCreated).Text("data.id")
}

// Activate creates a user who activates the account by mail. It returns the user's path and first API key, which no
// other user created.
func (u Users) Activate(t *testing.T, person, role string, fields ...string) (at, key string) {
	t.Helper()
	body := strings.Replace(u.Body(person, role, fields...), `"sendActivationEmail":false`,
		`"sendActivationEmail":true`, 1)
	at = "/v1/users/" + u.stack.Admin(t).Post("/v1/users", body).WantStatus(http.StatusCreated).Text("data.id")
	if role == "admin" {
		t.Cleanup(func() { u.delete(at) })
	}
	_, token := u.stack.Mail.Link(t, person)
	return at, u.stack.Anonymous(t).Post("/v1/users/activate", `{"token":"`+token+`"}`).WantStatus(http.StatusOK).
		Text("data.apiKey")
}

// Path finds a user by the address and returns the user's path.
func (u Users) Path(t *testing.T, person string) string {
	t.Helper()
	list := u.stack.Admin(t).Get("/v1/users?email="+u.stack.Email(person)).WantStatus(http.StatusOK).
		WantValue("pagination.total", 1)
	return "/v1/users/" + list.Text("data.0.id")
}

// UserID returns the last part of the path of a user.
func UserID(at string) string { return path.Base(at) }

// SignInLink returns the path of the sign-in page with a link that the operator makes for a user. Mailed links have a
// limit for each address.
func (u Users) SignInLink(t *testing.T, person string) string {
	t.Helper()
	output := u.stack.Operator.Run(t, "sign-in-link", "--email", u.stack.Email(person))
	for word := range strings.FieldsSeq(output) {
		if link, found := strings.CutPrefix(word, u.stack.Info.Portal); found {
			return link
		}
	}
	t.Fatalf("the operator's command printed no link:\n%s", output)
	return ""
}

// SignIn returns the cookie of a new session of a user.
func (u Users) SignIn(t *testing.T, person string) (cookie string) {
	t.Helper()
	_, token, _ := strings.Cut(u.SignInLink(t, person), "#")
	signedIn := u.stack.Anonymous(t).Post("/v1/sessions", `{"token":"`+token+`"}`).WantStatus(http.StatusCreated)
	cookie, _, _ = strings.Cut(signedIn.Header.Get("Set-Cookie"), ";")
	return cookie
}

// AgeSessions changes all sessions of the client's user as if the user signed in 16 minutes ago.
func (u Users) AgeSessions(t *testing.T, owner Client) {
	t.Helper()
	for _, session := range owner.Get("/v1/sessions").WantStatus(http.StatusOK).List("data") {
		u.SetTime(t, session.(map[string]any)["id"].(string), "authenticated", Now().Add(-16*time.Minute))
	}
}

// Expire sets the expiry of a credential to a second ago.
func (u Users) Expire(t *testing.T, credential string) {
	t.Helper()
	u.SetTime(t, PublicID(credential), "expires", Now().Add(-time.Second))
}

// PublicID returns the public part of a credential.
func PublicID(credential string) string { return strings.Split(credential, "_")[1] }

// SetTime changes a time of a stored credential.
func (u Users) SetTime(t *testing.T, credentialID, attribute string, at time.Time) {
	t.Helper()
	millis := strconv.FormatInt(at.UnixMilli(), 10)
	_, err := u.stack.Operator.DynamoDB().UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(u.stack.Info.Tables["CredentialsTable"]),
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
