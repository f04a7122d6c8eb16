package expirynotices

import (
	"fmt"
	"time"

	"portside/shared/credentials"
	"portside/shared/mail"
)

// letter is what one notice says.
type letter struct {
	notice    Notice
	person    Person
	successor credentials.Credential // zero: none
	baseURL   string
}

const moment = "2 January 2006, 15:04 UTC"

func (l letter) message() mail.Message {
	c := l.notice.Credential
	return mail.Letter{
		To: l.person.Email, Name: l.person.Name, Subject: "Your " + kindOf(c) + " expires " + in(l.notice.Days),
		Body: []string{
			fmt.Sprintf("your %s %q (%s) expires on %s.", kindOf(c), c.Name, c.ID, c.ExpiresAt.UTC().Format(moment)),
			use(c) + " " + l.succession(),
		},
		Notes: []string{l.advice()},
	}.Message()
}

func in(days int) string {
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

// use answers "who still uses it" as far as it is known: when it was used last, to the step in which that is noted.
func use(c credentials.Credential) string {
	if c.LastUsedAt.IsZero() {
		return "It was never used."
	}
	return "It was last used on " + c.LastUsedAt.UTC().Format(moment) + " (to " + minutes(credentials.LastUseStep) + ")."
}

func minutes(d time.Duration) string { return fmt.Sprintf("%d minutes", int(d.Minutes())) }

func (l letter) succession() string {
	s := l.successor
	switch {
	case s.ID == "":
		return "No other one was made with it yet."
	case s.LastUsedAt.IsZero():
		return fmt.Sprintf("Its successor %q (%s) exists, but was never used.", s.Name, s.ID)
	case l.notice.Credential.LastUsedAt.After(s.CreatedAt):
		return fmt.Sprintf("Its successor %q (%s) is in use, but the old one was used after the new one had been made: "+
			"something still has the old one.", s.Name, s.ID)
	default:
		return fmt.Sprintf("Its successor %q (%s) is in use, and the old one was not used since: nothing needs to be done.", s.Name, s.ID)
	}
}

func (l letter) advice() string {
	switch {
	case l.successor.ID != "":
		return "What still uses the old one stops working then; give it the successor."
	case l.notice.Credential.Kind == credentials.Password:
		return "What uses it stops working then. Request a new one in the portal: " + l.baseURL + "/portal/"
	default:
		return "What uses it stops working then. Make a successor with POST " + l.baseURL + "/api/v1/tokens; see " + l.baseURL + "/docs"
	}
}
