package usersdynamo

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

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
	Issued     int64          `dynamodbav:"issued"` // grows with every credential issued
}

func newUserItem(u users.User) userItem {
	return userItem{
		PK: "user#" + u.ID, SK: "user", ID: u.ID, Email: u.Email, Name: u.Name, Role: u.Role, Status: u.Status,
		Department: u.Department, Metadata: string(u.Metadata), Created: millis(u.CreatedAt), Updated: millis(u.UpdatedAt),
		LastLogin: millis(u.LastLoginAt), Number: u.Number, Version: u.Version, Link: u.LinkID,
	}
}

func (i userItem) user() users.User {
	return users.User{
		ID: i.ID, Email: i.Email, Name: i.Name, Role: i.Role, Status: i.Status, Department: i.Department,
		Metadata: json.RawMessage(i.Metadata), CreatedAt: timeOf(i.Created), UpdatedAt: timeOf(i.Updated),
		LastLoginAt: timeOf(i.LastLogin), Number: i.Number, Version: i.Version, LinkID: i.Link,
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
		Created: millis(u.CreatedAt),
	}
}

func (i listItem) user() users.User {
	return users.User{ID: i.ID, Email: i.Email, Name: i.Name, Role: i.Role, Status: i.Status, CreatedAt: timeOf(i.Created)}
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
	return unsentItem{PK: "unsent", SK: userID, Base: i.BaseURL, Link: i.Link.ID, Due: millis(i.Due), Tries: i.Tries}
}

// numberKey writes a number so that text order is number order: rank's capacity has 8 digits.
func numberKey(n int64) string { return fmt.Sprintf("%010d", n) }

type attributes = map[string]types.AttributeValue

func userKey(id string) attributes       { return key("user#"+id, "user") }
func emailKey(address string) attributes { return key(emailPK(address), "email") }
func adminsKey() attributes              { return key("admins", "admins") }
func unsentKey(userID string) attributes { return key("unsent", userID) }

func listKey(list string, n int64) attributes { return key("list#"+list, numberKey(n)) }

func key(pk, sk string) attributes { return attributes{"pk": text(pk), "sk": text(sk)} }

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// encode turns one of the shapes above into an item. They hold nothing that cannot be encoded.
func encode(shape any) attributes {
	item, err := attributevalue.MarshalMap(shape)
	if err != nil {
		panic(fmt.Sprintf("usersdynamo: %T does not encode: %v", shape, err))
	}
	return item
}

// millis stores the zero time as 0, which stands for "never".
func millis(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMilli()
}

func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
