package passkeys_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/dynamo/transactions"
	"portside/shared/sessions/passkeys"
	"portside/shared/sessions/passkeys/passkeysdynamo"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/passkeytest"
	"portside/shared/testkit/webtest"
)

func TestRegisterAndSignIn(t *testing.T) {
	f := newFixture(t)
	a := f.authenticator()
	made, err := f.register(f.ada, a)
	if err != nil || made.Name != "laptop" || !made.CreatedAt.Equal(f.clock.Now()) {
		t.Fatalf("registered %+v, %v", made, err)
	}
	f.clock.Advance(time.Hour)
	if user, err := f.signIn(a); err != nil || user != f.ada.UserID {
		t.Fatalf("signed in %q, %v", user, err)
	}
	all := f.list()
	if len(all) != 1 || all[0].ID != made.ID || !all[0].LastUsedAt.Equal(f.clock.Now()) ||
		all[0].Transports[0] != "internal" {
		t.Errorf("listed %+v", all)
	}
	if err := f.service.Delete(t.Context(), f.ada, made.ID); err != nil {
		t.Fatal(err)
	}
	if err := f.service.Delete(t.Context(), f.ada, made.ID); !errors.Is(err, passkeys.ErrNotFound) {
		t.Errorf("the second deletion: %v", err)
	}
	if _, err := f.signIn(a); !errors.Is(err, passkeys.ErrSignIn) {
		t.Errorf("a deleted passkey: %v", err)
	}
}

// TestRegistrationsFollowTheRules changes one thing in each registration.
//
//proves:docs/security.md
func TestRegistrationsFollowTheRules(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*passkeytest.Authenticator)
		want   error
	}{
		"synced": {func(a *passkeytest.Authenticator) {
			a.Flags |= passkeytest.BackupEligible | passkeytest.BackedUp
		}, nil},
		"backed up without being eligible": {func(a *passkeytest.Authenticator) { a.Flags |= passkeytest.BackedUp }, passkeys.ErrRefused},
		"another origin":                   {func(a *passkeytest.Authenticator) { a.Origin = "https://portal.example.net" }, passkeys.ErrRefused},
		"another port":                     {func(a *passkeytest.Authenticator) { a.Origin += ":8443" }, passkeys.ErrRefused},
		"without TLS":                      {func(a *passkeytest.Authenticator) { a.Origin = "http://portal.example.com" }, passkeys.ErrRefused},
		"another site":                     {func(a *passkeytest.Authenticator) { a.SiteID = "example.com" }, passkeys.ErrRefused},
		"unverified user":                  {func(a *passkeytest.Authenticator) { a.Flags &^= passkeytest.UserVerified }, passkeys.ErrRefused},
		"absent user":                      {func(a *passkeytest.Authenticator) { a.Flags &^= passkeytest.UserPresent }, passkeys.ErrRefused},
		"another form of attestation":      {func(a *passkeytest.Authenticator) { a.Format = "apple" }, passkeys.ErrRefused},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			a := f.authenticator()
			c.change(a)
			if _, err := f.register(f.ada, a); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", name, err, c.want)
			}
			if n := len(f.list()); (n == 1) != (c.want == nil) {
				t.Errorf("%s: %d passkeys", name, n)
			}
		})
	}
}

// TestSignInsFollowTheRules changes one thing in each sign-in.
//
//proves:docs/security.md
func TestSignInsFollowTheRules(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*passkeytest.Authenticator)
		want   error
	}{
		"another origin":       {func(a *passkeytest.Authenticator) { a.Origin = "https://portal.example.net" }, passkeys.ErrSignIn},
		"another site":         {func(a *passkeytest.Authenticator) { a.SiteID = "example.com" }, passkeys.ErrSignIn},
		"unverified user":      {func(a *passkeytest.Authenticator) { a.Flags &^= passkeytest.UserVerified }, passkeys.ErrSignIn},
		"absent user":          {func(a *passkeytest.Authenticator) { a.Flags &^= passkeytest.UserPresent }, passkeys.ErrSignIn},
		"suddenly synced":      {func(a *passkeytest.Authenticator) { a.Flags |= passkeytest.BackupEligible }, passkeys.ErrSignIn},
		"no user handle":       {func(a *passkeytest.Authenticator) { a.UserHandle = nil }, passkeys.ErrSignIn},
		"a short user handle":  {func(a *passkeytest.Authenticator) { a.UserHandle = a.UserHandle[:8] }, passkeys.ErrSignIn},
		"an unknown user":      {func(a *passkeytest.Authenticator) { a.UserHandle = make([]byte, 16) }, passkeys.ErrSignIn},
		"an unknown passkey":   {func(a *passkeytest.Authenticator) { a.CredentialID = make([]byte, 32) }, passkeys.ErrSignIn},
		"without a deviation":  {func(*passkeytest.Authenticator) {}, nil},
		"the first count ever": {func(a *passkeytest.Authenticator) { a.Counter = 1 }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			a := f.registered()
			c.change(a)
			if _, err := f.signIn(a); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", name, err, c.want)
			}
		})
	}
}

