// Package openid lets people sign in with the identity provider of their organization, by the
// authorization code flow of OpenID Connect Core 1.0 with PKCE (RFC 7636).
//
// The provider replaces only the mailed link: it confirms the person's email address. So
// a person must already be an active user with that address, and the provider must say that it has
// verified the address. The package creates no users.
//
// A flow belongs to the browser that began it. The browser keeps a secret in a cookie, and the state,
// the nonce and the PKCE verifier are derived from the secret. So a flow cannot be finished in another browser,
// which would sign its person in to the wrong account. A state works once, for ten minutes.
package openid

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/credentials"
)

const (
	// Lifetime is how long a person may take to sign in at the provider.
	Lifetime = 10 * time.Minute
	// MaxAge is the maximum age of the sign-in at the provider. A new session can create secrets, so the provider must
	// authenticate the person again if the sign-in is older.
	MaxAge = credentials.SessionRecent
	// maxSkew is by how much the provider's clock may differ.
	maxSkew = time.Minute
)

// maxReturn is the largest address to return to, in bytes. It is in a cookie.
const maxReturn = 1000

// Home is the page that a flow opens by default.
const Home = "/portal/"

// The errors of a flow. The portal has a text for each.
var (
	ErrExpired = fault.New(fault.Unauthorized, "The sign-in took longer than 10 minutes, was finished before, or began in another "+
		"browser. Start again.")
	ErrCanceled = fault.New(fault.Unauthorized, "The sign-in was canceled at the identity provider.")
	ErrFailed   = fault.New(fault.Unauthorized, "The identity provider's response is not valid. Start again.")
	ErrTooOld   = fault.New(fault.Unauthorized, "You signed in at the identity provider more than 15 minutes ago. Sign out there, "+
		"and start again.")
	ErrUnverified  = fault.New(fault.Forbidden, "The identity provider does not confirm that the email address is yours.")
	ErrUnknownUser = fault.New(fault.Forbidden,
		"No active user has this email address. Ask an administrator for an account.")
	ErrUnavailable = fault.New(fault.Unavailable, "The identity provider does not answer, or is not set up correctly. Try again later, "+
		"or sign in by mail.")
)

// Flow has the values that identify one sign-in to the provider and to the service.
type Flow struct {
	State, Nonce, Verifier string
	RedirectURL            string // where the provider sends the browser back to
}

// Claims has the provider's statements about a person.
type Claims struct {
	Email           string
	EmailVerified   bool
	AuthenticatedAt time.Time // when the person signed in at the provider; zero if unknown
}

// Provider is an identity provider.
type Provider interface {
	// AuthorizationURL returns the page on which people sign in. Errors: ErrUnavailable.
	AuthorizationURL(ctx context.Context, flow Flow) (string, error)
	// Redeem exchanges a code for the claims in an ID token of the same flow. Errors: ErrUnavailable,
	// ErrFailed.
	Redeem(ctx context.Context, flow Flow, code string) (Claims, error)
	// Issuer returns the identifier of the provider.
	Issuer() string
}

// States keeps the states of flows until they are used.
type States interface {
	Put(ctx context.Context, state string, expires time.Time) error
	// Take removes a state. It returns false if the state does not exist or has expired.
	Take(ctx context.Context, state string, at time.Time) (bool, error)
}

// People finds users.
type People interface {
	// PersonByEmail returns the user with a normal address, or an error of the kind fault.NotFound.
	PersonByEmail(ctx context.Context, address string) (principal.Person, error)
}

// Dependencies are the parts that a Service uses.
type Dependencies struct {
	Provider Provider
	States   States
	People   People
	Now      func() time.Time
}

// Service signs people in.
type Service struct{ Dependencies }

// NewService returns a Service.
func NewService(d Dependencies) *Service { return &Service{d} }

// CheckReturn returns the validation failures of the page to return to.
func CheckReturn(page string) []fault.Field {
	if isOwnPage(page) {
		return nil
	}
	detail := fmt.Sprintf("must be a page of the portal, such as %saccess, of at most %d bytes", Home, maxReturn)
	return []fault.Field{{Pointer: "query/return", Detail: detail}}
}

// isOwnPage reports whether an address is a page of the portal on the same host.
func isOwnPage(page string) bool {
	isUnsafe := func(r rune) bool { return r == '\\' || unicode.IsControl(r) || r > unicode.MaxASCII }
	at, err := url.Parse(page)
	return err == nil && len(page) <= maxReturn && at.Scheme == "" && at.Host == "" &&
		!strings.ContainsFunc(page, isUnsafe) &&
		strings.HasPrefix(at.Path+"/", Home) && strings.HasPrefix(path.Clean(at.Path)+"/", Home)
}

// Started is a flow that a browser has begun.
type Started struct {
	Cookie   string // secret of this browser
	Location string // of the provider's page
}

