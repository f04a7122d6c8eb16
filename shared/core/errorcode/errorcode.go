// Package errorcode has the codes of all problems, with their statuses and what clients should do.
//
// This list is the only one. The constants, the enum of `code` in openapi.yaml, the table in docs/errors.md and the
// page /docs/errors follow from it. A code never changes its meaning, because programs act on it.
package errorcode

import (
	"slices"
	"strings"
)

// Code identifies a kind of problem for programs.
type Code string

// The codes. [All] describes each of them.
const (
	ValidationError      Code = "VALIDATION_ERROR"
	Unauthorized         Code = "UNAUTHORIZED"
	Forbidden            Code = "FORBIDDEN"
	SignInRequired       Code = "SIGN_IN_REQUIRED"
	NotFound             Code = "NOT_FOUND"
	MethodNotAllowed     Code = "METHOD_NOT_ALLOWED"
	EmailTaken           Code = "EMAIL_TAKEN"
	SlugTaken            Code = "SLUG_TAKEN"
	ExternalIDTaken      Code = "EXTERNAL_ID_TAKEN"
	CustomerHasUsers     Code = "CUSTOMER_HAS_USERS"
	LastAdmin            Code = "LAST_ADMIN"
	TooManyCredentials   Code = "TOO_MANY_CREDENTIALS"
	TooManyUsers         Code = "TOO_MANY_USERS"
	TooManyEntitlements  Code = "TOO_MANY_ENTITLEMENTS"
	TooManyPolicies      Code = "TOO_MANY_TRUST_POLICIES"
	LineEnded            Code = "LINE_ENDED"
	Conflict             Code = "CONFLICT"
	PreconditionFailed   Code = "PRECONDITION_FAILED"
	PayloadTooLarge      Code = "PAYLOAD_TOO_LARGE"
	UnsupportedMediaType Code = "UNSUPPORTED_MEDIA_TYPE"
	Unprocessable        Code = "UNPROCESSABLE"
	IdempotencyKeyReused Code = "IDEMPOTENCY_KEY_REUSED"
	RateLimited          Code = "RATE_LIMITED"
	QuotaExceeded        Code = "QUOTA_EXCEEDED"
	InternalError        Code = "INTERNAL_ERROR"
	Unavailable          Code = "UNAVAILABLE"
)

// Page is the path of the page that describes all codes.
const Page = "/docs/errors"

// Type returns the type (RFC 9457) of a problem with this code: a reference to its section on [Page].
func (c Code) Type() string { return Page + "#" + string(c) }

// Status returns the HTTP status of the problems with the code. An unknown code is a defect and has the status of
// [InternalError].
func (c Code) Status() int {
	known := func(d Description) bool { return d.Code == c }
	if at := slices.IndexFunc(descriptions, known); at >= 0 {
		return descriptions[at].Status
	}
	return InternalError.Status()
}

// Description is what a client should know about a code. The texts are for people. Code in them is in backticks, as in
// Markdown.
type Description struct {
	Code    Code
	Status  int    // HTTP status
	Meaning string // what happened
	Action  string // what the client should do
}

// All returns the descriptions of all codes, ordered by status, with the general code of a status last.
func All() []Description { return slices.Clone(descriptions) }

// MarkdownTable returns the table of all codes for docs/errors.md.
func MarkdownTable() string {
	var table strings.Builder
	table.WriteString("| Status | `code` | Meaning | What to do |\n|---|---|---|---|\n")
	for _, d := range descriptions {
		table.WriteString(d.markdownRow())
	}
	return table.String()
}
