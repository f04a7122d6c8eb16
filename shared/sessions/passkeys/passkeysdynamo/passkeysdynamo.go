// Package passkeysdynamo keeps passkeys in the credentials table.
//
//	owner#<user>        passkeys   all passkeys of a user, with a version
//	passkey#<hash>      passkey    marks a credential ID as taken; the hash is its SHA-256
//
// All passkeys of a user are in one item, so a sign-in reads one item, a change is conditional on one
// version, and the transaction that deletes a user deletes them with one write (see
// passkeysets.DeleteSet). The markers of a deleted user stay: they contain no name, and a
// credential ID is never used for another key.
package passkeysdynamo

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/audit"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/challenges"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/passkeysets"
	"portside/shared/dynamo/transactions"
	"portside/shared/sessions/passkeys"
)

// Store keeps passkeys and their challenges.
type Store struct {
	client      *dynamodb.Client
	table       string
	credentials *credentialsdynamo.Table
	challenges  challenges.Table
}

// New returns a Store in the table of the credentials.
func New(client *dynamodb.Client, table *credentialsdynamo.Table) *Store {
	return &Store{client: client, table: table.Name(), credentials: table, challenges: challenges.In(client, table.Name())}
}

var (
	_ passkeys.Store      = (*Store)(nil)
	_ passkeys.Challenges = (*Store)(nil)
)

// setItem is the stored form of a set. Times are Unix milliseconds.
type setItem struct {
	PK       string        `dynamodbav:"pk"`
	SK       string        `dynamodbav:"sk"`
	User     string        `dynamodbav:"user"`
	Version  int64         `dynamodbav:"version"`
	Passkeys []passkeyItem `dynamodbav:"passkeys"`
}

// passkeyItem is the stored form of a passkey.
type passkeyItem struct {
	ID         string   `dynamodbav:"id"`
	Name       string   `dynamodbav:"name"`
	Credential []byte   `dynamodbav:"credential"`
	Public     []byte   `dynamodbav:"public"`
	Count      uint32   `dynamodbav:"count"`
	Transports []string `dynamodbav:"transports,omitempty"`
	Synced     bool     `dynamodbav:"synced"`
	BackedUp   bool     `dynamodbav:"backedUp"`
	Customer   string   `dynamodbav:"customer,omitempty"`
	Generation int64    `dynamodbav:"generation,omitempty"`
	Created    int64    `dynamodbav:"created"`
	LastUsed   int64    `dynamodbav:"lastUsed,omitempty"`
	Cloned     int64    `dynamodbav:"cloned,omitempty"`
}

func newPasskeyItem(p passkeys.Passkey) passkeyItem {
	return passkeyItem{
		ID: p.ID, Name: p.Name, Credential: p.CredentialID, Public: p.Public, Count: p.SignCount,
		Transports: p.Transports, Synced: p.Synced, BackedUp: p.BackedUp, Customer: p.CustomerID,
		Generation: p.Generation, Created: items.Millis(p.CreatedAt), LastUsed: items.Millis(p.LastUsedAt),
		Cloned: items.Millis(p.ClonedAt),
	}
}

func (i passkeyItem) passkey() passkeys.Passkey {
	return passkeys.Passkey{
		ID: i.ID, Name: i.Name, Key: passkeys.Key{
			CredentialID: i.Credential, Public: i.Public, SignCount: i.Count,
			Transports: i.Transports, Synced: i.Synced, BackedUp: i.BackedUp,
		},
		CustomerID: i.Customer, Generation: i.Generation,
		CreatedAt: items.Time(i.Created), LastUsedAt: items.Time(i.LastUsed), ClonedAt: items.Time(i.Cloned),
	}
}

// Set implements passkeys.Store with one strongly consistent read, and another one for a user of a customer.
func (s *Store) Set(ctx context.Context, userID string) (passkeys.Set, error) {
	stored, _, err := items.Get[setItem](ctx, items.In(s.client, s.table), passkeysets.Key(userID))
	set := passkeys.Set{UserID: userID, Version: stored.Version}
	for _, p := range stored.Passkeys {
		set.Passkeys = append(set.Passkeys, p.passkey())
	}
	if err != nil || len(set.Passkeys) == 0 || set.Passkeys[0].CustomerID == "" {
		return set, err
	}
	current, err := s.credentials.Customers.Generation(ctx, set.Passkeys[0].CustomerID)
	set.Passkeys = slices.DeleteFunc(set.Passkeys, func(p passkeys.Passkey) bool { return p.Generation < current })
	return set, err
}

// Add implements passkeys.Store.
func (s *Store) Add(ctx context.Context, set passkeys.Set, passkey passkeys.Passkey, by principal.Credential) error {
	var plan transactions.Plan
	plan.Add(passkeys.ErrCaller, s.credentials.Writes.StillWorks(by)...)
	plan.Add(passkeys.ErrRegistered, items.PutNew(s.table, markerKey(passkey)))
	plan.Add(versions.ErrStale, s.put(set, append(slices.Clone(set.Passkeys), passkey)))
	plan.Add(nil, s.audit(ctx, audit.PasskeyCreated, set.UserID, passkey)...)
	return plan.Write(ctx, s.client)
}