// TestSignInNeedsTheKey presents a passkey of ada with the key of another authenticator, or as another user.
func TestSignInNeedsTheKey(t *testing.T) {
	f := newFixture(t)
	owned, forged := f.registered(), f.authenticator()
	forged.CredentialID, forged.UserHandle = owned.CredentialID, owned.UserHandle
	if _, err := f.signIn(forged); !errors.Is(err, passkeys.ErrSignIn) {
		t.Errorf("another key: %v", err)
	}
	bob := f.caller()
	other := f.authenticator()
	if _, err := f.register(bob, other); err != nil {
		t.Fatal(err)
	}
	other.UserHandle = owned.UserHandle // bob's key as ada
	if _, err := f.signIn(other); !errors.Is(err, passkeys.ErrSignIn) {
		t.Errorf("a key of another user: %v", err)
	}
}

func TestNobodyRegistersACredentialTwice(t *testing.T) {
	f := newFixture(t)
	a := f.registered()
	for name, who := range map[string]principal.Principal{"the same user": f.ada, "another user": f.caller()} {
		t.Run(name, func(t *testing.T) {
			if _, err := f.register(who, a); !errors.Is(err, passkeys.ErrRegistered) {
				t.Error(err)
			}
		})
	}
}

//proves:docs/security.md
func TestChallengesWorkOnceAndForOnePurpose(t *testing.T) {
	f := newFixture(t)
	a := f.registered()
	response := a.Get(t, f.requestOptions())
	for i, want := range []error{nil, passkeys.ErrExpired} {
		if _, err := f.service.SignIn(t.Context(), site, response); !errors.Is(err, want) {
			t.Errorf("use %d of a response: %v, want %v", i+1, err, want)
		}
	}
	if _, err := f.service.SignIn(t.Context(), site, a.Get(t, f.creationOptions(f.ada))); !errors.Is(err,
		passkeys.ErrExpired) {
		t.Errorf("a challenge of a registration: %v", err)
	}
	late := f.requestOptions()
	f.clock.Advance(passkeys.ChallengeLifetime)
	if _, err := f.service.SignIn(t.Context(), site, a.Get(t, late)); !errors.Is(err, passkeys.ErrExpired) {
		t.Errorf("an expired challenge: %v", err)
	}
	if _, err := f.service.SignIn(t.Context(), site, a.Get(t, json.RawMessage(`{"challenge":"!"}`))); !errors.Is(err,
		passkeys.ErrExpired) {
		t.Errorf("an invented challenge: %v", err)
	}
}

// TestStrangersCannotUseUpChallenges has a stranger request many challenges and send wrong responses. Each costs one
// read and no write, and ada can still sign in.
//
//proves:docs/security.md
func TestStrangersCannotUseUpChallenges(t *testing.T) {
	f := newFixture(t)
	a, forged := f.registered(), f.authenticator()
	forged.CredentialID, forged.UserHandle = a.CredentialID, a.UserHandle
	client, meter := awstest.Metered(f.client)
	service := f.on(passkeysdynamo.New(client, f.table))
	options := func() json.RawMessage {
		challenge, err := service.BeginSignIn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return json.RawMessage(fmt.Sprintf(`{"challenge":%q}`, base64.RawURLEncoding.EncodeToString(challenge)))
	}
	first := options()
	if meter.WriteUnits() != 1 {
		t.Errorf("the first challenge of a process cost %v write units, want 1 for its key", meter.WriteUnits())
	}
	meter.Reset()
	for i := range 1000 {
		if options(); meter.Calls() > 0 {
			t.Fatalf("challenge %d cost a call", i+1)
		}
	}
	for i := range 500 {
		meter.Reset()
		_, err := service.SignIn(t.Context(), site, forged.Get(t, first))
		if !errors.Is(err, passkeys.ErrSignIn) || meter.Calls() != 1 || meter.ReadUnits() > 1 {
			t.Fatalf("wrong answer %d: %v, %d calls", i+1, err, meter.Calls())
		}
	}
	if user, err := service.SignIn(t.Context(), site, a.Get(t, first)); err != nil || user.UserID != f.ada.UserID {
		t.Errorf("the passkey of ada: %+v, %v", user, err)
	}
	expired := options()
	f.clock.Advance(passkeys.ChallengeLifetime)
	meter.Reset()
	if _, err := service.SignIn(t.Context(), site, a.Get(t, expired)); !errors.Is(err, passkeys.ErrExpired) ||
		meter.Calls() > 0 {
		t.Errorf("an expired challenge: %v, %d calls", err, meter.Calls())
	}
}

