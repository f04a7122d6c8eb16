package e2etest

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Mail is a mail that the stack has sent.
type Mail struct {
	To                  []string
	Subject, Text, HTML string
}

// KeyNotice is the subject of the mail that users get when an admin creates an API key for them, as Users.Create does.
const KeyNotice = "Another user created an API key for you"

// Outbox has the mails that a stack has sent.
type Outbox struct {
	stack *Stack
	read  *readMails
}

// readMails has the mails that were read before, by the names of their files.
type readMails struct {
	mu    sync.Mutex
	mails map[string]Mail
}

// Newest returns the newest mail to a person, and the number of mails to the person, without those that
// Users.Create causes.
func (o Outbox) Newest(t *testing.T, to string) (newest Mail, count int) {
	t.Helper()
	mails := o.To(t, to)
	mails = slices.DeleteFunc(mails, func(m Mail) bool { return m.Subject == KeyNotice })
	if len(mails) > 0 {
		newest = mails[0]
	}
	return newest, len(mails)
}

// To returns the mails to a person, the newest first.
func (o Outbox) To(t *testing.T, to string) []Mail {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(o.stack.Data, "outbox"))
	if err != nil {
		t.Fatal(err)
	}
	var mails []Mail
	for _, entry := range slices.Backward(entries) { // sorted by time
		id, isMail := strings.CutSuffix(entry.Name(), ".eml")
		if !isMail {
			continue // it is not complete
		}
		if mail := o.mail(t, id); slices.Contains(mail.To, o.stack.Email(to)) {
			mails = append(mails, mail)
		}
	}
	return mails
}

// mail reads a mail from the page of the stack. The page lists only the newest mails of all tests, and a mail does not
// change.
func (o Outbox) mail(t *testing.T, id string) Mail {
	t.Helper()
	o.read.mu.Lock()
	defer o.read.mu.Unlock()
	if known, isKnown := o.read.mails[id]; isKnown {
		return known
	}
	page := o.stack.Anonymous(t).With("Accept", "application/json").FromGateway().Get("/_local/outbox/" + id).
		WantStatus(http.StatusOK)
	var mail Mail
	if err := json.Unmarshal(page.Body, &mail); err != nil {
		t.Fatal(err)
	}
	if o.read.mails == nil {
		o.read.mails = map[string]Mail{}
	}
	mail.Text = strings.ReplaceAll(mail.Text, "\u200c", "") // invisible characters keep mail programs from making links of names
	o.read.mails[id] = mail
	return mail
}

// Await waits until a person has more mails than before, and returns the newest.
func (o Outbox) Await(t *testing.T, to string, before int) (newest Mail) {
	t.Helper()
	Await(t, "a mail to "+to, func() bool {
		mail, count := o.Newest(t, to)
		newest = mail
		return count > before
	})
	return newest
}

// Link returns the page and the token of the link in the newest mail to a person.
func (o Outbox) Link(t *testing.T, to string) (page, token string) {
	t.Helper()
	mail := o.Await(t, to, 0)
	for word := range strings.FieldsSeq(mail.Text) {
		if page, token, found := strings.Cut(word, "#"); found && strings.HasPrefix(page, o.stack.Info.Portal) {
			o.stack.Secrets.Add(token)
			return strings.TrimPrefix(page, o.stack.Info.Portal), token
		}
	}
	t.Fatalf("no link to %s in the mail:\n%s", o.stack.Info.Portal, mail.Text)
	return "", ""
}
