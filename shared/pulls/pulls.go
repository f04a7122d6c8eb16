// Package pulls is the log of what customers fetch: which chart or image, with which credential, when and from where.
//
// A function that serves a pull logs one line ([Log]) and is done with it. The lines reach another function, which reads
// them back ([Read]) and records them ([Store]). So recording can neither delay nor fail a pull. Lines may be delivered
// twice, in any order and in several pieces; a pull is counted once all the same, because it knows who it is ([Pull.ID]).
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

// Kind is what was fetched.
type Kind string

// The kinds.
const (
	Chart Kind = "chart"
	Image Kind = "image"
)

// Pull is one chart archive, or one manifest, that was given to a client. A client that asks for a tag may go on to fetch the
// parts of what it names by their digests; those pulls are in the log and not in the counts.
type Pull struct {
	At           time.Time `json:"at"`
	Kind         Kind      `json:"kind"`
	Repository   string    `json:"repository"` // name of the chart, or repository of the image, such as acme/api
	Reference    string    `json:"reference"`  // version or tag; the digest where that was asked for
	Digest       string    `json:"digest"`     // such as sha256:…; empty where it is not known
	CredentialID string    `json:"credential"`
	OwnerID      string    `json:"owner"`
	Address      string    `json:"address"`
	Client       string    `json:"client"` // what the client calls itself
}

// Bounds of a pull's fields: in characters what the client says, otherwise in bytes.
const (
	MaxClient  = 200
	maxAddress = 64
	maxName    = 255 // of repository, reference and ids
)

// Retention is how long a pull is kept.
const Retention = 400 * 24 * time.Hour

// message is what the subscriptions in template.yaml filter by.
const message = "pull"

// Log writes the pull to slog's default logger, as a line that Read understands. What the client says of itself is cut to
// MaxClient characters that can be printed; times are cut to milliseconds.
func Log(ctx context.Context, p Pull) {
	slog.InfoContext(ctx, message, message, p.clean())
}

// ByDigest reports whether the client asked for a digest and not for a version or tag.
func (p Pull) ByDigest() bool { return p.Reference == p.Digest }

// clean returns the pull as it can be written and read back without a change.
func (p Pull) clean() Pull {
	p.At = p.At.UTC().Truncate(time.Millisecond)
	p.Address = printable(p.Address, maxAddress)
	p.Client = printable(p.Client, MaxClient)
	return p
}

// printable leaves out what cannot be printed, and cuts the rest to at most so many characters.
func printable(s string, most int) string {
	var kept strings.Builder
	for _, r := range s {
		if most == 0 {
			break
		}
		if r != utf8.RuneError && unicode.IsPrint(r) {
			kept.WriteRune(r)
			most--
		}
	}
	return kept.String()
}

// ID tells pulls apart: 32 hexadecimal digits that depend on everything in a pull but its owner, and on its time only by
// the minute. Clients ask for a manifest twice, by HEAD and by GET; within a minute that is one pull.
func (p Pull) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{
		p.CredentialID, string(p.Kind), p.Repository, p.Reference, p.Digest, p.Address, p.Client,
		p.At.UTC().Truncate(time.Minute).Format(time.RFC3339),
	}, "\x00")))
	return hex.EncodeToString(sum[:16])
}
