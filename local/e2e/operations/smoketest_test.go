// Package operations has the end-to-end tests of running the service: restarts, kills, backup and restore, counting,
// rate limits and the smoke test.
package operations

import (
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"portside/local/e2e/e2etest"
)

func TestMain(m *testing.M) { e2etest.Main(m) }

// TestSmokeTest runs `portside smoke-test` twice at the same time on a stack, and lets it fail on a wrong commit and a
// wrong address. It always removes its users.
func TestSmokeTest(t *testing.T) {
	p := e2etest.Shared(t)
	smoke := []string{"smoke-test", "--local", p.Data, "--image-repository", "acme/probe"}
	var running sync.WaitGroup
	for range 2 {
		running.Go(func() {
			output, err := exec.CommandContext(t.Context(), e2etest.Portside, smoke...).CombinedOutput()
			if err != nil {
				t.Errorf("smoke-test: %v\n%s", err, output)
			}
			for _, step := range []string{"health", "login", "user", "token", "chart", "image", "extraction", "audit log"} {
				if !strings.Contains("\n"+string(output), "\n"+step+" ") {
					t.Errorf("the output has no line for the step %s:\n%s", step, output)
				}
			}
		})
	}
	running.Wait()
	wantNoProbe(t, p)
	for flag, want := range map[string]string{
		"--commit=0123456789ab": "health: the service runs", "--url=http://127.0.0.1:1": "connection refused",
	} {
		t.Run(flag, func(t *testing.T) {
			output, err := exec.CommandContext(t.Context(), e2etest.Portside, append(smoke, flag)...).CombinedOutput()
			if err == nil || !strings.Contains(string(output), want) {
				t.Errorf("smoke-test %s: %v, %s, want %q", flag, err, output, want)
			}
		})
	}
	wantNoProbe(t, p)
}

// wantNoProbe checks that the smoke tests have left no user.
func wantNoProbe(t *testing.T, p *e2etest.Stack) {
	t.Helper()
	for _, word := range []string{"smoke", "success"} { // the name of both users, and the address of one
		p.Admin(t).Get("/v1/users/search?q="+word).WantStatus(http.StatusOK).WantValue("data", []any{})
	}
}
