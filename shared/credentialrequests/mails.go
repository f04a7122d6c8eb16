package credentialrequests

import (
	"fmt"
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/mail"
)

const timeLayout = "2 January 2006, 15:04 UTC"

// description returns the name of a level in mails.
func (l Level) description() string {
	switch l {
	case Charts:
		return "the chart repository"
	case Images:
		return "the container registry"
	default:
		return "the chart repository and the container registry"
	}
}

// announcement returns the mail that notifies an approver of requests.
func announcement(requests []Request, requesters map[string]principal.Person, approver principal.Person) mail.Message {
	if len(requests) == 1 {
		return announcementOfOne(requests[0], requesters[requests[0].UserID], approver)
	}
	base := requests[0].Next.BaseURL
	content := mail.Content{
		Site: base, To: approver.Email, Name: approver.Name,
		Subject: fmt.Sprintf("%d credential requests are waiting for your decision", len(requests)),
		Body:    []string{fmt.Sprintf("%d requests are waiting for your decision:", len(requests))},
		Button:  mail.Button{Label: "Decide in the portal", Address: base + "/portal/approvals"},
		Notes: []string{
			"The page shows the reasons. Requests that were decided before this mail are left out.",
			"A mail about a single request comes at once, and further requests of the same customer within an hour come together.",
		},
	}
	for _, r := range requests[:min(maxListed, len(requests))] {
		requester := requesters[r.UserID]
		content.Body = append(content.Body, requester.Name+" ("+requester.Email+") requests access to "+r.Level.description()+
			". A decision is due by "+r.DueAt.Format(timeLayout)+".")
	}
	if more := len(requests) - maxListed; more > 0 {
		content.Body = append(content.Body, fmt.Sprintf("The page shows %d more.", more))
	}
	return content.Message()
}

// maxListed is how many requests a mail lists.
const maxListed = 20

// announcementOfOne returns the mail that notifies an approver of a request.
func announcementOfOne(r Request, requester, approver principal.Person) mail.Message {
	return mail.Content{
		Site: r.Next.BaseURL, To: approver.Email, Subject: "A credential request is waiting for your decision",
		Name: approver.Name,
		Body: []string{
			requester.Name + " (" + requester.Email + ") requests access to " + r.Level.description() +
				" and gives this reason:",
		},
		Quote:  r.Justification,
		Button: mail.Button{Label: "Decide in the portal", Address: r.Next.BaseURL + "/portal/approvals"},
		Notes: []string{
			"A decision is due by " + r.DueAt.Format(timeLayout) + ".",
			"You can also decide with the API: send POST " + r.Next.BaseURL + "/api/v1/credential-requests/" + r.ID +
				"/approve or …/deny with your API key; " +
				"see " + r.Next.BaseURL + "/docs.",
		},
	}.Message()
}

// collection is a link and the time when it expires.
type collection struct {
	link credentials.Secret
	ends time.Time
}

// approval returns the mail with the link.
func approval(r Request, requester principal.Person, c collection) mail.Message {
	content := mail.Content{
		To: requester.Email, Subject: "Collect your password", Name: requester.Name,
		Body:  []string{"Your request for access to " + r.Level.description() + " was approved."},
		Quote: r.Reason,
		// The secret is behind the #, which browsers do not send, so it reaches no server log.
		Button: mail.Button{Label: "Collect your password", Address: r.Next.BaseURL + "/portal/collect#" + c.link.Reveal()},
		Notes: []string{
			"The link works once, until " + c.ends.Format(timeLayout) + ". The page shows a user name and a password only once, " +
				"so be ready to store them in a safe place.",
			"If you did not request this, do not open the link, and inform your administrator.",
		},
	}
	if r.Reason != "" {
		content.Body = append(content.Body, "The approver wrote:")
	}
	return content.Message()
}

// refusal returns the mail about a denial.
func refusal(r Request, requester principal.Person) mail.Message {
	content := mail.Content{
		To: requester.Email, Subject: "Your credential request was denied", Name: requester.Name,
		Body:  []string{"Your request for access to " + r.Level.description() + " was denied."},
		Quote: r.Reason,
		Notes: []string{"If circumstances change, you can send a new request."},
	}
	if r.Reason != "" {
		content.Body = append(content.Body, "The reason:")
	}
	return content.Message()
}
