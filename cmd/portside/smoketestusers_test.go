package main

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/users"
)

func (o *testStack) newSmokeTest() *smokeTest {
	return &smokeTest{tables: o.tables, process: process{
		stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, now: o.now, lookup: func(string) (string, bool) { return "", false },
	}}
}

// smokeUsers returns the addresses of the users that smoke tests have created.
func (o *testStack) smokeUsers() []string {
	o.t.Helper()
	return slices.DeleteFunc(o.userEmails(), func(email string) bool { return !strings.Contains(email, "smoke-test") })
}

func (o *testStack) mustSignUp() *smokeTest {
	o.t.Helper()
	s := o.newSmokeTest()
	if err := s.signUp(o.t.Context()); err != nil {
		o.t.Fatal(err)
	}
	return s
}

// createProbe creates the user that a test creates through the API.
func (o *testStack) createProbe(s *smokeTest) {
	o.t.Helper()
	_, err := s.service().Create(o.t.Context(), users.CreateOptions{Caller: principal.Operator()},
		users.NewUser{Email: s.names.probe, Name: "Probe", Role: principal.Viewer})
	if err != nil {
		o.t.Fatal(err)
	}
}

func TestSmokeTestsAtOnceHaveTheirOwnUsers(t *testing.T) {
	o := newTestStack(t)
	o.expect(o.bootstrap(), exitDone, "")
	var running []*smokeTest
	for range smokePlaces {
		s := o.mustSignUp()
		o.createProbe(s)
		running = append(running, s)
	}
	if err := o.newSmokeTest().signUp(t.Context()); !errors.Is(err, errNoSmokePlace) {
		t.Errorf("one test too many: error %v", err)
	}
	if err := running[2].removeUsers(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := len(o.smokeUsers()), 2*(smokePlaces-1); got != want {
		t.Errorf("after one test, %d users are left, want %d: %q", got, want, o.smokeUsers())
	}
	if s := o.mustSignUp(); s.names != running[2].names {
		t.Errorf("the test has the names %v, want the free %v", s.names, running[2].names)
	}
}

// Tests that were killed leave users behind. A test that runs may not lose its own.
func TestSmokeTestRemovesLeftovers(t *testing.T) {
	o := newTestStack(t)
	o.expect(o.bootstrap(), exitDone, "")
	for range 3 {
		o.createProbe(o.mustSignUp())
	}
	o.clock = o.clock.Add(smokeLeftoverAge - time.Millisecond)
	running := o.mustSignUp()
	if got := o.smokeUsers(); len(got) != 7 {
		t.Errorf("before the age of leftovers, there are %q", got)
	}
	o.clock = o.clock.Add(time.Millisecond)
	last := o.mustSignUp()
	want := []string{running.names.admin, last.names.admin}
	slices.Sort(want)
	got := o.smokeUsers()
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("after the age of leftovers, there are %q, want %q", got, want)
	}
}

// The users of a test may be gone at its end.
func TestSmokeTestEndsWithoutItsUsers(t *testing.T) {
	o := newTestStack(t)
	o.expect(o.bootstrap(), exitDone, "")
	s := o.mustSignUp()
	if err := s.service().Delete(t.Context(), principal.Operator(), versions.Target{ID: s.admin.ID}); err != nil {
		t.Fatal(err)
	}
	if err := s.removeUsers(t.Context()); err != nil {
		t.Error(err)
	}
	if err := o.newSmokeTest().removeUsers(t.Context()); err != nil {
		t.Errorf("a test that has not begun: %v", err)
	}
}
