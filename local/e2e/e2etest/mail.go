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

// keyNotice is the subject of the mail that users get when an admin creates an API key for them, as CreateUser does.
const keyNotice = "Another user created an API key for you"

// outbox has the mails that were read before, by the names of their files.
type outbox struct {
	mu    sync.Mutex
	mails map[string]Mail
}

// NewestMail returns the newest mail to a person, and the number of mails to the person, without those that CreateUser
// causes.
func (p *Stack) NewestMail(t *testing.T, to string) (newest Mail, count int) {
	t.Helper()
	mails := p.MailsTo(t, to)
	mails = slices.DeleteFunc(mails, func(m Mail) bool { return m.Subject == keyNotice })
	if len(mails) > 0 {
		newest = mails[0]
	}
	return newest, len(mails)
}

// MailsTo returns the mails to a person, the newest first.
func (p *Stack) MailsTo(t *testing.T, to string) []Mail {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(p.Data, "outbox"))
	if err != nil {
		t.Fatal(err)
	}
	var mails []Mail
	for _, entry := range slices.Backward(entries) { // sorted by time
		id, isMail := strings.CutSuffix(entry.Name(), ".eml")
		if !isMail {
			continue // it is not complete
		}
		if mail := p.mail(t, id); slices.Contains(mail.To, p.Email(to)) {
			mails = append(mails, mail)
		}
	}
	return mails
}

// mail reads a mail from the page of the stack. The page lists only the newest mails of all tests, and a mail does not
// change.
func (p *Stack) mail(t *testing.T, id string) Mail {
	t.Helper()
	p.mails.mu.Lock()
	defer p.mails.mu.Unlock()
	if known, isKnown := p.mails.mails[id]; isKnown {
		return known
	}
	page := p.Anonymous(t).With("Accept", "application/json").FromGateway().Get("/_local/outbox/" + id).
		WantStatus(http.StatusOK)
	var mail Mail
	if err := json.Unmarshal(page.Body, &mail); err != nil {
		t.Fatal(err)
	}
	if p.mails.mails == nil {
		p.mails.mails = map[string]Mail{}
	}
	mail.Text = strings.ReplaceAll(mail.Text, "\u200c", "") // invisible characters keep mail programs from making links of names
	p.mails.mails[id] = mail
	return mail
}

// AwaitMail waits until a person has more mails than before, and returns the newest.
func (p *Stack) AwaitMail(t *testing.T, to string, before int) (newest Mail) {
	t.Helper()
	Await(t, "a mail to "+to, func() bool {
		mail, count := p.NewestMail(t, to)
		newest = mail
		return count > before
	})
	return newest
}

// AwaitKeyNotice returns the newest mail about an API key that another user has created for the person.
func (p *Stack) AwaitKeyNotice(t *testing.T, to string) (newest Mail) {
	t.Helper()
	Await(t, "a notice to "+to, func() bool {
		mails := p.MailsTo(t, to)
		at := slices.IndexFunc(mails, func(m Mail) bool { return m.Subject == keyNotice })
		if at >= 0 {
			newest = mails[at]
		}
		return at >= 0
	})
	return newest
}

// MailedLink returns the page and the token of the link in the newest mail to a person.
func (p *Stack) MailedLink(t *testing.T, to string) (page, token string) {
	t.Helper()
	mail := p.AwaitMail(t, to, 0)
	for word := range strings.FieldsSeq(mail.Text) {
		if page, token, found := strings.Cut(word, "#"); found && strings.HasPrefix(page, p.Info.Portal) {
			p.Secrets.Add(token)
			return strings.TrimPrefix(page, p.Info.Portal), token
		}
	}
	t.Fatalf("no link to %s in the mail:\n%s", p.Info.Portal, mail.Text)
	return "", ""
}
