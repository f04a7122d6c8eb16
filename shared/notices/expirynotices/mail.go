package expirynotices

import (
	"fmt"
	"time"

	"portside/shared/credentials"
	"portside/shared/mail"
)

// content is the content of one mail.
type content struct {
	notice    Notice
	person    Person
	successor credentials.Credential // zero without a successor
	baseURL   string
}

// timeLayout is how mails show a time.
const timeLayout = "2 January 2006, 15:04 UTC"

func (m content) message() mail.Message {
	c := m.notice.Credential
	return mail.Content{
		Site: m.baseURL, To: m.person.Email, Name: m.person.Name,
		Subject: "Your " + kindOf(c) + " expires " + within(m.notice.Days),
		Body: []string{
			fmt.Sprintf("Your %s %q (%s) expires on %s.", kindOf(c), c.Name, c.ID, c.ExpiresAt.UTC().Format(timeLayout)),
			lastUse(c) + " " + m.succession(),
		},
		Notes: []string{m.advice()},
	}.Message()
}

func within(days int) string {
	if days == 1 {
		return "within a day"
	}
	return fmt.Sprintf("within %d days", days)
}

func kindOf(c credentials.Credential) string {
	if c.Kind == credentials.Password {
		return "password"
	}
	return "access token"
}

// lastUse says when the credential was last used, to the precision with which Portside stores that time.
func lastUse(c credentials.Credential) string {
	if c.LastUsedAt.IsZero() {
		return "It has never been used."
	}
	return "It was last used on " + c.LastUsedAt.UTC().Format(timeLayout) + " (to " + minutes(credentials.LastUseResolution) + ")."
}

func minutes(d time.Duration) string { return fmt.Sprintf("%d minutes", int(d.Minutes())) }

func (m content) succession() string {
	s := m.successor
	switch {
	case s.ID == "":
		return "Nobody has created a successor yet."
	case s.LastUsedAt.IsZero():
		return fmt.Sprintf("Its successor %q (%s) has never been used.", s.Name, s.ID)
	case m.notice.Credential.LastUsedAt.After(s.CreatedAt):
		return fmt.Sprintf("Its successor %q (%s) is in use, but the old one was used after the new one was created: "+
			"something still uses the old one.", s.Name, s.ID)
	default:
		return fmt.Sprintf("Its successor %q (%s) is in use, and the old one has not been used since. You do not "+
			"need to do anything.", s.Name, s.ID)
	}
}

func (m content) advice() string {
	switch {
	case m.successor.ID != "":
		return "Clients that still use the old one stop working then. Give them the successor."
	case m.notice.Credential.EndsLine():
		return "Clients that use it stop working then. It cannot be renewed, because its line of renewals ends at the same time. " +
			"Create another token in the portal: " + m.baseURL + "/portal/access"
	case m.notice.Credential.Kind == credentials.Password:
		return "Clients that use it stop working then. Request a new one in the portal: " + m.baseURL +
			"/portal/access?new=request"
	default:
		return "Clients that use it stop working then. Renew it in the portal, " + m.baseURL +
			"/portal/access, or create a successor with POST " +
			m.baseURL + "/api/v1/tokens; see " + m.baseURL + "/docs"
	}
}
