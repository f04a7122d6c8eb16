package start_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portside/shared/lambda/start"
)

// functions are the functions that the test binary can run instead of the tests. functionVariable selects one.
var functions = map[string]func(){
	"http": func() {
		start.HTTP(func(settings *start.Settings) (http.Handler, error) {
			greeting := settings.String("GREETING")
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, greeting) }), nil
		})
	},
	"events": func() {
		start.Events(func(settings *start.Settings) (any, error) {
			greeting := settings.String("GREETING")
			return func(ctx context.Context, name string) (string, error) {
				slog.With("name", name).InfoContext(ctx, "greeted")
				return greeting + ", " + name, nil
			}, nil
		})
	},
	"missing settings": func() {
		start.HTTP(func(settings *start.Settings) (http.Handler, error) {
			settings.String("USERS_TABLE")
			settings.Count("RATE_LIMIT_PER_MINUTE")
			slog.Info("built")
			return nil, errors.New("less important than the settings")
		})
	},
	"credential in a path": func() {
		start.Events(func(*start.Settings) (any, error) {
			slog.Error("no page", "path", secret, "error", errors.New(secret))
			return nil, errors.New("no page " + secret)
		})
	},
	"failing build": func() {
		start.Events(func(*start.Settings) (any, error) { return nil, errors.New("no templates") })
	},
}

// secret is a path with the text of a credential.
const secret = "/v1/psk_0123456789ab_SECRETSECRETSECRETSECRETSECRETSECRET"

const functionVariable = "PORTSIDE_TEST_FUNCTION"

func TestMain(m *testing.M) {
	if run := functions[os.Getenv(functionVariable)]; run != nil {
		run()
	}
	os.Exit(m.Run())
}

type logLine struct{ Level, Msg, Invocation, Path, Error string }

func TestFunctionThatCannotStartLogsTheReasonAndExits(t *testing.T) {
	for name, want := range map[string][]logLine{
		"missing settings": {
			{Level: "INFO", Msg: "built"},
			{Level: "ERROR", Msg: "settings: USERS_TABLE is not set, RATE_LIMIT_PER_MINUTE is not set; " +
				"template.yaml lists the variables of each function"},
		},
		"failing build": {{Level: "ERROR", Msg: "no templates"}},
	} {
		t.Run(name, func(t *testing.T) {
			status, lines := runFunction(t, name)
			if status != 1 {
				t.Errorf("%s: exit status %d, want 1", name, status)
			}
			if diff := cmp.Diff(want, lines); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		})
	}
}

func TestFunctionAnswersAnInvocation(t *testing.T) {
	for name, test := range map[string]struct{ event, response string }{
		"http": {
			`{"version":"2.0","rawPath":"/","requestContext":{"http":{"method":"GET","path":"/"}}}`, `"body":"hello"`,
		},
		"events": {`"Ada"`, `"hello, Ada"`},
	} {
		t.Run(name, func(t *testing.T) {
			runtime := newRuntimeAPI(test.event)
			server := httptest.NewServer(runtime)
			_, lines := runFunction(t, name, "AWS_LAMBDA_RUNTIME_API="+strings.TrimPrefix(server.URL, "http://"),
				"GREETING=hello")
			if name == "events" && !slices.Contains(lines, logLine{Level: "INFO", Msg: "greeted", Invocation: "1"}) {
				t.Errorf("no record of the invocation 1: %v", lines)
			}
			server.Close()
			close(runtime.responses)
			if got := <-runtime.responses; !strings.Contains(got, test.response) {
				t.Errorf("%s: the response is %q, want %q", name, got, test.response)
			}
		})
	}
}

func TestLogLevel(t *testing.T) {
	for level, want := range map[string]int{"": 2, "INFO": 2, "DEBUG": 2, "TRACE": 2, "WARN": 1, "ERROR": 1} {
		_, lines := runFunction(t, "missing settings", "AWS_LAMBDA_LOG_LEVEL="+level)
		if len(lines) != want {
			t.Errorf("at level %q, the log of a record at INFO and one at ERROR is %v", level, lines)
		}
	}
}

//proves:docs/security.md
func TestLogHasNoSecrets(t *testing.T) {
	_, lines := runFunction(t, "credential in a path")
	if text := fmt.Sprint(lines); strings.Contains(text, "SECRET") || strings.Count(text, "/v1/psk_0123456789ab_…") != 3 {
		t.Errorf("the log is %s, want the path three times without its secret", text)
	}
}

// runFunction runs a function in a separate process until it exits, and returns its exit status and log.
func runFunction(t *testing.T, name string, environment ...string) (status int, lines []logLine) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), append(environment, functionVariable+"="+name)...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	if err := command.Run(); err == nil {
		t.Fatalf("%s: the function ended without an error", name)
	}
	for decoder := json.NewDecoder(&stderr); ; {
		var line logLine
		err := decoder.Decode(&line)
		if errors.Is(err, io.EOF) {
			return command.ProcessState.ExitCode(), lines
		}
		if err != nil {
			t.Fatalf("%s: the log is not JSON: %v", name, err)
		}
		lines = append(lines, line)
	}
}

// runtimeAPI is a Lambda Runtime API that sends one event. It breaks off every later request for an event, which ends
// the function.
type runtimeAPI struct{ events, responses chan string }

func newRuntimeAPI(event string) *runtimeAPI {
	api := &runtimeAPI{events: make(chan string, 1), responses: make(chan string, 1)}
	api.events <- event
	return api
}

func (a *runtimeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/response") {
		body, _ := io.ReadAll(r.Body)
		a.responses <- string(body)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	select {
	case event := <-a.events:
		w.Header().Set("Lambda-Runtime-Aws-Request-Id", "1")
		w.Header().Set("Lambda-Runtime-Deadline-Ms", "4102444800000")
		_, _ = io.WriteString(w, event)
	default:
		panic(http.ErrAbortHandler)
	}
}
