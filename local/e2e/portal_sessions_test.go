package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/local/browser"
)

// ageSessions changes all sessions of the client's user as if the user signed in 16 minutes ago.
func (p *testStack) ageSessions(t *testing.T, owner client) {
	t.Helper()
	for _, session := range owner.Get("/v1/sessions").WantStatus(http.StatusOK).List("data") {
		p.setTime(t, session.(map[string]any)["id"].(string), "authenticated", now().Add(-16*time.Minute))
	}
}

// setTime changes a time of a stored credential.
func (p *testStack) setTime(t *testing.T, credentialID, attribute string, at time.Time) {
	t.Helper()
	db := dynamodb.New(dynamodb.Options{Region: p.info.Region, BaseEndpoint: &p.info.DynamoDB, Credentials: p.engineKeys()})
	millis := strconv.FormatInt(at.UnixMilli(), 10)
	_, err := db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(p.info.Tables["CredentialsTable"]),
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

// testNotRecent creates an API key in a session that is older than 15 minutes.
func testNotRecent(t *testing.T, p *testStack) {
	const email = "margaret@example.com"
	at, key := p.createUser(t, email, "user")
	owner := p.anonymous(t).as(key)
	page := p.visit(t)
	p.signIn(t, page, email)
	page.Open("/portal/account")
	ready(page)
	page.Click(browser.Button("Create API key"))
	page.Fill("Name", "typed before the confirmation")
	p.ageSessions(t, owner)
	page.Allow("403 POST /v1/users/")
	page.Press("Enter")
	dialog := page.Within(browser.Dialog("Confirm that it is you"))
	dialog.WaitText("more than 15 minutes ago")
	dialog.WaitText(email)
	page.Axe()
	dialog.Click(browser.Button("Cancel"))
	page.WaitGone(browser.Dialog("Confirm that it is you"))
	if kept := page.Value("Name"); kept != "typed before the confirmation" {
		t.Errorf("the field has %q", kept)
	}
	page.Within(browser.Dialog("Create API key")).Click(browser.Button("Create API key"))
	p.confirmByMail(t, page, email)
	page.WaitFor(browser.Heading("The API key is ready"))
	p.secrets.add(page.Value("API key"))
	page.Click(browser.Button("I have saved the key"))
	page.WaitFor(browser.Row("typed before the confirmation"))
	if keys := owner.Get(at + "/api-keys").List("data"); len(keys) != 2 {
		t.Errorf("the user has %d keys, want the first one and one more", len(keys))
	}
}

// confirmByMail signs in again with the code of a mail, in the dialog that asks for it.
func (p *testStack) confirmByMail(t *testing.T, page *browser.Page, email string) {
	t.Helper()
	dialog := page.Within(browser.Dialog("Confirm that it is you"))
	_, before := p.newestMail(t, email)
	dialog.Click(browser.Button("Send me an email"))
	dialog.WaitFor(browser.Heading("Check your email"))
	mail := p.awaitMail(t, email, before)
	dialog.Fill("Code", signInCode.FindString(mail.Text("text")))
	page.Press("Enter")
	page.WaitGone(browser.Dialog("Confirm that it is you"))
}

// testEndOneSession ends the session of another browser, and then the session of this one.
func testEndOneSession(t *testing.T, p *testStack) {
	const email = "mary@example.com"
	_, key := p.createUser(t, email, "user")
	owner := p.anonymous(t).as(key)
	other, page := p.visit(t), p.visit(t)
	p.signIn(t, other, email)
	p.signIn(t, page, email)
	device := owner.Get("/v1/sessions").WantStatus(http.StatusOK).Text("data.0.device")
	page.Open("/portal/account")
	page.WaitText("This browser")
	browser.Eval[bool](page, `([...document.querySelectorAll("tbody tr")].find(row => row.innerText.includes(`+strconv.Quote(device)+`)
		&& !row.innerText.includes("This browser")).querySelector("button").click(), true)`)
	dialog := page.Within(browser.Dialog("End this session?"))
	dialog.WaitText(device + " is signed out immediately.")
	page.Axe()
	dialog.Click(browser.Button("End the session"))
	page.WaitGone(browser.Dialog("End this session?"))
	if left := owner.Get("/v1/sessions").List("data"); len(left) != 1 {
		t.Errorf("the user has %d sessions, want 1", len(left))
	}
	other.Open("/portal/account")
	other.WaitFor(browser.Heading("Sign in"))

	page.Within(browser.Row("This browser")).Click(browser.Button("End the session of " + device))
	dialog.WaitText("This is the session of this browser.")
	dialog.Click(browser.Button("End the session"))
	page.WaitFor(browser.Heading("Sign in"))
}

// testAnotherUserInATab signs another user in without a form of the portal, as an identity provider does. A tab with a half-typed form
// of the first user must not send it as the second.
func testAnotherUserInATab(t *testing.T, p *testStack) {
	first := p.visitAs(t, "ada@example.com")
	first.Open("/portal/account")
	first.Click(browser.Button("Create API key"))
	first.Fill("Name", "typed by Ada")
	second := first.NewTab()
	second.Open("/portal/activate") // a page that needs no session
	p.startSession(t, second, "grace@example.com")
	second.Open("/portal")
	first.WaitGone(browser.Dialog("Create API key"))
	first.WaitText("grace@example.com")
}

// testFraming opens a page of another origin that shows the portal in a frame. The browser must block the frame.
func testFraming(t *testing.T, p *testStack) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<!doctype html><title>Other site</title><link rel="icon" href="data:,">
			<iframe src="%s/portal"></iframe>`, p.info.Portal)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	page := p.visit(t)
	p.signIn(t, page, "ada@example.com")
	page.Allow("another host")
	page.Open(site.URL)
	page.Allow("frame-ancestors 'none'")
	page.WaitForProblem("net::ERR_BLOCKED_BY_RESPONSE other: GET /portal")
	page.Settle()
	requests := page.FramedRequests()
	if len(requests) == 0 {
		t.Error("the frame sent no request")
	}
	for _, request := range requests {
		if strings.Contains(request.URL, "/portal/assets/") {
			t.Errorf("the frame loaded %s", request.URL)
		}
	}
}