// TestChallengesAreSigned changes each byte of a challenge. No changed challenge works, and a process that does not
// know the key needs one read to refuse it.
//
//proves:docs/security.md
func TestChallengesAreSigned(t *testing.T) {
	f := newFixture(t)
	a := f.registered()
	challenge, err := f.service.BeginSignIn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client, meter := awstest.Metered(f.client)
	other := f.on(passkeysdynamo.New(client, f.table))
	signIn := func(challenge []byte) error {
		options := fmt.Sprintf(`{"challenge":%q}`, base64.RawURLEncoding.EncodeToString(challenge))
		_, err := other.SignIn(t.Context(), site, a.Get(t, json.RawMessage(options)))
		return err
	}
	for i := range challenge {
		challenge[i] ^= 1
		meter.Reset()
		if err := signIn(challenge); !errors.Is(err, passkeys.ErrExpired) || meter.Calls() > 1 {
			t.Errorf("byte %d: %v, %d calls", i, err, meter.Calls())
		}
		challenge[i] ^= 1
	}
	for _, odd := range [][]byte{nil, challenge[:95], append(bytes.Clone(challenge), 0)} {
		if err := signIn(odd); !errors.Is(err, passkeys.ErrExpired) {
			t.Errorf("%d bytes: %v", len(odd), err)
		}
	}
	if err := signIn(challenge); err != nil {
		t.Errorf("unchanged, in another process: %v", err)
	}
}

// TestKeysOfChallengesEnd has a process run for two hours, and another one check its challenges.
//
//proves:docs/security.md
func TestKeysOfChallengesEnd(t *testing.T) {
	f := newFixture(t)
	a, other := f.registered(), f.on(f.store)
	for range 24 {
		options := f.requestOptions()
		f.clock.Advance(passkeys.ChallengeLifetime - time.Second)
		if _, err := other.SignIn(t.Context(), site, a.Get(t, options)); err != nil {
			t.Errorf("at %v: %v", f.clock.Now(), err)
		}
	}
}

//proves:docs/security.md
func TestRegistrationNeedsTheCallersOwnChallenge(t *testing.T) {
	f := newFixture(t)
	bob, a := f.caller(), f.authenticator()
	response := a.Create(t, f.creationOptions(bob))
	input := passkeys.New{Name: "laptop", Response: response}
	if _, err := f.service.Register(t.Context(), f.ada, site, input); !errors.Is(err, passkeys.ErrRegistrationExpired) {
		t.Errorf("the challenge of another user: %v", err)
	}
	response = a.Create(t, f.signInOptionsWithUser())
	input = passkeys.New{Name: "laptop", Response: response}
	if _, err := f.service.Register(t.Context(), f.ada, site, input); !errors.Is(err, passkeys.ErrRegistrationExpired) {
		t.Errorf("a challenge of a sign-in: %v", err)
	}
}

// signInOptionsWithUser returns request options with a user, as creation options have one.
func (f *fixture) signInOptionsWithUser() json.RawMessage {
	f.tb.Helper()
	return json.RawMessage(strings.Replace(string(f.requestOptions()), "{", `{"user":{"id":"AAAA"},`, 1))
}

//proves:docs/security.md
func TestACounterThatDoesNotIncreaseLocksThePasskey(t *testing.T) {
	for name, counts := range map[string][]uint32{"the same": {5, 5}, "lower": {5, 4}, "back to none": {5, 0}} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			a := f.registered()
			a.Counter = counts[0]
			if _, err := f.signIn(a); err != nil {
				t.Fatal(err)
			}
			a.Counter = counts[1]
			if _, err := f.signIn(a); !errors.Is(err, passkeys.ErrCloned) {
				t.Errorf("%s: %v, want %v", name, err, passkeys.ErrCloned)
			}
			a.Counter = 6
			if _, err := f.signIn(a); !errors.Is(err, passkeys.ErrCloned) {
				t.Errorf("%s, and then a higher counter: %v", name, err)
			}
			if all := f.list(); all[0].ClonedAt.IsZero() {
				t.Errorf("%s: the list does not show it", name)
			}
		})
	}
}

