// Package pulls logs the downloads of customers: which chart or image, with which credential, when
// and from where. Separately, it logs update checks: requests that only ask which manifest a tag
// leads to.
//
// A function that serves a pull only logs one line ([Log]). Another function receives the lines,
// parses them ([Read]) and records them ([Store]). So recording can neither delay nor fail a pull.
// Lines may be delivered twice, in any order and in several batches; the id of a pull ([Pull.ID])
// ensures that it is counted once.
package pulls

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Kind is the kind of artifact that was fetched.
type Kind string

// The kinds.
const (
	Chart Kind = "chart"
	Image Kind = "image"
)

// Pull is one chart archive, or one manifest, that was served to a client. A client that asks for a
// tag may then fetch what the manifest names by digest; those pulls are logged but not counted.
//
// With IsCheck, it is an update check instead: a client asked which manifest a tag leads to, and
// fetched nothing. Fleets check every minute, so checks are recorded by the hour ([Pull.Hour]).
type Pull struct {
	At           time.Time `json:"at"`
	Kind         Kind      `json:"kind"`
	Repository   string    `json:"repository"` // name of the chart, or repository of the image, such as acme/api
	Reference    string    `json:"reference"`  // version or tag; the digest if the client asked for that
	Digest       string    `json:"digest"`     // such as sha256:…; empty if it is not known
	CredentialID string    `json:"credential"`
	OwnerID      string    `json:"owner"`
	CustomerID   string    `json:"customer,omitempty"` // the owner's customer at that time; empty for the vendor's staff
	Address      string    `json:"address"`
	Client       string    `json:"client"` // the client's own name
	IsCheck      bool      `json:"check,omitempty"`
	Checks       int       `json:"-"` // in lists: the number of seconds of the hour with a check
}

// Limits of a pull's fields, in bytes except for the client's name, which is in characters.
const (
	MaxClient  = 200
	maxAddress = 64
	maxName    = 255 // of repository, reference and ids
)

// Retention is how long a pull is kept.
const Retention = 400 * 24 * time.Hour

// message is the text by which the subscriptions in template.yaml filter.
const message = "pull"

// Log writes the pull to slog's default logger, as a line that Read can parse. It shortens the
// client's name to MaxClient printable characters and rounds the time down to milliseconds.
func Log(ctx context.Context, p Pull) {
	slog.InfoContext(ctx, message, message, p.clean())
}

// ByDigest reports whether the client asked for a digest instead of a version or tag.
func (p Pull) ByDigest() bool { return p.Reference == p.Digest }

// clean returns the pull in the form that Read returns it.
func (p Pull) clean() Pull {
	p.At = p.At.UTC().Truncate(time.Millisecond)
	p.Address = printable(p.Address, maxAddress)
	p.Client = printable(p.Client, MaxClient)
	return p
}

// printable removes characters that cannot be printed, and returns at most
// maxCharacters.
func printable(s string, maxCharacters int) string {
	var kept strings.Builder
	for _, r := range s {
		if maxCharacters == 0 {
			break
		}
		if r != utf8.RuneError && unicode.IsPrint(r) {
			kept.WriteRune(r)
			maxCharacters--
		}
	}
	return kept.String()
}

// Hour returns the start of the hour, which is the time of a check in lists.
func (p Pull) Hour() time.Time { return p.At.UTC().Truncate(time.Hour) }

// ID identifies a pull by 32 hexadecimal digits. They depend on all its fields except the owner and the customer,
// and on the time only to the minute, because clients repeat requests. The ID of a check stands for all checks of a tag
// with a credential in an hour.
func (p Pull) ID() string {
	parts := []string{
		p.CredentialID, string(p.Kind), p.Repository, p.Reference, p.Digest, p.Address, p.Client,
		p.At.UTC().Truncate(time.Minute).Format(time.RFC3339),
	}
	if p.IsCheck {
		parts = []string{"check", p.CredentialID, string(p.Kind), p.Repository, p.Reference, p.Hour().Format(time.RFC3339)}
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}
