package main

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/calendar"
	"portside/shared/core/fault"
	"portside/shared/core/paging"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/pulls"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// The types of entries in lists.
const (
	typePull  = "pull"
	typeCheck = "check"
)

// Pull is one download of a chart archive or an image manifest, or the update checks of a tag in an hour.
type Pull struct {
	ID         string     `json:"id" doc:"ID of the pull; never changes." example:"5f6c0a7b2e1101939f6e8a8e7d5ca3c1"`
	Type       string     `json:"type" enum:"pull,check" doc:"pull is a download. check stands for all requests in an hour for the manifest to which a tag leads, without a download. Programs that look for updates send them."`
	Checks     *int       `json:"checks" doc:"Number of update checks in the hour; checks in the same second count once. Null for a pull." example:"60"`
	Kind       pulls.Kind `json:"kind" enum:"chart,image"`
	Repository string     `json:"repository" doc:"Name of the chart, or repository of the image." example:"acme/api"`
	Reference  string     `json:"reference" doc:"Version of the chart, or the tag or digest that was requested of the image." example:"1.2.0"`
	Digest     *string    `json:"digest" doc:"Digest of the archive or manifest; for a check, the first digest of the hour. Null if unknown." example:"sha256:…"`
	TokenID    string     `json:"tokenId" doc:"Public ID of the token or password." example:"3vQB7B6MrGQZ"`
	OwnerID    string     `json:"ownerId" doc:"ID of the user who owns the token or password, or of the trust policy that issued the token." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	CustomerID *string    `json:"customerId" doc:"ID of the user's customer at the time of the pull; null for the vendor's staff." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
	Address    string     `json:"address" doc:"IP address of the client; for a check, of the first client of the hour." example:"203.0.113.9"`
	Client     string     `json:"client" doc:"User-Agent of the same client; at most 200 characters." example:"Helm/3.18.4"`
	At         time.Time  `json:"at" doc:"UTC; for a check, the start of its hour."`

	TokenName  *string `json:"tokenName" doc:"Name of the token or password, or the subject of the workload that exchanged it; null if the service has deleted it." example:"build pipeline"`
	OwnerEmail *string `json:"ownerEmail" doc:"Address of the user who owns the token or password; null for a trust policy, and after the user was deleted or, for users of a customer, has left the customer." example:"ada@example.com"`
	OwnerName  *string `json:"ownerName" doc:"Name of that user or trust policy; null after its deletion." example:"Ada Lovelace"`
}

func encodePull(p pulls.Pull, n names) Pull {
	owner := n.people[p.OwnerID]
	what, checks := typePull, (*int)(nil)
	if p.IsCheck {
		what, checks = typeCheck, &p.Checks
	}
	return Pull{
		ID: p.ID(), Type: what, Checks: checks, Kind: p.Kind, Repository: p.Repository, Reference: p.Reference, Digest: web.NullIfZero(p.Digest),
		TokenID: p.CredentialID, OwnerID: p.OwnerID, CustomerID: web.NullIfZero(p.CustomerID), Address: p.Address, Client: p.Client, At: p.At,
		TokenName: web.NullIfZero(n.tokens[p.CredentialID]), OwnerEmail: web.NullIfZero(owner.Email), OwnerName: web.NullIfZero(owner.Name),
	}
}

type listPullsInput struct {
	Token      string     `query:"token" doc:"Only pulls with the token or password that has this public ID." example:"3vQB7B6MrGQZ"`
	UserID     string     `query:"userId" format:"uuid" doc:"Only pulls with the tokens and passwords of this user." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	CustomerID string     `query:"customerId" format:"uuid" doc:"Only pulls of users of this customer." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
	Repository string     `query:"repository" maxLength:"255" pattern:"^[A-Za-z0-9._/-]+$" patternDescription:"the name of a chart or repository" doc:"Only pulls of the chart or image with this name." example:"acme/api"`
	Kind       pulls.Kind `query:"kind" enum:"chart,image" doc:"Only charts, or only images."`
	Type       string     `query:"type" enum:"pull,check" default:"pull" doc:"pull lists pulls. check lists update checks instead."`
	From       string     `query:"from" doc:"Start of the period: a date in UTC or an RFC 3339 time. Default: 30 days before to." example:"2026-11-01"`
	To         string     `query:"to" doc:"End of the period: a date in UTC, which is included, or an RFC 3339 time, which is excluded. Default: today. At most 400 days after from." example:"2026-11-21"`
	web.CursorPaging
}

// Resolve implements huma.Resolver.
func (in *listPullsInput) Resolve(huma.Context) []error {
	var failures []fault.Field
	if in.Token != "" && !credentials.IsID(in.Token) {
		failures = append(failures, fault.Field{Pointer: "query/token",
			Detail: "must be the public ID of a token: 12 letters and digits"})
	}
	return web.Failures(append(failures, in.period().Check()...))
}

func (in *listPullsInput) period() calendar.Period { return calendar.Period{From: in.From, To: in.To} }

// after returns the position of the cursor.
func (in *listPullsInput) after() (pulls.Position, error) {
	position, err := in.After()
	if _, isPosition := pulls.Position(position).At(); err == nil && position != "" && !isPosition {
		err = paging.ErrCursor
	}
	return pulls.Position(position), err
}

type listPullsOutput struct {
	Body struct {
		Data       []Pull               `json:"data"`
		Pagination web.CursorPagination `json:"pagination"`
	}
}

var listPulls = huma.Operation{
	OperationID: "listPulls", Tags: []string{"Tokens"},
	Summary: "List pulls",
	Description: "Returns the downloads of charts and images, newest first, each with its user, token, time and network address. " +
		"A pull is listed within a few minutes and for 400 days. Repeated requests for the same tag within a minute count as one pull. " +
		"Requests for manifests that belong to a pulled tag are usually part of its pull. Signatures, SBOMs and other attachments are not " +
		"listed.\n\n`type=check` lists update checks instead: a client asked with HEAD which manifest a tag leads to, and did not fetch it. " +
		"All checks of a tag with a token in an hour are one entry.\n\n" +
		"Your own pulls need no permission; those of other users need `tokens:read`. Without it, other users and their tokens have no " +
		"pulls. A user of a customer sees only pulls of this customer. A pull belongs to the customer that its user had at that time. A page can have fewer items than its limit although there is a next page.",
}

func (h *handlers) listPulls(ctx context.Context, in *listPullsInput) (*listPullsOutput, error) {
	caller, _ := principal.From(ctx)
	from, to, err := in.period().Bounds(h.now(), pulls.Precision)
	if err != nil {
		return nil, err
	}
	after, err := in.after()
	if err != nil {
		return nil, err
	}
	page, err := h.pulls.List(ctx, caller, pulls.Query{
		Credential: in.Token, Owner: resource.CanonicalID(in.UserID), Customer: resource.CanonicalID(in.CustomerID), Repository: in.Repository,
		Kind: in.Kind, IsChecks: in.Type == typeCheck, From: from, To: to, After: after, Limit: in.Limit,
	})
	if err != nil {
		return nil, err
	}
	named, err := h.directory.names(ctx, caller, page.Pulls)
	if err != nil {
		return nil, err
	}
	out := &listPullsOutput{}
	out.Body.Data = make([]Pull, len(page.Pulls))
	for i, p := range page.Pulls {
		out.Body.Data[i] = encodePull(p, named)
	}
	out.Body.Pagination = in.Pagination(paging.Position(page.Next))
	return out, nil
}
