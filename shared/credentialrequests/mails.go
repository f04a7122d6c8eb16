package credentialrequests

import (
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/mail"
)

const moment = "2 January 2006, 15:04 UTC"

// words is what a level is called in a letter.
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

// announcement tells an approver of a request.
func announcement(r Request, requester, approver principal.Person) mail.Message {
	return mail.Letter{
		To: approver.Email, Subject: "A credential request waits for a decision", Name: approver.Name,
		Body: []string{
			requester.Name + " (" + requester.Email + ") asks for access to " + r.Level.words() + ", and gives this reason:",
		},
		Quote: r.Justification,
		Notes: []string{
			"A decision is due by " + r.DueAt.Format(moment) + ".",
			"To decide, send POST " + r.Next.BaseURL + "/api/v1/credential-requests/" + r.ID + "/approve or …/deny with your API key; " +
				"see " + r.Next.BaseURL + "/docs.",
		},
	}.Message()
}

// collection is a link with the time when it ends.
type collection struct {
	link credentials.Secret
	ends time.Time
}

// approval mails the link to the requester.
func approval(r Request, requester principal.Person, c collection) mail.Message {
	letter := mail.Letter{
		To: requester.Email, Subject: "Collect your password", Name: requester.Name,
		Body:  []string{"your request for access to " + r.Level.words() + " was approved."},
		Quote: r.Reason,
		// The link sits behind the #, which browsers do not send: it reaches no server's log.
		Button: mail.Button{Label: "Collect your password", Address: r.Next.BaseURL + "/portal/collect#" + c.link.Reveal()},
		Notes: []string{
			"The link works once, until " + c.ends.Format(moment) + ". The page shows a user name and a password, this once, " +
				"so have a safe place for them at hand.",
			"If you did not ask for this, tell your administrator, and do not open the link.",
		},
	}
	if r.Reason != "" {
		letter.Body = append(letter.Body, "The approver wrote:")
	}
	return letter.Message()
}

// refusal tells the requester of a denial.
func refusal(r Request, requester principal.Person) mail.Message {
	letter := mail.Letter{
		To: requester.Email, Subject: "Your credential request was denied", Name: requester.Name,
		Body:  []string{"your request for access to " + r.Level.words() + " was denied."},
		Quote: r.Reason,
		Notes: []string{"If something has changed since, you are free to send a new request."},
	}
	if r.Reason != "" {
		letter.Body = append(letter.Body, "The reason:")
	}
	return letter.Message()
}