func TestAUserHasAtMostTwentyPasskeys(t *testing.T) {
	f := newFixture(t)
	early := f.creationOptions(f.ada)
	for range passkeys.MaxPasskeys {
		f.registered()
	}
	if _, err := f.service.BeginRegistration(t.Context(), f.ada, site); !errors.Is(err, passkeys.ErrTooMany) {
		t.Errorf("options for one more: %v", err)
	}
	input := passkeys.New{Name: "laptop", Response: f.authenticator().Create(t, early)}
	if _, err := f.service.Register(t.Context(), f.ada, site, input); !errors.Is(err, passkeys.ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
}

func TestSimultaneousRegistrationsKeepBothPasskeys(t *testing.T) {
	f := newFixture(t)
	const many = 4
	inputs := make([]passkeys.New, many)
	for i := range inputs {
		inputs[i] = passkeys.New{Name: "laptop", Response: f.authenticator().Create(t, f.creationOptions(f.ada))}
	}
	webtest.Concurrently(many, func(i int) int {
		if _, err := f.service.Register(t.Context(), f.ada, site, inputs[i]); err != nil {
			t.Error(err)
		}
		return 0
	})
	if n := len(f.list()); n != many {
		t.Errorf("%d passkeys, want %d", n, many)
	}
}

func TestARevokedCallerRegistersNothing(t *testing.T) {
	f := newFixture(t)
	revoke := func() {
		c := credentials.Credential{ID: f.ada.CredentialID, Kind: credentials.Session, RevokedAt: f.clock.Now()}
		c.Owner.ID = f.ada.UserID
		if err := transactions.Write(t.Context(), f.client, f.table.Writes.Revoke(c)); err != nil {
			t.Error(err)
		}
	}
	a := f.authenticator()
	input := passkeys.New{Name: "laptop", Response: a.Create(t, f.creationOptions(f.ada))}
	slow := f.on(passkeysdynamo.New(awstest.Faulty(f.client, func(operation string, n int) error {
		if operation == "TransactWriteItems" && n == 1 {
			revoke()
		}
		return nil
	}), f.table))
	if _, err := slow.Register(t.Context(), f.ada, site, input); !errors.Is(err, passkeys.ErrCaller) {
		t.Errorf("revoked during the registration: %v", err)
	}
}

//proves:docs/security.md
func TestAnAPIKeyRegistersNothing(t *testing.T) {
	f := newFixture(t)
	f.ada.SessionID = ""
	if _, err := f.service.BeginRegistration(t.Context(), f.ada, site); !errors.Is(err, passkeys.ErrNeedsSession) {
		t.Errorf("options: %v", err)
	}
	if _, err := f.service.Register(t.Context(), f.ada, site, passkeys.New{Name: "x"}); !errors.Is(err,
		passkeys.ErrNeedsSession) {
		t.Errorf("registration: %v", err)
	}
}

func TestMalformedInputIsAValidationFailure(t *testing.T) {
	f := newFixture(t)
	for name, response := range map[string]string{
		"nothing": "", "no JSON": "{", "an array": "[]", "empty": "{}", "too large": strings.Repeat(" ", passkeys.MaxResponse) + "{}",
	} {
		if _, err := f.service.SignIn(t.Context(), site, []byte(response)); fault.KindOf(err) != fault.Validation {
			t.Errorf("%s: sign-in %v", name, err)
		}
		input := passkeys.New{Name: "laptop", Response: json.RawMessage(response)}
		if _, err := f.service.Register(t.Context(), f.ada, site, input); fault.KindOf(err) != fault.Validation {
			t.Errorf("%s: registration %v", name, err)
		}
	}
	long := f.authenticator()
	long.CredentialID = make([]byte, 1024) // the specification permits 1,023
	if _, err := f.register(f.ada, long); fault.KindOf(err) != fault.Validation {
		t.Errorf("a long credential ID: %v", err)
	}
	for _, name := range []string{"", " ", strings.Repeat("n", 101), "a\u202eb", "a\nb"} {
		if _, err := f.service.Register(t.Context(), f.ada, site,
			passkeys.New{Name: name}); fault.KindOf(err) != fault.Validation {
			t.Errorf("name %q: %v", name, err)
		}
	}
}

//proves:docs/security.md
func TestSiteOf(t *testing.T) {
	for _, c := range []struct{ address, id, want string }{
		{"https://portal.example.com", "portal.example.com", "https://portal.example.com"},
		{"https://Portal.Example.com:8443", "portal.example.com", "https://portal.example.com:8443"},
		{"http://localhost:3000", "localhost", "http://localhost:3000"},
		{"http://127.0.0.1:3000", "", "open http://localhost:3000."},
		{"http://[::1]:3000", "", "open http://localhost:3000."},
		{"https://192.0.2.7", "", "BaseUrl"},
		{"https://", "", "BaseUrl"},
		{"https://%zz", "", "BaseUrl"},
	} {
		t.Run(c.address, func(t *testing.T) {
			got, err := passkeys.SiteOf(c.address)
			if c.id == "" {
				if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %q", err, c.want)
				}
				return
			}
			if want := (passkeys.Site{ID: c.id, Origin: c.want}); err != nil || got != want {
				t.Errorf("%+v, %v; want %+v", got, err, want)
			}
		})
	}
}
