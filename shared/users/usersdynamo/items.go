package usersdynamo

import (
	"encoding/json"
	"fmt"

	"portside/shared/items"
	"portside/shared/principal"
	"portside/shared/users"
)

const allUsers = "all"

// userItem is the shape of a user. Times are Unix milliseconds, 0 for never.
type userItem struct {
	PK         string         `dynamodbav:"pk"`
	SK         string         `dynamodbav:"sk"`
	ID         string         `dynamodbav:"id"`
	Email      string         `dynamodbav:"email"`
	Name       string         `dynamodbav:"name"`
	Role       principal.Role `dynamodbav:"role"`
	Status     users.Status   `dynamodbav:"status"`
	Department string         `dynamodbav:"department,omitempty"`
	Metadata   string         `dynamodbav:"metadata"` // JSON text, so that numbers keep every digit
	Created    int64          `dynamodbav:"created"`
	Updated    int64          `dynamodbav:"updated"`
	LastLogin  int64          `dynamodbav:"lastLogin,omitempty"`
	Number     int64          `dynamodbav:"number"`
	Version    int64          `dynamodbav:"version"`
	Link       string         `dynamodbav:"link,omitempty"`
}

func newUserItem(u users.User) userItem {
	return userItem{
		PK: "user#" + u.ID, SK: "user", ID: u.ID, Email: u.Email, Name: u.Name, Role: u.Role, Status: u.Status,
		Department: u.Department, Metadata: string(u.Metadata), Created: items.Millis(u.CreatedAt), Updated: items.Millis(u.UpdatedAt),
		LastLogin: items.Millis(u.LastLoginAt), Number: u.Number, Version: u.Version, Link: u.LinkID,
	}
}

func (i userItem) user() users.User {
	return users.User{
		ID: i.ID, Email: i.Email, Name: i.Name, Role: i.Role, Status: i.Status, Department: i.Department,
		Metadata: json.RawMessage(i.Metadata), CreatedAt: items.Time(i.Created), UpdatedAt: items.Time(i.Updated),
		LastLoginAt: items.Time(i.LastLogin), Number: i.Number, Version: i.Version, LinkID: i.Link,
	}
}

// listItem is the shape of a user in a list. Its size is most of what a page costs.
type listItem struct {
	PK      string         `dynamodbav:"pk"`
	SK      string         `dynamodbav:"sk"`
	ID      string         `dynamodbav:"id"`
	Email   string         `dynamodbav:"email"`
	Name    string         `dynamodbav:"name"`
	Role    principal.Role `dynamodbav:"role"`
	Status  users.Status   `dynamodbav:"status"`
	Created int64          `dynamodbav:"created"`
}

func newListItem(list string, u users.User) listItem {
	return listItem{
		PK: "list#" + list, SK: numberKey(u.Number), ID: u.ID, Email: u.Email, Name: u.Name, Role: u.Role, Status: u.Status,
		Created: items.Millis(u.CreatedAt),
	}
}

func (i listItem) user() users.User {
	return users.User{ID: i.ID, Email: i.Email, Name: i.Name, Role: i.Role, Status: i.Status, CreatedAt: items.Time(i.Created)}
}

// emailItem marks an address as taken.
type emailItem struct {
	PK   string `dynamodbav:"pk"`
	SK   string `dynamodbav:"sk"`
	User string `dynamodbav:"user"`
}

func newEmailItem(u users.User) emailItem {
	return emailItem{PK: emailPK(u.Email), SK: "email", User: u.ID}
}

func emailPK(address string) string { return "email#" + address }

// onceItem remembers what an idempotency key made.
type onceItem struct {
	PK          string   `dynamodbav:"pk"`
	SK          string   `dynamodbav:"sk"`
	Fingerprint []byte   `dynamodbav:"fingerprint"`
	User        userItem `dynamodbav:"made"`
	Expires     int64    `dynamodbav:"expires"`
	PurgeAt     int64    `dynamodbav:"purgeAt"` // seconds, for DynamoDB's TTL, which may be days late
}

func newOnceItem(o users.Once, u users.User) onceItem {
	expires := u.CreatedAt.Add(users.OnceLife)
	return onceItem{
		PK: onceKey(o), SK: "once", Fingerprint: o.Fingerprint, User: newUserItem(u), Expires: expires.UnixMilli(), PurgeAt: expires.Unix(),
	}
}

func onceKey(o users.Once) string { return "once#" + o.Caller + "#" + o.Key }

// unsentItem is an activation mail that is not sent yet.
type unsentItem struct {
	PK    string `dynamodbav:"pk"`
	SK    string `dynamodbav:"sk"`
	Base  string `dynamodbav:"base"`
	Link  string `dynamodbav:"link"` // empty for an import: the first link is made when the mail is
	Due   int64  `dynamodbav:"due"`
	Tries int    `dynamodbav:"tries"`
}

func newUnsentItem(userID string, i users.Invitation) unsentItem {
	return unsentItem{PK: "unsent", SK: userID, Base: i.BaseURL, Link: i.Link.ID, Due: items.Millis(i.Due), Tries: i.Tries}
}

// numberKey writes a number so that text order is number order: rank's capacity has 8 digits.
func numberKey(n int64) string { return fmt.Sprintf("%010d", n) }

func userKey(id string) items.Map       { return items.Key("user#"+id, "user") }
func emailKey(address string) items.Map { return items.Key(emailPK(address), "email") }
func adminsKey() items.Map              { return items.Key("admins", "admins") }
func unsentKey(userID string) items.Map { return items.Key("unsent", userID) }

func listKey(list string, n int64) items.Map { return items.Key("list#"+list, numberKey(n)) }
