package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"portside/cmd/portside/operator"
	"portside/cmd/portside/portsidetest"
)

// everyDayRun runs a command against a service that refuses each request with a status.
func everyDayRun(t *testing.T, status int, args ...string) portsidetest.Outcome {
	t.Helper()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "request-1")
		w.Header().Set("X-Should-Retry", "false")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"code":"NOT_FOUND","detail":"The user does not exist.","data":[],"pagination":{}}`)
	}))
	t.Cleanup(service.Close)
	env := map[string]string{"PORTSIDE_URL": service.URL, "PORTSIDE_KEY": "psk_x_y"}
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), operator.Process{
		Program: "portside", Args: args, Lookup: func(name string) (string, bool) { value, found := env[name]; return value, found },
		Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Now:       func() time.Time { return time.Date(2028, 3, 1, 15, 4, 5, 0, time.UTC) },
		ConfigDir: func() (string, error) { return t.TempDir(), nil },
	})
	return portsidetest.Outcome{Code: code, Stdout: stdout.String(), Stderr: stderr.String()}
}

func TestExitCodesOfEveryDay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args           []string
		status, code   int
		stdout, stderr string
	}{
		{[]string{"users", "list", "--json"}, 200, 0, "[]\n", ""},
		{[]string{"users", "get", userID}, 404, 1, "", "portside users get: The user does not exist [request request-1]\n"},
		{[]string{"users", "get"}, 200, 2, "", "portside users get: the email address or the ID of the user is missing; see `portside users get -h`\n"},
		{[]string{"users", "list", "--wat"}, 200, 2, "", "portside users list: unknown flag: --wat; see `portside users list -h`\n"},
		{[]string{"user"}, 200, 2, "", "portside: unknown command \"user\"; did you mean users?; `portside help` lists the commands\n"},
		{[]string{"help", "nothing"}, 200, 2, "", "portside help: unknown command \"nothing\"; see `portside help -h`\n"},
		{[]string{"users", "list", "--profile", "x"}, 200, 2, "", "portside users list: there is no profile \"x\": run `portside login ADDRESS " +
			"--profile x`; see `portside users list -h`\n"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Parallel()
			got := everyDayRun(t, c.status, c.args...)
			if want := (portsidetest.Outcome{Code: c.code, Stdout: c.stdout, Stderr: c.stderr}); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

func TestHelpGroupsTheCommands(t *testing.T) {
	t.Parallel()
	help := everyDayRun(t, 200, "--help").Stdout
	everyDay, operators, found := strings.Cut(help, "\nOperators:\n")
	if !found || !strings.Contains(everyDay, "\nEvery day:\n") || strings.Contains(help, "Additional Commands") {
		t.Fatalf("the groups are missing in\n%s", help)
	}
	if !strings.Contains(everyDay, "  users ") || !strings.Contains(operators, "  import-users ") ||
		!strings.Contains(operators, "USERS_TABLE") {
		t.Error(help)
	}
	if got := everyDayRun(t, 200, "help", "users", "get").Stdout; !strings.Contains(got, "portside users get USER") {
		t.Error(got)
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := everyDayRun(t, 200, "completion", shell); got.Code != 0 || !strings.Contains(got.Stdout, "portside") {
			t.Errorf("%s: %+v", shell, got)
		}
	}
	cases := map[string][]string{
		"manager\n":        {"users", "list", "--role", ""},
		"approve\tapprove": {"requests", "ap"},
		"--errors\t":       {"import-users", "--"},
		"import-users\t":   {"import"},
	}
	for want, begun := range cases {
		if got := everyDayRun(t, 200, append([]string{"__complete"}, begun...)...).Stdout; !strings.Contains(got, want) {
			t.Errorf("%q completes to %q, want %q", begun, got, want)
		}
	}
}
