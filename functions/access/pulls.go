package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/pulls"
	"portside/shared/web"
)

// Pull is one chart archive or image manifest that was fetched.
type Pull struct {
	ID         string     `json:"id" doc:"Always the same for the same pull." example:"5f6c0a7b2e1101939f6e8a8e7d5ca3c1"`
	Kind       pulls.Kind `json:"kind" enum:"chart,image"`
	Repository string     `json:"repository" doc:"Name of the chart, or repository of the image." example:"acme/api"`
	Reference  string     `json:"reference" doc:"Version of the chart, tag of the image, or the digest where that was asked for." example:"1.2.0"`
	Digest     *string    `json:"digest" doc:"Of the archive or manifest; null where it is not known." example:"sha256:…"`
	TokenID    string     `json:"tokenId" doc:"Public id of the token or password." example:"3vQB7B6MrGQZ"`
	OwnerID    string     `json:"ownerId" doc:"Id of the user whom the token or password belongs to." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Address    string     `json:"address" doc:"IP address of the client." example:"203.0.113.9"`
	Client     string     `json:"client" doc:"What the client calls itself; at most 200 characters." example:"Helm/3.18.4"`
	At         time.Time  `json:"at" doc:"UTC."`
}

func pullForm(p pulls.Pull) Pull {
	return Pull{
		ID: p.ID(), Kind: p.Kind, Repository: p.Repository, Reference: p.Reference, Digest: optional(p.Digest),
		TokenID: p.CredentialID, OwnerID: p.OwnerID, Address: p.Address, Client: p.Client, At: p.At,
	}
}

type listPullsInput struct {
	Token      string     `query:"token" doc:"Only pulls with the token or password of this public id." example:"3vQB7B6MrGQZ"`
	Repository string     `query:"repository" maxLength:"255" pattern:"^[A-Za-z0-9._/-]+$" patternDescription:"the name of a chart or repository" doc:"Only pulls of the chart or image of this name." example:"acme/api"`
	Kind       pulls.Kind `query:"kind" enum:"chart,image" doc:"Only charts, or only images."`
	From       string     `query:"from" doc:"Date in UTC or RFC 3339 time of the oldest pulls; left out: 30 days before to." example:"2026-11-01"`
	To         string     `query:"to" doc:"Date in UTC, which is included, or RFC 3339 time, which is not; left out: today. At most 400 days after from." example:"2026-11-21"`
	Limit      int        `query:"limit" default:"20" minimum:"1" maximum:"100" doc:"Pulls on a page."`
	Cursor     string     `query:"cursor" maxLength:"200" doc:"Where the page begins: pagination.next of the page before, with the same other parameters."`
}

// Resolve implements huma.Resolver.
func (in *listPullsInput) Resolve(huma.Context) []error {
	var failures []fault.Field
	if in.Token != "" && !credentials.IsID(in.Token) {
		failures = append(failures, fault.Field{Pointer: "query/token", Detail: "must be the public id of a token: 12 letters and digits"})
	}
	for name, text := range map[string]string{"from": in.From, "to": in.To} {
		if _, _, ok := moment(text); text != "" && !ok {
			failures = append(failures, fault.Field{Pointer: "query/" + name, Detail: badMoment})
		}
	}
	return web.Failures(failures)
}

const badMoment = "must be a date such as 2026-11-21 or an RFC 3339 time such as 2026-11-21T08:30:00Z, in the years 2000 to 9998; " +
	"in a query, write + as %2B"

// moment reads a date or a time.
func moment(text string) (at time.Time, isDate, ok bool) {
	at, err := time.Parse(time.DateOnly, text)
	isDate = err == nil
	if err != nil {
		at, err = time.Parse(time.RFC3339, text)
	}
	at = at.UTC()
	return at, isDate, err == nil && at.Year() >= 2000 && at.Year() <= 9998
}

const (
	defaultSpan = 30 // days
	longestSpan = 400 * 24 * time.Hour
)

// span is the time that is asked for, from inclusive, to exclusive. What is cut off below a millisecond is rounded up, so
// that both keep their meaning.
func (in *listPullsInput) span(now time.Time) (from, to time.Time, err error) {
	to, isDate, _ := moment(in.To)
	if in.To == "" {
		to, isDate = now.UTC().Truncate(24*time.Hour), true
	}
	if isDate {
		to = to.AddDate(0, 0, 1)
	}
	from = to.AddDate(0, 0, -defaultSpan)
	if in.From != "" {
		from, _, _ = moment(in.From)
	}
	switch {
	case !from.Before(to):
		return from, to, fault.Invalid(fault.Field{Pointer: "query/from", Detail: "must be before to"})
	case to.Sub(from) > longestSpan:
		return from, to, fault.Invalid(fault.Field{Pointer: "query/from", Detail: "must be at most 400 days before to"})
	}
	return roundUp(from), roundUp(to), nil
}

func roundUp(at time.Time) time.Time {
	return at.Add(time.Millisecond - time.Nanosecond).Truncate(time.Millisecond)
}

// mark is the first bytes of a cursor. They differ from list to list, so that a cursor of another list is noticed; they keep
// nobody out, and need not: a position gives access to nothing.
func (in *listPullsInput) mark(caller principal.Principal) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{
		caller.UserID, in.Token, in.Repository, string(in.Kind), in.From, in.To,
	}, "\x00")))
	return string(sum[:8])
}

func (in *listPullsInput) after(caller principal.Principal) (pulls.Position, error) {
	if in.Cursor == "" {
		return "", nil
	}
	text, err := base64.RawURLEncoding.Strict().DecodeString(in.Cursor)
	position, ours := strings.CutPrefix(string(text), in.mark(caller))
	if _, ok := pulls.Position(position).At(); err != nil || !ours || !ok {
		return "", fault.Invalid(fault.Field{
			Pointer: "query/cursor", Detail: "must be pagination.next of a page of this list; start again without it",
		})
	}
	return pulls.Position(position), nil
}

func (in *listPullsInput) cursor(caller principal.Principal, next pulls.Position) *string {
	if next == "" {
		return nil
	}
	text := base64.RawURLEncoding.EncodeToString([]byte(in.mark(caller) + string(next)))
	return &text
}

// CursorPagination says where a page lies in a list that is too long to be counted.
type CursorPagination struct {
	Limit   int     `json:"limit" doc:"Most that a page has." example:"20"`
	HasMore bool    `json:"hasMore" doc:"Whether there may be a page after this one."`
	Next    *string `json:"next" doc:"What cursor must be for the next page; null on the last one."`
}

type listPullsOutput struct {
	Body struct {
		Data       []Pull           `json:"data"`
		Pagination CursorPagination `json:"pagination"`
	}
}

func (h *handlers) listPulls(ctx context.Context, in *listPullsInput) (*listPullsOutput, error) {
	caller, _ := principal.From(ctx)
	from, to, err := in.span(h.now())
	if err != nil {
		return nil, err
	}
	after, err := in.after(caller)
	if err != nil {
		return nil, err
	}
	page, err := h.pulls.List(ctx, caller, pulls.Query{
		Credential: in.Token, Repository: in.Repository, Kind: in.Kind, From: from, To: to, After: after, Limit: in.Limit,
	})
	if err != nil {
		return nil, err
	}
	out := &listPullsOutput{}
	out.Body.Data = make([]Pull, len(page.Pulls))
	for i, p := range page.Pulls {
		out.Body.Data[i] = pullForm(p)
	}
	out.Body.Pagination = CursorPagination{Limit: in.Limit, HasMore: page.Next != "", Next: in.cursor(caller, page.Next)}
	return out, nil
}
