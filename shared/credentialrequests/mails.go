package credentialrequests

import (
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/mail"
)

const moment = "2 January 2006, 15:04 UTC"

// words returns the description of a level in mails.
func (l Level) words() string {
	switch l {
	case Charts:
		return "the chart repository"
	case Images:
		return "the container registry"
	default:
		return "the chart repository and the container registry"
	}
}

// requestMessage returns the mail that asks an approver to decide on a request.
func requestMessage(r Request, requester, approver principal.Person) mail.Message {
	return mail.Letter{
		To: approver.Email, Subject: "A credential request is waiting for a decision", Name: approver.Name,
		Body: []string{
			requester.Name + " (" + requester.Email + ") has requested access to " + r.Level.words() + " for this reason:",
		},
		Quote: r.Justification,
		Notes: []string{
			"A decision is due by " + r.DueAt.Format(moment) + ".",
			"To decide, send POST " + r.Next.BaseURL + "/api/v1/credential-requests/" + r.ID + "/approve or …/deny with your API key; " +
				"see " + r.Next.BaseURL + "/docs.",
		},
	}.Message()
}

// collection is a link and the time when it expires.
type collection struct {
	link credentials.Secret
	ends time.Time
}

// approvalMessage returns the mail with the link.
func approvalMessage(r Request, requester principal.Person, c collection) mail.Message {
	letter := mail.Letter{
		To: requester.Email, Subject: "Collect your password", Name: requester.Name,
		Body:  []string{"your request for access to " + r.Level.words() + " was approved."},
		Quote: r.Reason,
		// The secret is behind the #, which browsers do not send, so it reaches no server log.
		Button: mail.Button{Label: "Collect your password", Address: r.Next.BaseURL + "/portal/collect#" + c.link.Reveal()},
		Notes: []string{
			"The link works once, until " + c.ends.Format(moment) + ". The page shows a user name and a password only once, " +
				"so be ready to store them in a safe place.",
			"If you did not request this, do not open the link, and tell your administrator.",
		},
	}
	if r.Reason != "" {
		letter.Body = append(letter.Body, "The approver wrote:")
	}
	return letter.Message()
}

// denialMessage returns the mail about a denial.
func denialMessage(r Request, requester principal.Person) mail.Message {
	letter := mail.Letter{
		To: requester.Email, Subject: "Your credential request was denied", Name: requester.Name,
		Body:  []string{"your request for access to " + r.Level.words() + " was denied."},
		Quote: r.Reason,
		Notes: []string{"If your situation changes, you can send a new request."},
	}
	if r.Reason != "" {
		letter.Body = append(letter.Body, "The reason:")
	}
	return letter.Message()
}
