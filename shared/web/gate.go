package web

import (
	"context"
	"fmt"
	"math"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/credentials"
)

// Authenticator tells who presents a credential of one of the kinds; credentials.Authenticator is the real one.
type Authenticator interface {
	Authenticate(ctx context.Context, text string, kinds ...credentials.Kind) (principal.Principal, credentials.Allowance, error)
}

var errNotJSON = fault.New(fault.UnsupportedType, "The body must be JSON in UTF-8; send Content-Type: application/json.")

var errEncoded = fault.New(fault.UnsupportedType, "The body must be sent as it is, without Content-Encoding.")

func forbidden(needed principal.Permission) error {
	return fault.New(fault.Forbidden, "This needs the permission "+string(needed)+", which your role does not include; "+
		"GET /v1/users/{your id} shows your permissions.")
}

// gate lets a request pass to its operation with the principal on its context.
func (a *API) gate(access Access) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if access.public {
			next(ctx)
			return
		}
		r, w := humago.Unwrap(ctx)
		text, kind := access.presented(r)
		who, allowance, err := a.auth.Authenticate(r.Context(), text, kind)
		announce(w.Header(), allowance)
		recordOf(r).caller = who
		if err == nil && access.permission != "" && !who.Scoped() && !who.Can(access.permission) {
			err = forbidden(access.permission)
		}
		if access.tokens && fault.KindOf(err) == fault.Unauthorized {
			w.Header().Set("WWW-Authenticate", `Bearer realm="Portside"`)
		}
		if err != nil {
			refuse(w, r, err, allowance)
			return
		}
		next(huma.WithContext(ctx, principal.With(ctx.Context(), who)))
	}
}

// presented returns the credential that the request carries. The API key counts where there are both.
func (a Access) presented(r *http.Request) (text string, kind credentials.Kind) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if a.tokens && r.Header.Get("X-API-Key") == "" && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token), credentials.AccessToken
	}
	return r.Header.Get("X-API-Key"), credentials.APIKey
}

func refuse(w http.ResponseWriter, r *http.Request, err error, allowance credentials.Allowance) {
	p := problemOf(err)
	if p.Status == http.StatusTooManyRequests {
		p.header.Set("Retry-After", seconds(allowance))
	}
	recordOf(r).err = err
	p.write(w, r)
}

// announce tells the client its rate limit, in the fields of the IETF draft "RateLimit header fields for HTTP".
func announce(h http.Header, allowance credentials.Allowance) {
	if allowance.Limit == 0 {
		return
	}
	h.Set("RateLimit-Policy", fmt.Sprintf(`"credential";q=%d;w=60`, allowance.Limit))
	h.Set("RateLimit", fmt.Sprintf(`"credential";r=%d;t=%s`, allowance.Remaining, seconds(allowance)))
}

func seconds(allowance credentials.Allowance) string {
	return strconv.Itoa(int(math.Ceil(allowance.Reset.Seconds())))
}

// checkBody refuses a body that is too large, and one that is not plain JSON, where the operation takes no form. A packed one
// would look like broken JSON, since nobody unpacks it; and huma takes more media types for JSON, and fewer spellings, than
// there are.
func checkBody(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	if ctx.Operation().RequestBody == nil {
		next(ctx)
		return
	}
	recordOf(r).request = r
	if most := ctx.Operation().MaxBodyBytes; most > 1 && r.ContentLength >= most {
		refuse(w, r, tooLarge(ctx.Operation()), credentials.Allowance{})
		return
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		refuse(w, r, errEncoded, credentials.Allowance{})
		return
	}
	if _, form := ctx.Operation().RequestBody.Content[formType]; form {
		next(ctx)
		return
	}
	if !isJSON(r.Header.Get("Content-Type")) {
		refuse(w, r, errNotJSON, credentials.Allowance{})
		return
	}
	r.Header.Set("Content-Type", "application/json")
	next(ctx)
}

// isJSON takes application/json in UTF-8, which is all that RFC 8259 knows, and a request that does not say what it sends.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	media, parameters, err := mime.ParseMediaType(contentType)
	charset := parameters["charset"]
	return err == nil && media == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

// checkParameters finds what huma does not see: empty guards, and what a query string can hold but no parameter means: an unknown
// name, a name twice, an empty value, bad escapes, text that is not UTF-8. Otherwise a client's mistake would silently give it
// another page than it asked for. The failures are told together with those of the schema.
func checkParameters(ctx huma.Context, next func(huma.Context)) {
	r, _ := humago.Unwrap(ctx)
	recordOf(r).unread = slices.Concat(
		queryFailures(r.URL.RawQuery, parameters(ctx.Operation(), "query")), headerFailures(r.Header, parameters(ctx.Operation(), "header")),
	)
	next(ctx)
}

// parameters returns the names of an operation's parameters in the query or the header.
func parameters(op *huma.Operation, in string) []string {
	var names []string
	for _, p := range op.Parameters {
		if p.In == in {
			names = append(names, p.Name)
		}
	}
	return names
}

// guards are the headers that keep a request from doing harm. An empty one, as a script sends whose variable is empty, must not count
// as none.
var guards = []string{"If-Match", "Idempotency-Key"}

func headerFailures(sent http.Header, known []string) []fault.Field {
	var failures []fault.Field
	for _, name := range guards {
		values, present := sent[name]
		if present && slices.Contains(known, name) && strings.TrimSpace(strings.Join(values, "")) == "" {
			failures = append(failures, fault.Field{Pointer: "header/" + name, Detail: isEmpty})
		}
	}
	return failures
}

const isEmpty = "must not be empty; leave it out instead"

func queryFailures(raw string, known []string) []fault.Field {
	if raw == "" {
		return nil
	}
	query, err := url.ParseQuery(raw)
	if err != nil || !utf8.ValidString(raw) {
		return []fault.Field{{Pointer: "query", Detail: "must be name=value pairs joined by &, percent-encoded UTF-8"}}
	}
	var failures []fault.Field
	for name, values := range query {
		if detail := queryFailure(name, values, known); detail != "" {
			failures = append(failures, fault.Field{Pointer: "query/" + name, Detail: detail})
		}
	}
	slices.SortFunc(failures, func(a, b fault.Field) int { return strings.Compare(a.Pointer, b.Pointer) })
	return failures
}

func queryFailure(name string, values, known []string) string {
	switch {
	case !slices.Contains(known, name) && len(known) == 0:
		return "is not a parameter; there are none here"
	case !slices.Contains(known, name):
		return "is not a parameter; there are " + strings.Join(known, ", ")
	case len(values) > 1:
		return "must be given once"
	case values[0] == "":
		return isEmpty
	case !utf8.ValidString(values[0]):
		return "must be percent-encoded UTF-8"
	default:
		return ""
	}
}
