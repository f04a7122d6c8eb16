package api

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"portside/local/e2e/e2etest"
)

// TestGeneratedClients makes calls with clients that `make clients` generates from openapi.yaml with other generators.
// TestClientPackage does so with the one in Go.
func TestGeneratedClients(t *testing.T) {
	p := e2etest.Shared(t)
	key := p.Operator.Line(t, "admin-key")
	p.Secrets.AddFrom([]byte(key))
	tools, err := filepath.Abs(filepath.Join(e2etest.Repository, ".local"))
	if err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(tools, "python-client")
	for _, program := range []struct{ path, source string }{
		{filepath.Join(python, "bin", "python"), filepath.Join("testdata", "generators", "calls.py")},
		{"node", filepath.Join(tools, "generators", "typescript", "calls.js")},
	} {
		t.Run(program.source, func(t *testing.T) {
			var output bytes.Buffer
			command := exec.CommandContext(t.Context(), program.path, program.source, p.Info.API)
			command.Env = append(os.Environ(), "PORTSIDE_KEY="+key, "PYTHONPATH="+filepath.Join(python, "generated"),
				"PYTHONDONTWRITEBYTECODE=1", "NO_PROXY=127.0.0.1")
			command.Stdout, command.Stderr = &output, &output
			if err := command.Run(); err != nil {
				t.Errorf("%v: run `make clients` first\n%s", err, &output)
			}
			t.Log(output.String())
		})
	}
}