// Replace implements passkeys.Store.
func (s *Store) Replace(ctx context.Context, set passkeys.Set, passkey passkeys.Passkey) error {
	after := slices.Clone(set.Passkeys)
	after[indexOf(set, passkey)] = passkey
	var plan transactions.Plan
	plan.Add(versions.ErrStale, s.put(set, after))
	return plan.Write(ctx, s.client)
}

// Delete implements passkeys.Store.
func (s *Store) Delete(ctx context.Context, set passkeys.Set, passkey passkeys.Passkey) error {
	at := indexOf(set, passkey)
	var plan transactions.Plan
	plan.Add(versions.ErrStale, s.put(set, slices.Delete(slices.Clone(set.Passkeys), at, at+1)))
	plan.Add(nil, types.TransactWriteItem{Delete: &types.Delete{TableName: &s.table, Key: markerKey(passkey)}})
	plan.Add(nil, s.audit(ctx, audit.PasskeyDeleted, set.UserID, passkey)...)
	return plan.Write(ctx, s.client)
}

// passkeyForm is what audit events show of a passkey.
type passkeyForm struct {
	UserID string `json:"userId"`
	Name   string `json:"name"`
	Synced bool   `json:"synced"`
}

func (s *Store) audit(ctx context.Context, action audit.Action, userID string,
	p passkeys.Passkey) []types.TransactWriteItem {
	change := audit.Change{
		Action: action, Target: audit.Target{Kind: audit.Passkey, ID: p.ID, Name: p.Name}, CustomerID: p.CustomerID,
	}
	if form := (passkeyForm{UserID: userID, Name: p.Name, Synced: p.Synced}); action == audit.PasskeyDeleted {
		change.Before = form
	} else {
		change.After = form
	}
	return s.credentials.Audit(ctx, change)
}

// put returns the write that replaces the passkeys of a set, if the stored version is the version of the set.
func (s *Store) put(set passkeys.Set, after []passkeys.Passkey) types.TransactWriteItem {
	key := passkeysets.Key(set.UserID)
	stored := setItem{User: set.UserID, Version: set.Version + 1, Passkeys: make([]passkeyItem, len(after))}
	for i, p := range after {
		stored.Passkeys[i] = newPasskeyItem(p)
	}
	item := items.Encode(stored)
	item["pk"], item["sk"] = key["pk"], key["sk"]
	put := &types.Put{TableName: &s.table, Item: item, ConditionExpression: aws.String("attribute_not_exists(pk)")}
	if set.Version > 0 {
		put.ConditionExpression = aws.String("version = :version")
		put.ExpressionAttributeValues = items.Map{":version": items.Number(set.Version)}
	}
	return types.TransactWriteItem{Put: put}
}

// indexOf returns the position of a passkey, which must be in the set.
func indexOf(set passkeys.Set, passkey passkeys.Passkey) int {
	return slices.IndexFunc(set.Passkeys, func(p passkeys.Passkey) bool { return p.ID == passkey.ID })
}

func markerKey(passkey passkeys.Passkey) items.Map {
	sum := sha256.Sum256(passkey.CredentialID)
	return items.Key("passkey#"+hex.EncodeToString(sum[:]), "passkey")
}

// Put implements passkeys.Challenges.
func (s *Store) Put(ctx context.Context, c passkeys.Challenge) error {
	return s.challenges.Put(ctx, challenges.Challenge{
		Purpose: string(c.Purpose), Value: c.Value, Subject: c.UserID, ExpiresAt: c.ExpiresAt,
	})
}

// Take implements passkeys.Challenges.
func (s *Store) Take(ctx context.Context, purpose passkeys.Purpose, value []byte,
	at time.Time) (userID string, err error) {
	userID, found, err := s.challenges.Take(ctx, string(purpose), value, at)
	if err == nil && !found {
		return "", passkeys.ErrExpired
	}
	return userID, err
}

// The purposes of the items other than challenges.
const (
	signingKeyPurpose = "passkey-signing-key"
	usedPrefix        = "used-"
)

// PublishKey implements passkeys.Challenges.
func (s *Store) PublishKey(ctx context.Context, key passkeys.SigningKey) error {
	return s.challenges.Put(ctx, challenges.Challenge{
		Purpose: signingKeyPurpose, Value: key.ID, Subject: base64.RawStdEncoding.EncodeToString(key.Public),
		ExpiresAt: key.ExpiresAt,
	})
}

// SigningKey implements passkeys.Challenges.
func (s *Store) SigningKey(ctx context.Context, id []byte) (passkeys.SigningKey, error) {
	stored, found, err := s.challenges.Get(ctx, signingKeyPurpose, id)
	if err != nil {
		return passkeys.SigningKey{}, err
	}
	public, err := base64.RawStdEncoding.DecodeString(stored.Subject)
	if !found || err != nil || len(public) != ed25519.PublicKeySize {
		return passkeys.SigningKey{}, passkeys.ErrExpired
	}
	return passkeys.SigningKey{ID: id, Public: public, ExpiresAt: stored.ExpiresAt}, nil
}

// Use implements passkeys.Challenges. The mark stays until the challenge has expired.
func (s *Store) Use(ctx context.Context, purpose passkeys.Purpose, value []byte, expires time.Time) error {
	err := s.challenges.Put(ctx, challenges.Challenge{Purpose: usedPrefix + string(purpose), Value: value,
		ExpiresAt: expires})
	if errors.Is(err, challenges.ErrExists) {
		return passkeys.ErrExpired
	}
	return err
}
