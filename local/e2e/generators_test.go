package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGeneratedClients makes calls with clients that `make clients` generates from openapi.yaml with other generators. TestClientPackage
// does so with the one in Go.
func TestGeneratedClients(t *testing.T) {
	p := newTestStack(t)
	p.start(t, noRateLimit())
	key, err := os.ReadFile(filepath.Join(p.data, "admin-key"))
	if err != nil {
		t.Fatal(err)
	}
	p.secrets.addFrom(key)
	tools, err := filepath.Abs(filepath.Join(repository, ".local"))
	if err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(tools, "python-client")
	for _, program := range []struct{ path, source string }{
		{filepath.Join(python, "bin", "python"), filepath.Join("testdata", "generators", "calls.py")},
		{"node", filepath.Join(tools, "generators", "typescript", "calls.js")},
	} {
		var output bytes.Buffer
		command := exec.CommandContext(t.Context(), program.path, program.source, p.info.API)
		command.Env = append(os.Environ(), "PORTSIDE_KEY="+strings.TrimSpace(string(key)), "PYTHONPATH="+filepath.Join(python, "generated"),
			"PYTHONDONTWRITEBYTECODE=1", "NO_PROXY=127.0.0.1")
		command.Stdout, command.Stderr = &output, &output
		if err := command.Run(); err != nil {
			t.Errorf("%s: %v: run `make clients` first\n%s", program.source, err, &output)
		}
		t.Log(output.String())
	}
}
