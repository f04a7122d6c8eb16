package administration

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"portside/local/e2e/e2etest"
)

// cliStack is a stack with the folder of a person who uses portside.
type cliStack struct {
	*e2etest.Stack
	home string
}

// TestCommandLineDocument runs the marked blocks of docs/cli.md in order, each in a new shell.
func TestCommandLineDocument(t *testing.T) {
	p := cliStack{e2etest.Start(t), t.TempDir()} // the document lists what a new stack has
	p.prepareFolder(t)
	blocks := e2etest.Runnable.FindAllStringSubmatch(e2etest.FromRepository(t, "docs", "cli.md"), -1)
	if len(blocks) < 10 {
		t.Fatalf("only %d blocks are marked", len(blocks))
	}
	outputs := make([]string, len(blocks))
	for i, block := range blocks {
		if strings.Contains(block[1], "ada-key") {
			p.activateAda(t)
		}
		outputs[i] = p.shell(t, block[1])
		p.Secrets.AddFrom([]byte(p.readFile(t, "token")))
	}
	p.checkCommandLine(t, strings.Join(outputs, ""))
}

// checkCommandLine checks the results of the document.
func (p cliStack) checkCommandLine(t *testing.T, output string) {
	t.Helper()
	for _, want := range []string{
		"Logged in to " + p.Info.API, "EMAIL        ada@example.com\n", "DEPARTMENT   Analytical Engines\n",
		"pending  charts  ada@example.com", "STATUS         approved\n", "DECIDED AT     2", "build pipeline", "Difference Engine",
		"STATUS          suspended\n", "  chart     api         ^1.2.0    active", "VERSIONS    ^2.0.0\n",
		"ref=refs/heads/main|refs/tags/v*  read:helm-charts read:docker-images:acme/*  15", "MINUTES     5\n",
		"Deleted the trust policy Builds of the app (https://token.actions.githubusercontent.com).",
		"bob@borealis.example  Bob Frost  borealis-freight  user", "total  12.5\n", "day    2026-03-02\n", "all credentials of ada@example.com (Ada Lovelace)",
		`alan@example.com,Alan Turing,boss,"line 3: role must be`, "1 created, 0 already there, 0 failed", "NAME         Alan Turing\n",
	} {
		if !strings.Contains(output, want) {
			t.Errorf("the output lacks %q", want)
		}
	}
	for file, want := range map[string]string{
		"figures.csv": "metric,value,unit\n", "pulls.csv": "at,kind,repository,reference,ownerEmail,", "token": "pst_",
	} {
		if got := p.readFile(t, file); !strings.HasPrefix(got, want) {
			t.Errorf("%s begins with %.60q", file, got)
		}
	}
	info, err := os.Stat(filepath.Join(p.home, ".config", "portside", "default.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the profile is %v: %v", info, err)
	}
	ada := p.As(t, strings.TrimSpace(p.readFile(t, "ada-key")))
	ada.Get("/v1/users?limit=1").WantStatus(http.StatusUnauthorized)
}

// prepareFolder puts portside and the data of the stack where the document expects them.
func (p cliStack) prepareFolder(t *testing.T) {
	t.Helper()
	portside, err := filepath.Abs(e2etest.Portside)
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"bin/portside": portside, ".local/data": p.Data} {
		link := filepath.Join(p.home, name)
		if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
}

// activateAda follows the link of the invitation and writes the first API key of the user to the file of the document.
func (p cliStack) activateAda(t *testing.T) {
	t.Helper()
	_, token := p.Mail.Link(t, "ada@example.com")
	key := p.Anonymous(t).Post("/v1/users/activate", `{"token":"`+token+`"}`).WantStatus(http.StatusOK).Text("data.apiKey")
	p.Secrets.Add(key)
	if err := os.WriteFile(filepath.Join(p.home, "ada-key"), []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// shell runs commands in the folder of the person. It stops at the first failure.
func (p cliStack) shell(t *testing.T, script string) (output string) {
	t.Helper()
	var text bytes.Buffer
	command := exec.CommandContext(t.Context(), "sh", "-e", "-c", script)
	command.Dir, command.Stdout, command.Stderr = p.home, &text, &text
	command.Env = []string{"HOME=" + p.home, "PATH=" + filepath.Join(p.home, "bin") + ":" + os.Getenv("PATH")}
	err := command.Run()
	t.Logf("%s\n%s", script, &text)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = p.Log.Write(text.Bytes()) // the output must not contain secrets either
	return text.String()
}

// readFile returns the content of a file of the person, or nothing if the file does not exist.
func (p cliStack) readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.home, name))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}
