package imagesecr

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"portside/shared/images"
)

var errInvalidResponse = fmt.Errorf("%w: its response does not follow the specification", images.ErrUnavailable)

// Tags returns one page of the tags of a repository, and the query of the next page, or nil after the last one. Errors:
// as Fetch.
func (r *Registry) Tags(ctx context.Context, repository string,
	at url.Values) (tags []string, next url.Values, err error) {
	var list struct {
		Tags []string `json:"tags"`
	}
	next, err = r.list(ctx, images.Target{Kind: images.Tags, Repository: repository}, at, &list)
	return slices.DeleteFunc(list.Tags, func(tag string) bool { return !images.IsTag(tag) }), next, err
}

// Repositories returns the repositories of one page that match the pattern, and the query of the next page, or nil
// after the last one. Errors: as Fetch.
func (r *Registry) Repositories(ctx context.Context, at url.Values) (names []string, next url.Values, err error) {
	var list struct {
		Repositories []string `json:"repositories"`
	}
	next, err = r.list(ctx, images.Target{Kind: images.Catalog}, at, &list)
	names = slices.DeleteFunc(list.Repositories, func(name string) bool { return !r.Offers(name) })
	return append([]string{}, names...), next, err // not null in JSON
}

// maxPageNames is how many names All requests per page.
const maxPageNames = "1000"

// All returns the names on the first maxPages pages of a list, in the order of the registry.
func All(
	ctx context.Context, maxPages int, read func(context.Context, url.Values) ([]string, url.Values, error),
) ([]string, error) {
	all := []string{} // not nil, so that JSON has [] instead of null
	at := url.Values{"n": {maxPageNames}}
	for range maxPages {
		names, next, err := read(ctx, at)
		if err != nil {
			return nil, err
		}
		all = append(all, names...)
		if next == nil {
			break
		}
		at = next
	}
	return all, nil
}

func (r *Registry) list(ctx context.Context, target images.Target, at url.Values,
	into any) (next url.Values, err error) {
	answer, err := r.Fetch(ctx, Request{Method: http.MethodGet, Target: target, Query: at})
	if err != nil {
		return nil, err
	}
	return nextOf(answer.Header.Get("Link")), answer.Decode(into)
}

// Decode decodes a list.
func (r Response) Decode(into any) error {
	if err := json.Unmarshal(r.Body, into); err != nil {
		return errInvalidResponse
	}
	return nil
}

// nextOf parses a Link header with the address of the next page (RFC 8288).
func nextOf(link string) url.Values {
	address, _, found := strings.Cut(strings.TrimPrefix(link, "<"), ">")
	if !found {
		return nil
	}
	next, err := url.Parse(address)
	if err != nil {
		return nil
	}
	return next.Query()
}
