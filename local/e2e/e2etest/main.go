// Package e2etest is what the packages of end-to-end tests share: a running stack, clients of its API, mails, the
// portal in a browser, the computers of customers, and the search for leaked secrets.
//
// Each package of tests starts one stack, with its first test that needs it:
//
//	func TestMain(m *testing.M) { e2etest.Main(m) }
//
//	func TestUsersAreSuspended(t *testing.T) {
//		p := e2etest.Shared(t)
//		at, key := p.Users.Create(t, "ada", "user")
//		…
//	}
//
// Tests on the shared stack run beside others and in any order. So a test creates its own resources, under names that
// only it uses (Stack.Name, Stack.Email), and expects nothing of lists of the whole stack, such as their totals. A test
// that restarts or kills the stack, changes its parameters, or is about a new stack starts its own with Start.
//
// When a stack stops, Main and Start search its output and data for the secrets that the tests have seen.
//
// The functions are built from sources outside this module, which the cache of go test does not watch: to repeat a test
// after a change there, use -count=1.
package e2etest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"portside/local/browser"
	"portside/local/stack"
)

// Repository is the path of this repository from the folder of a test package.
var Repository = filepath.Join("..", "..", "..")

// shared is the stack of the test binary.
var shared struct {
	once    sync.Once
	options stack.Options
	folder  string
	stack   *Stack
	stop    func(context.Context) error
	err     error
}

// Main runs the tests of a package, and ends the browser and the shared stack after them. It fails if a secret leaked.
// The options are those of the shared stack; it has no rate limit.
func Main(m *testing.M, options ...stack.Options) {
	if len(options) > 0 {
		shared.options = options[0]
	}
	browser.Main(tests{m})
}

// tests runs the tests and then checks the shared stack.
type tests struct{ *testing.M }

// Run implements the interface that browser.Main takes.
func (t tests) Run() int {
	code := t.M.Run()
	if shared.stop == nil {
		_ = os.RemoveAll(shared.folder) // of a stack that did not start
		return code
	}
	err := errors.Join(shared.stack.findLeaks(), shared.stack.checkCoverage()) // while the engines are running
	err = errors.Join(err, shared.stop(context.Background()), shared.stack.findLeaks(), os.RemoveAll(shared.folder))
	if err != nil {
		fmt.Fprintf(os.Stderr, "--- FAIL: the shared stack\n%v\n", err)
		return max(code, 1)
	}
	return code
}

// Shared returns the stack of the package, for one test. The test runs in parallel with others.
func Shared(t *testing.T) *Stack {
	t.Helper()
	t.Parallel()
	shared.once.Do(startShared)
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	p := shared.stack.forTest()
	p.reportFailure(t)
	return p
}

func startShared() {
	folder, err := os.MkdirTemp("", "e2e")
	if err != nil {
		shared.err = err
		return
	}
	p := newStack(filepath.Join(folder, "data"))
	options := shared.options
	options.RateLimit = new(int)
	shared.folder, shared.stack = folder, p
	shared.stop, shared.err = p.start(context.Background(), options)
}

// lastNumber is the number of the newest Stack of this test binary.
var lastNumber atomic.Int64
