package sessions

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/credentials"
)

// MailRequest is a request for a sign-in mail.
type MailRequest struct {
	Email   string
	BaseURL string // of the portal, for the link in the mail
	Network string // of the client; see web.NetworkOf
	Known   string // text of the cookie of a known browser; empty without one
}

// MailRequested is the result of a MailRequest. It does not show whether the address belongs to a user.
type MailRequested struct {
	Browser   credentials.Secret // for the cookie of the browser
	ExpiresAt time.Time
}

// RequestMail mails a link and a code if the address belongs to an active user. It always takes
// Dependencies.RequestMailTime. Errors: validation, ErrTooManyMails, ErrTooManyRequests.
func (s *Service) RequestMail(ctx context.Context, in MailRequest) (MailRequested, error) {
	in.Email = principal.NormalEmail(in.Email)
	if failures := checkEmail(in.Email); len(failures) > 0 {
		return MailRequested{}, fault.Invalid(failures...)
	}
	known, err := s.knownBrowser(ctx, in.Known, in.Email)
	if err != nil {
		return MailRequested{}, err
	}
	if err := s.countMailRequest(ctx, in, known); err != nil {
		return MailRequested{}, err
	}
	return s.inRequestMailTime(ctx, func(ctx context.Context) (MailRequested, error) { return s.requestMail(ctx, in, known) })
}

// countMailRequest counts a request for a mail by the known browser with this ID, or by another browser if the ID is
// empty. The lowest limit of an address applies to each network separately, so that others who request mails for the
// address do not lock out its owner. A known browser has a separate limit, and the other limits do not apply to it.
func (s *Service) countMailRequest(ctx context.Context, in MailRequest, known string) error {
	if known != "" {
		browser := Counter{Name: "sign-in-mails-by", Subject: known, Window: mailsWindow, Limit: mailsPerKnownBrowser}
		return s.count(ctx, browser, ErrTooManyMails)
	}
	network := Counter{Name: "sign-in-mails-from", Subject: in.Network, Window: shortWindow, Limit: mailsPerNetwork}
	if err := s.count(ctx, network, ErrTooManyRequests); err != nil {
		return err
	}
	for _, mails := range []Counter{
		{Name: "sign-in-mails-from-to", Subject: in.Network + "#" + in.Email, Window: mailsWindow, Limit: mailsPerNetworkAndAddress},
		{Name: "sign-in-mails-to", Subject: in.Email, Window: mailsWindow, Limit: mailsPerAddress},
		{Name: "daily-sign-in-mails-to", Subject: in.Email, Window: dailyWindow, Limit: dailyMailsPerAddress},
	} {
		if err := s.count(ctx, mails, ErrTooManyMails); err != nil {
			return err
		}
	}
	return nil
}

// inRequestMailTime cancels request after RequestMailTime and never returns before, so that the duration does not show
// whether the address belongs to a user.
func (s *Service) inRequestMailTime(ctx context.Context, request func(context.Context) (MailRequested, error)) (MailRequested, error) {
	if s.RequestMailTime == 0 {
		return request(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, s.RequestMailTime)
	defer cancel()
	requested, err := request(limited)
	<-limited.Done()
	return requested, err
}

func (s *Service) requestMail(ctx context.Context, in MailRequest, known string) (MailRequested, error) {
	browser := credentials.Mint(credentials.Browser)
	request := Request{
		ID: browser.ID(), BrowserHash: browser.Hash(), Email: in.Email, CodeSalt: newSalt(), BaseURL: in.BaseURL,
		Known: known, ExpiresAt: s.now().Add(LinkLifetime),
	}
	person, err := s.People.PersonByEmail(ctx, in.Email)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return MailRequested{}, err
	}
	var due time.Time
	if err == nil && person.MayAct() {
		request.UserID, due = person.ID, s.now().Add(sendAfter)
	}
	if err := s.Requests.Add(ctx, request, due); err != nil {
		return MailRequested{}, err
	}
	if request.UserID != "" {
		s.trySend(ctx, request)
	}
	return MailRequested{Browser: browser, ExpiresAt: request.ExpiresAt}, nil
}

// trySend sends the mail. If that fails, the mail stays stored as unsent and SendDue sends it later. It reports no
// error, because the response must be the same for every address.
func (s *Service) trySend(ctx context.Context, request Request) {
	if err := s.send(ctx, request); err != nil {
		slog.WarnContext(ctx, "sign-in mail not sent yet", "user", request.UserID, "error", err)
	}
}

// OperatorLink returns a link with which an active user can sign in once, in any browser. It returns a fault of kind
// NotFound if no active user has the address.
func (s *Service) OperatorLink(ctx context.Context, email string) (credentials.Secret, time.Time, error) {
	person, err := s.People.PersonByEmail(ctx, principal.NormalEmail(email))
	if err == nil && !person.MayAct() {
		err = fault.New(fault.NotFound, "The user is not active.")
	}
	if err != nil {
		return credentials.Secret{}, time.Time{}, err
	}
	link := credentials.Mint(credentials.Link)
	request := Request{
		ID: link.ID(), Email: person.Email, UserID: person.ID, LinkHash: link.Hash(), CodeSalt: newSalt(),
		ExpiresAt: s.now().Add(OperatorLinkLifetime),
	}
	return link, request.ExpiresAt, s.Requests.Add(ctx, request, time.Time{})
}

