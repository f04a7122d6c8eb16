package smoketest

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"portside/cmd/portside/operator"
	"portside/cmd/portside/portsidetest"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/users"
)

// newTrial returns a smoke test on the tables of a stack.
func newTrial(o *portsidetest.Stack) *trial {
	return &trial{Tables: o.Tables, Process: operator.Process{
		Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Now: o.Now, Lookup: func(string) (string, bool) { return "", false },
	}}
}

// trialUsers returns the addresses of the users that smoke tests have created.
func (o *testStack) trialUsers() []string {
	o.T.Helper()
	return slices.DeleteFunc(o.UserEmails(), func(email string) bool { return !strings.Contains(email, "smoke-test") })
}

func (o *testStack) mustSignUp() *trial {
	o.T.Helper()
	s := newTrial(o.Stack)
	if err := s.signUp(o.T.Context()); err != nil {
		o.T.Fatal(err)
	}
	return s
}

// createProbe creates the user that a test creates through the API.
func (o *testStack) createProbe(s *trial) {
	o.T.Helper()
	_, err := s.service().Create(o.T.Context(), users.CreateOptions{Caller: principal.Operator()},
		users.NewUser{Email: s.names.probe, Name: "Probe", Role: principal.Viewer})
	if err != nil {
		o.T.Fatal(err)
	}
}

func TestTrialsAtOnceHaveTheirOwnUsers(t *testing.T) {
	o := newTestStack(t)
	o.Expect(o.Bootstrap(), operator.ExitDone, "")
	var running []*trial
	for range places {
		s := o.mustSignUp()
		o.createProbe(s)
		running = append(running, s)
	}
	if err := newTrial(o.Stack).signUp(t.Context()); !errors.Is(err, errNoPlace) {
		t.Errorf("one test too many: error %v", err)
	}
	if err := running[2].cleanUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := len(o.trialUsers()), 2*(places-1); got != want {
		t.Errorf("after one test, %d users are left, want %d: %q", got, want, o.trialUsers())
	}
	if s := o.mustSignUp(); s.names != running[2].names {
		t.Errorf("the test has the names %v, want the free %v", s.names, running[2].names)
	}
}

// Tests that were killed leave users behind. A test that runs may not lose its own.
func TestRemovesLeftovers(t *testing.T) {
	o := newTestStack(t)
	o.Expect(o.Bootstrap(), operator.ExitDone, "")
	for range 3 {
		o.createProbe(o.mustSignUp())
	}
	o.Clock = o.Clock.Add(leftoverAge - time.Millisecond)
	running := o.mustSignUp()
	if got := o.trialUsers(); len(got) != 7 {
		t.Errorf("before the age of leftovers, there are %q", got)
	}
	o.Clock = o.Clock.Add(time.Millisecond)
	last := o.mustSignUp()
	want := []string{running.names.admin, last.names.admin}
	slices.Sort(want)
	got := o.trialUsers()
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("after the age of leftovers, there are %q, want %q", got, want)
	}
}

// The users of a test may be gone at its end.
func TestEndsWithoutItsUsers(t *testing.T) {
	o := newTestStack(t)
	o.Expect(o.Bootstrap(), operator.ExitDone, "")
	s := o.mustSignUp()
	if err := s.service().Delete(t.Context(), principal.Operator(), versions.Target{ID: s.admin.ID}); err != nil {
		t.Fatal(err)
	}
	if err := s.cleanUp(t.Context()); err != nil {
		t.Error(err)
	}
	if err := newTrial(o.Stack).cleanUp(t.Context()); err != nil {
		t.Errorf("a test that has not begun: %v", err)
	}
}