// Begin begins a flow that ends on a page of the portal; see CheckReturn. Errors: validation, ErrUnavailable.
func (s *Service) Begin(ctx context.Context, redirectURL, page string) (Started, error) {
	if failures := CheckReturn(page); len(failures) > 0 {
		return Started{}, fault.Invalid(failures...)
	}
	secret := make([]byte, sha256.Size)
	_, _ = rand.Read(secret) // never fails: it ends the program if the system has no random source
	flow := deriveFlow(secret, redirectURL)
	location, err := s.Provider.AuthorizationURL(ctx, flow)
	if err != nil {
		return Started{}, err
	}
	cookie := base64.RawURLEncoding.EncodeToString(secret) + "." + base64.RawURLEncoding.EncodeToString([]byte(page))
	return Started{Cookie: cookie, Location: location}, s.States.Put(ctx, flow.State, s.Now().Add(Lifetime))
}

// deriveFlow derives the values of a flow from the browser's secret.
func deriveFlow(secret []byte, redirectURL string) Flow {
	derive := func(purpose string) string {
		mac := hmac.New(sha256.New, secret)
		_, _ = mac.Write([]byte(purpose)) // never fails
		return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
	return Flow{State: derive("state"), Nonce: derive("nonce"), Verifier: derive("verifier"), RedirectURL: redirectURL}
}

// Callback is the request with which the provider sends the browser back.
type Callback struct {
	Cookie      string // as Begin returned it; empty if the browser has none
	State       string
	Code        string
	Error       string // an error code of RFC 6749; empty if the person has signed in
	Issuer      string // RFC 9207; empty if the provider does not send it
	RedirectURL string // as in Begin
}

// Finished is a flow that has ended.
type Finished struct {
	Person          principal.Person // an active user
	AuthenticatedAt time.Time        // when the person signed in at the provider, not in the future; zero if the provider does not say it
	Page            string           // where to go; also set if the flow has failed
}

// Finish ends a flow. Errors: ErrExpired, ErrCanceled, ErrFailed, ErrTooOld, ErrUnverified, ErrUnknownUser,
// ErrUnavailable.
func (s *Service) Finish(ctx context.Context, c Callback) (Finished, error) {
	secret, page, err := parseCookie(c.Cookie)
	if err != nil {
		return Finished{Page: Home}, err
	}
	claims, err := s.redeem(ctx, deriveFlow(secret, c.RedirectURL), c)
	if err != nil {
		return Finished{Page: page}, err
	}
	person, err := s.person(ctx, claims)
	return Finished{Person: person, AuthenticatedAt: earlier(claims.AuthenticatedAt, s.Now()), Page: page}, err
}

func (s *Service) redeem(ctx context.Context, flow Flow, c Callback) (Claims, error) {
	if subtle.ConstantTimeCompare([]byte(flow.State), []byte(c.State)) == 0 {
		return Claims{}, ErrExpired
	}
	found, err := s.States.Take(ctx, flow.State, s.Now())
	switch {
	case err != nil:
		return Claims{}, err
	case !found:
		return Claims{}, ErrExpired
	case c.Issuer != "" && c.Issuer != s.Provider.Issuer():
		return Claims{}, ErrFailed
	case c.Error == "access_denied":
		return Claims{}, ErrCanceled
	case c.Error != "" || c.Code == "":
		return Claims{}, ErrFailed
	}
	return s.Provider.Redeem(ctx, flow, c.Code)
}

// person returns the active user whose address the provider has verified.
func (s *Service) person(ctx context.Context, claims Claims) (principal.Person, error) {
	if !claims.AuthenticatedAt.IsZero() && s.Now().Sub(claims.AuthenticatedAt) > MaxAge+maxSkew {
		return principal.Person{}, ErrTooOld
	}
	if claims.Email == "" || !claims.EmailVerified {
		return principal.Person{}, ErrUnverified
	}
	isNonASCII := func(r rune) bool { return r > unicode.MaxASCII } // ToLower maps some to ASCII letters, so two addresses could become equal
	if strings.ContainsFunc(claims.Email, isNonASCII) {
		return principal.Person{}, ErrUnknownUser
	}
	person, err := s.People.PersonByEmail(ctx, principal.NormalEmail(claims.Email))
	if fault.KindOf(err) == fault.NotFound || err == nil && !person.MayAct() {
		return principal.Person{}, ErrUnknownUser
	}
	return person, err
}

// earlier returns the earlier one of two times.
func earlier(a, b time.Time) time.Time {
	if a.After(b) {
		return b
	}
	return a
}

// parseCookie parses the cookie that Begin returned.
func parseCookie(cookie string) (secret []byte, page string, err error) {
	first, second, _ := strings.Cut(cookie, ".")
	secret, secretErr := base64.RawURLEncoding.DecodeString(first)
	text, pageErr := base64.RawURLEncoding.DecodeString(second)
	if secretErr != nil || pageErr != nil || len(secret) != sha256.Size || !isOwnPage(string(text)) {
		return nil, "", ErrExpired
	}
	return secret, string(text), nil
}
