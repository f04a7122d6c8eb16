package e2e

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestSmokeTest runs `portside smoke-test` twice at the same time on a stack, and lets it fail on a wrong commit and a wrong address. It
// always removes its users.
func TestSmokeTest(t *testing.T) {
	p := newTestStack(t)
	p.start(t, noRateLimit())
	operator := filepath.Join(t.TempDir(), "portside")
	p.runCommand(t, "go", "-C", repository, "build", "-o", operator, "./cmd/portside")
	smoke := []string{"smoke-test", "--local", p.data, "--image-repository", "acme/probe"}
	var running sync.WaitGroup
	for range 2 {
		running.Go(func() {
			output, err := exec.CommandContext(t.Context(), operator, smoke...).CombinedOutput()
			if err != nil {
				t.Errorf("smoke-test: %v\n%s", err, output)
			}
			for _, step := range []string{"health", "login", "user", "token", "chart", "image", "extraction"} {
				if !strings.Contains("\n"+string(output), "\n"+step+" ") {
					t.Errorf("the output has no line for the step %s:\n%s", step, output)
				}
			}
		})
	}
	running.Wait()
	p.wantOnlyAdmin(t)
	for flag, want := range map[string]string{
		"--commit=0123456789ab": "health: the service runs", "--url=http://127.0.0.1:1": "connection refused",
	} {
		output, err := exec.CommandContext(t.Context(), operator, append(smoke, flag)...).CombinedOutput()
		if err == nil || !strings.Contains(string(output), want) {
			t.Errorf("smoke-test %s: %v, %s, want %q", flag, err, output, want)
		}
	}
	p.wantOnlyAdmin(t)
	p.checkNoSecretsLeaked(t)
}

func (p *testStack) wantOnlyAdmin(t *testing.T) {
	t.Helper()
	p.admin(t).Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination.total", 1)
}
