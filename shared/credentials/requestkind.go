package credentials

import (
	"context"
	"fmt"

	"portside/shared/core/fault"
)

// RequestKind is the kind of a request. Each kind has a separate limit per owner and minute. Each route has one kind.
type RequestKind int

// The kinds of requests.
const (
	// APIRequest is an operation of the API. Each one is counted, for the credential and its owner.
	APIRequest RequestKind = iota
	// ArtifactRequest gets a manifest, a list of tags or a file of a chart. It is counted in steps; see Step.
	ArtifactRequest
	// BlobRequest gets the address of a blob. It is also counted in steps, because clients fetch a layer in many parts
	// and ask for the address of each part.
	BlobRequest
)

// requestKinds are the properties of the kinds.
var requestKinds = map[RequestKind]struct {
	name   string // in keys of the table and in headers
	what   string // for people
	factor int    // the limit is this many times the API's
}{
	APIRequest:      {"credential", "requests to the API", 1},
	ArtifactRequest: {"artifacts", "requests for manifests, tags and charts", 4},
	BlobRequest:     {"blobs", "requests for image layers and other blobs", 40},
}

// String returns the name in keys of the table and in headers.
func (k RequestKind) String() string { return requestKinds[k].name }

// headTenths and wholeTenths are the costs of a HEAD and of any other request, in tenths of a request. A HEAD costs
// less because it transfers no content. HEAD of a blob is counted as GET of a manifest; see functions/images.
const (
	headTenths  = 1
	wholeTenths = 10
)

// load is the cost of a request, by its kind and method.
type load struct {
	kind   RequestKind
	isHead bool
}

func (l load) tenths() int {
	if l.isHead {
		return headTenths
	}
	return wholeTenths
}

type loadKey struct{}

// WithRequest returns a context with the kind of a request and whether it is a HEAD. Without it, a request counts as an
// APIRequest that is not a HEAD.
func WithRequest(ctx context.Context, kind RequestKind, isHead bool) context.Context {
	return context.WithValue(ctx, loadKey{}, load{kind, isHead})
}

func loadFrom(ctx context.Context) load {
	found, _ := ctx.Value(loadKey{}).(load)
	return found
}

// The errors of limits, each with the time until the minute ends. They come with an Allowance, too.
var (
	// ErrRateLimited means that the credential has used up its requests of the kind.
	ErrRateLimited = fault.New(fault.RateLimited, "This credential has used up its ")
	// ErrOwnerRateLimited means that the owner's credentials have used up theirs.
	ErrOwnerRateLimited = fault.New(fault.RateLimited, "The credentials of your user have together used up their ")
	// ErrCustomerRateLimited means that the credentials of the customer's users have used up theirs.
	ErrCustomerRateLimited = fault.New(fault.RateLimited, "The credentials of your customer's users have together used up their ")
)

// usedUp returns the error of a limit, which names the limit.
func usedUp(sentinel *fault.Error, limit int, what string) *fault.Error {
	detail := fmt.Sprintf("%d %s of this minute.", limit, what)
	if sentinel == ErrCustomerRateLimited {
		detail += " The vendor sets this limit."
	}
	return sentinel.With(detail)
}
