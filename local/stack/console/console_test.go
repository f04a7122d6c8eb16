package console_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"portside/local/gateway"
	"portside/local/stack/console"
)

func TestConsoleKeepsDetailsInTheFile(t *testing.T) {
	t.Parallel()
	const routine = `UsersFunction | {"level":"INFO","msg":"request"}` + "\n"
	const problems = `UsersFunction | {"level":"ERROR","msg":"no answer"}` + "\n" + "UsersFunction | panic: nil map\n"
	record := gateway.Record{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Method: "GET", Path: "/v1/users", Status: 200}
	write := func(c *console.Console) {
		for _, line := range bytes.SplitAfter([]byte(routine+problems), []byte("\n")) {
			if _, err := c.Write(line); err != nil {
				t.Error(err)
			}
		}
		c.LogRequest(record)
		c.WriteDetail("schedule A succeeded\n")
	}
	var all, screen, file bytes.Buffer
	write(console.New(&all, false))
	kept := console.New(&screen, false)
	kept.KeepDetails(&file)
	write(kept)
	if want := routine + problems + record.Text(false) + "\nschedule A succeeded\n"; all.String() != want || file.String() != want {
		t.Errorf("without a file %q, and in the file %q; want %q", all.String(), file.String(), want)
	}
	if want := fmt.Sprint(problems, record.Short(false), "\n"); screen.String() != want {
		t.Errorf("the screen shows %q, want %q", screen.String(), want)
	}
}
