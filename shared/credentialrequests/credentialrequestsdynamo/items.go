package credentialrequestsdynamo

import (
	"cmp"
	"fmt"
	"time"

	"portside/shared/credentialrequests"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
)

// requestItem is the stored form of a request. Times are Unix milliseconds, 0 for never.
type requestItem struct {
	PK            string                    `dynamodbav:"pk"`
	SK            string                    `dynamodbav:"sk"`
	ID            string                    `dynamodbav:"id"`
	User          string                    `dynamodbav:"user"`
	Customer      string                    `dynamodbav:"customer,omitempty"`
	Level         credentialrequests.Level  `dynamodbav:"level"`
	Justification string                    `dynamodbav:"justification"`
	Status        credentialrequests.Status `dynamodbav:"status"`
	Created       int64                     `dynamodbav:"created"`
	DueAt         int64                     `dynamodbav:"dueAt"`
	DecidedBy     string                    `dynamodbav:"decidedBy,omitempty"`
	Decided       int64                     `dynamodbav:"decided,omitempty"`
	Reason        string                    `dynamodbav:"reason,omitempty"`
	Credential    string                    `dynamodbav:"credential,omitempty"`
	CollectBy     int64                     `dynamodbav:"collectBy,omitempty"`
	Events        []eventItem               `dynamodbav:"events"`
	Next          nextItem                  `dynamodbav:"next"`
	Version       int64                     `dynamodbav:"version"`
	Makers        []string                  `dynamodbav:"makers,omitempty"` // see credentialsdynamo.FormatMakers
	Deciders      []string                  `dynamodbav:"deciders,omitempty"`
}

type eventItem struct {
	At     int64                     `dynamodbav:"at"`
	Actor  string                    `dynamodbav:"actor"`
	Action credentialrequests.Action `dynamodbav:"action"`
	Detail string                    `dynamodbav:"detail,omitempty"`
}

type nextItem struct {
	Due   int64    `dynamodbav:"due,omitempty"`
	Tries int      `dynamodbav:"tries,omitempty"`
	Told  []string `dynamodbav:"told,omitempty"`
	Link  string   `dynamodbav:"link,omitempty"`
	Base  string   `dynamodbav:"base"`
}

func newRequestItem(r credentialrequests.Request) requestItem {
	item := requestItem{
		PK: requestPK(r.ID), SK: "request", ID: r.ID, User: r.UserID, Customer: r.CustomerID, Level: r.Level,
		Justification: r.Justification, Status: r.Status, Created: items.Millis(r.CreatedAt), DueAt: items.Millis(r.DueAt),
		DecidedBy: r.DecidedBy, Decided: items.Millis(r.DecidedAt), Reason: r.Reason,
		Credential: r.CredentialID, CollectBy: items.Millis(r.CollectBy), Version: r.Version,
		Makers: credentialsdynamo.FormatMakers(r.Makers), Deciders: credentialsdynamo.FormatMakers(r.Deciders),
		Next: nextItem{
			Due: items.Millis(r.Next.Due), Tries: r.Next.Attempts, Told: r.Next.Notified, Link: r.Next.LinkID,
			Base: r.Next.BaseURL,
		},
	}
	for _, e := range r.Events {
		item.Events = append(item.Events,
			eventItem{At: items.Millis(e.At), Actor: e.Actor, Action: e.Action, Detail: e.Detail})
	}
	return item
}

func (i requestItem) request() credentialrequests.Request {
	r := credentialrequests.Request{
		ID: i.ID, UserID: i.User, CustomerID: i.Customer, Level: i.Level, Justification: i.Justification, Status: i.Status,
		CreatedAt: items.Time(i.Created), DueAt: items.Time(i.DueAt),
		DecidedBy: i.DecidedBy, DecidedAt: items.Time(i.Decided), Reason: i.Reason,
		CredentialID: i.Credential, CollectBy: items.Time(i.CollectBy), Version: i.Version,
		Makers: credentialsdynamo.ParseMakers(i.Makers), Deciders: credentialsdynamo.ParseMakers(i.Deciders),
		Next: credentialrequests.Next{
			Due: items.Time(i.Next.Due), Attempts: i.Next.Tries, Notified: i.Next.Told, LinkID: i.Next.Link,
			BaseURL: i.Next.Base,
		},
	}
	for _, e := range i.Events {
		r.Events = append(r.Events, credentialrequests.Event{At: items.Time(e.At), Actor: e.Actor, Action: e.Action,
			Detail: e.Detail})
	}
	return r
}

// announcedItem is the last announcement of requests of a customer's users. DynamoDB may delete it when it has no
// effect any more.
type announcedItem struct {
	At int64 `dynamodbav:"at"`
}

func announcedKey(customerID string) items.Map {
	return items.Key("requests-announced", cmp.Or(customerID, "staff"))
}

// place is an item that consists only of its key.
type place struct {
	PK string `dynamodbav:"pk"`
	SK string `dynamodbav:"sk"`
}

// lists returns the list items of a request.
func lists(r credentialrequests.Request) []place {
	return append(permanentPlaces(r), statusPlaces(r)...)
}

// permanentPlaces returns the list items that never change.
func permanentPlaces(r credentialrequests.Request) []place {
	return []place{{listPK("", ""), r.ID}, {listPK(r.UserID, ""), r.ID}}
}

// statusPlaces returns the list items that change with the status.
func statusPlaces(r credentialrequests.Request) []place {
	return []place{{listPK("", r.Status), r.ID}, {listPK(r.UserID, r.Status), r.ID}}
}

func listPK(userID string, status credentialrequests.Status) string {
	pk := "requests"
	if userID != "" {
		pk += "#" + userID
	}
	if status != "" {
		pk += "#" + string(status)
	}
	return pk
}

func requestPK(id string) string { return "request#" + id }

func requestKey(id string) items.Map { return items.Key(requestPK(id), "request") }

func openKey(userID string) items.Map { return items.Key(listPK(userID, ""), "open") }

const duePK = "requests-due"

// due returns the item of a request's next step, or false if it needs no step.
func due(r credentialrequests.Request) (place, bool) {
	return place{duePK, dueSK(r.Next.Due, r.ID)}, !r.Next.Due.IsZero()
}

// dueSK formats a time so that text order is time order. 13 digits of milliseconds suffice until
// the year 2286.
func dueSK(at time.Time, id string) string { return fmt.Sprintf("%013d#%s", at.UnixMilli(), id) }

// requestForm is what audit events show of a credential request. It leaves out the notes of the service about mails.
type requestForm struct {
	UserID        string                    `json:"userId"`
	Level         credentialrequests.Level  `json:"level"`
	Justification string                    `json:"justification,omitempty"`
	Status        credentialrequests.Status `json:"status"`
	DecidedBy     string                    `json:"decidedBy,omitempty"`
	DecidedAt     time.Time                 `json:"decidedAt,omitzero"`
	Reason        string                    `json:"reason,omitempty"`
	CredentialID  string                    `json:"credentialId,omitempty"`
	Version       int64                     `json:"version"`
}

func auditForm(r credentialrequests.Request) any {
	if r.ID == "" {
		return nil
	}
	return requestForm{r.UserID, r.Level, r.Justification, r.Status, r.DecidedBy, r.DecidedAt.UTC(), r.Reason,
		r.CredentialID, r.Version}
}
