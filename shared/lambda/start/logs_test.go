package start_test

import (
	"bytes"
	"encoding/json"
	"log"
	"log/slog"
	"os"
	"os/exec"
	"testing"

	"portside/shared/lambda/start"
)

const part = "PORTSIDE_TEST_PART"

// Functions end by log.Fatal when they cannot start, and whoever looks for errors has to find that.
func TestWhatEndsAFunctionIsAnError(t *testing.T) {
	if os.Getenv(part) != "" {
		start.LogJSON()
		slog.Info("a record")
		log.Fatal("a setting is missing")
	}
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	command.Env = append(os.Environ(), part+"=1")
	var written bytes.Buffer
	command.Stderr = &written
	if err := command.Run(); command.ProcessState.ExitCode() != 1 {
		t.Fatalf("it ended with %v", err)
	}
	decoder := json.NewDecoder(&written)
	for _, want := range []struct{ Level, Msg string }{{"INFO", "a record"}, {"ERROR", "a setting is missing"}} {
		got := want
		got.Level, got.Msg = "", ""
		if err := decoder.Decode(&got); err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
}