// Visit describes the browser that sends a request.
type Visit struct {
	Device  string // see DeviceOf
	Browser string // text of the browser cookie; empty without one
	Session string // text of the session cookie; empty without one
	Known   string // text of the cookie of a known browser; empty without one
}

// SignInByLink begins a session with a link. Errors: ErrSignIn.
func (s *Service) SignInByLink(ctx context.Context, token string, visit Visit) (SignedIn, error) {
	link, err := credentials.Parse(token)
	if err != nil || link.Kind() != credentials.Link {
		return SignedIn{}, ErrSignIn
	}
	request, err := s.requestOf(ctx, link, visit)
	if err != nil {
		return SignedIn{}, err
	}
	if request.Tries >= MaxTries || !request.usable(s.now()) {
		return SignedIn{}, ErrSignIn
	}
	return s.useRequest(ctx, UsedRequest{Request: request}, visit)
}

// requestOf returns the request that the link belongs to: the request of this browser, or the request of an operator's
// link, which works in any browser. Errors: ErrSignIn.
func (s *Service) requestOf(ctx context.Context, link credentials.Secret, visit Visit) (Request, error) {
	if browser, ok := parseBrowser(visit.Browser); ok {
		request, err := s.Requests.Get(ctx, browser.ID())
		if err == nil && browser.Matches(request.BrowserHash) && link.Matches(request.LinkHash) {
			return request, nil
		}
		if err != nil && !errors.Is(err, ErrUnknown) {
			return Request{}, err
		}
	}
	request, err := s.Requests.Get(ctx, link.ID())
	if errors.Is(err, ErrUnknown) || err == nil && (request.BrowserHash != nil || !link.Matches(request.LinkHash)) {
		return Request{}, ErrSignIn
	}
	return request, err
}

// SignInByCode begins a session with a code, which the person types into the browser that requested the mail. Every
// call counts as a try. Errors: ErrSignIn, ErrTooManyCodes.
func (s *Service) SignInByCode(ctx context.Context, email, code string, visit Visit) (SignedIn, error) {
	request, err := s.tryCode(ctx, visit.Browser)
	if errors.Is(err, ErrUnknown) {
		return SignedIn{}, ErrSignIn
	}
	if err != nil {
		return SignedIn{}, err
	}
	matches := request.matchesCode(code) // takes the same time for unknown users
	if !matches || !request.usable(s.now()) || principal.NormalEmail(email) != request.Email {
		return SignedIn{}, ErrSignIn
	}
	return s.useRequest(ctx, UsedRequest{Request: request, ByCode: true}, visit)
}

// tryCode counts a try and returns the request of the browser with this cookie. The tries are limited across mails, so
// that many browsers together cannot guess a code; see codesOf. A try that this limit refuses does not count for the
// mail, so the mail's link still works. Errors: ErrUnknown, ErrTooManyCodes.
func (s *Service) tryCode(ctx context.Context, cookie string) (Request, error) {
	browser, ok := parseBrowser(cookie)
	if !ok {
		return Request{}, ErrUnknown
	}
	request, err := s.Requests.Get(ctx, browser.ID())
	if err != nil {
		return Request{}, err
	}
	if !browser.Matches(request.BrowserHash) || request.Tries >= MaxTries {
		return Request{}, ErrUnknown // a browser that knows only the id must not use up the tries
	}
	if err := s.count(ctx, codesOf(request), ErrTooManyCodes); err != nil {
		return Request{}, err
	}
	return s.Requests.CountTry(ctx, browser.ID())
}

// codesOf returns the counter of the tries for a request. All requests for an address share one counter, except those
// of a known browser. It has its own, so that strangers cannot use up the codes of the address's owner.
func codesOf(request Request) Counter {
	if request.Known != "" {
		return Counter{Name: "daily-codes-by", Subject: request.Known, Window: dailyWindow, Limit: dailyCodesPerKnownBrowser}
	}
	return Counter{Name: "daily-codes-for", Subject: request.Email, Window: dailyWindow, Limit: dailyCodesPerAddress}
}

func (s *Service) useRequest(ctx context.Context, used UsedRequest, visit Visit) (SignedIn, error) {
	return s.SignIn(ctx, SignIn{UserID: used.Request.UserID, Device: visit.Device, Session: visit.Session,
		Known: visit.Known, Used: &used})
}

func (r Request) usable(at time.Time) bool {
	return r.UserID != "" && r.LinkHash != nil && at.Before(r.ExpiresAt)
}

func parseBrowser(cookie string) (credentials.Secret, bool) {
	browser, err := credentials.Parse(cookie)
	return browser, err == nil && browser.Kind() == credentials.Browser
}

func checkEmail(address string) []fault.Field {
	if local, domain, found := strings.Cut(address, "@"); found && local != "" && domain != "" &&
		len(address) <= MaxEmail {
		return nil
	}
	return []fault.Field{{Pointer: "/email", Detail: "must be an email address such as ada@example.com"}}
}
