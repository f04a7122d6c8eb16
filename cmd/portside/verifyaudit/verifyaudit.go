// Package verifyaudit has the operators' command verify-audit, which compares the audit log with its seals.
package verifyaudit

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"

	"portside/cmd/portside/chain"
	"portside/cmd/portside/cli"
	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/audit/seals"
	"portside/shared/core/audit"
	"portside/shared/dynamo/auditlog"
)

// job is the job of the command verify-audit.
type job struct {
	on     *installation.Target
	from   operator.DayFlag
	expect string
	file   string // with the head of the last verification; may be empty
}

// Commands returns the command.
func Commands() []operator.Command { return []operator.Command{command()} }

func command() operator.Command {
	return operator.Command{
		Name: "verify-audit", Summary: "name the first audit event that was changed, added or removed",
		Help: `Reads the sealed hours of the audit log from the beginning and checks that they are one chain
of hashes without gaps that ends with the newest seal in the table. It compares each sealed
event with the one in the table, as long as the table keeps it (400 days), and looks for
events of sealed hours that are only in the table. It stops at the first problem.

The last line of the output is the head: the hour, the part and the hash of the newest sealed
object. Keep it where people who can change the account cannot change it, such as on another
machine or in a ticket. With --expect, the command also checks that the chain still has a
head that you kept. Nothing else shows that all objects were rewritten, or that the newest
ones were removed together with their events and their record. With --head-file, the command
expects the head in the file, if the file exists, and replaces it with the new one if it
finds no problem. It also accepts the bare hash that an earlier release printed.

Events after the newest sealed hour are not checked. If that hour ended more than three hours
ago, the command fails: the sealing does not run, or the newest objects were removed.

The exit code is 1 if the command finds a problem. The table is that of AUDIT_TABLE and the
bucket that of AUDIT_BUCKET, or both are those of the local stack.`,
		Prepare: func(flags *flag.FlagSet) operator.Action {
			v := &job{on: installation.NewTarget(flags)}
			flags.Var(&v.from, "from", "compare the table only from this `DAY` on, such as 2026-11-28; the chain is always read completely")
			flags.StringVar(&v.expect, "expect", "", "fail if the chain does not have this `HEAD`")
			flags.StringVar(&v.file, "head-file", "", "expect the head in this `FILE`, and replace it with the new one")
			return func(ctx context.Context, p operator.Process, arguments []string) error {
				if err := operator.RejectArguments(arguments); err != nil {
					return err
				}
				return operator.Interrupted(ctx, v.run(ctx, p))
			}
		},
	}
}

func (v *job) run(ctx context.Context, p operator.Process) error {
	expected, err := v.expected()
	if err != nil {
		return err
	}
	opened, err := v.on.Open(ctx, p)
	if err != nil {
		return err
	}
	verifier, err := chain.Verifier(opened, p)
	if err != nil {
		return err
	}
	reportedAt := p.Now()
	report, err := verifier.Verify(ctx, seals.Verification{
		From: v.from.Or(0), Expect: expected,
		Progress: func(at seals.Hour, events int) {
			if now := p.Now(); now.Sub(reportedAt) > operator.ProgressInterval {
				reportedAt = now
				p.Report("verified until %s: %d events", at, events)
			}
		},
	})
	if err != nil {
		return err
	}
	if report.Finding != nil {
		return printFinding(p, *report.Finding)
	}
	if err := cmp.Or(printVerified(p, report, expected), chain.Staleness(report)); err != nil {
		return err
	}
	return chain.WriteHead(v.file, report.Newest)
}

// expected returns the head that the chain must have, or the zero value without one.
func (v *job) expected() (seals.Head, error) {
	switch {
	case v.expect != "" && v.file != "":
		return seals.Head{}, operator.UsageError("pass either --expect or --head-file")
	case v.expect == "":
		return chain.ReadHead(v.file)
	case seals.IsHash(v.expect):
		return seals.Head{Hash: v.expect}, nil
	}
	head, err := seals.ParseHead(v.expect)
	if err != nil {
		return seals.Head{}, operator.UsageError("--expect: " + err.Error())
	}
	return head, nil
}

// printVerified prints the report of an audit log without findings.
func printVerified(p operator.Process, report seals.Report, expected seals.Head) error {
	if report.Objects == 0 {
		_, err := fmt.Fprintf(p.Stdout, "nothing is sealed yet: the events of an hour are complete %d minutes after its end, "+
			"and the run at 25 minutes past the hour seals them\n", int(auditlog.Settled.Minutes()))
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%10d  hours, from %s to %s\n", report.Last-report.First+1, report.First, report.Last)
	fmt.Fprintf(&b, "%10d  objects\n%10d  events\n", report.Objects, report.Events)
	if report.Purged > 0 {
		fmt.Fprintf(&b, "%10d  of them only in the objects, because the table keeps events for %d days\n", report.Purged, auditlog.Days)
	}
	if expected.Hash != "" {
		fmt.Fprintf(&b, "the chain has the expected head\n")
	}
	fmt.Fprintf(&b, "no event was changed, added or removed\n%s\nthe head is\n%s\n", chain.SealedUntil(report), report.Newest.Head())
	_, err := p.Stdout.Write([]byte(b.String()))
	return err
}

// errTampered ends the command after it has printed a finding.
var errTampered = errors.New("the audit log is not as it was sealed")

func printFinding(p operator.Process, found seals.Finding) error {
	var b strings.Builder
	place := "in the sealed object"
	if found.InTable {
		place = "in the table"
	}
	switch {
	case found.EventID != "":
		fmt.Fprintf(&b, "the event %s was %s %s\n", printable(found.EventID), found.Problem, place)
	case found.Object != "":
		fmt.Fprintf(&b, "the object %s was %s\n", printable(found.Object), found.Problem)
	default:
		fmt.Fprintf(&b, "the chain was %s\n", found.Problem)
	}
	for _, line := range findingLines(found) {
		if line[1] != "" {
			fmt.Fprintf(&b, "  %-8s  %s\n", line[0], printable(line[1]))
		}
	}
	if _, err := p.Stdout.Write([]byte(b.String())); err != nil {
		return err
	}
	return errTampered
}

// findingLines returns the fields of a finding, with empty ones.
func findingLines(found seals.Finding) [][2]string {
	event, at, where := found.Event, "", found.Object
	if !event.Time.IsZero() {
		at = event.Time.UTC().Format(time.RFC3339Nano)
	} else if from, isID := audit.TimeOf(found.EventID); isID {
		at = from.Format(time.RFC3339Nano)
	}
	if found.Line > 0 {
		where += fmt.Sprintf(", line %d", found.Line)
	}
	return [][2]string{
		{"time", at}, {"action", string(event.Action)},
		{"target", strings.TrimSpace(fmt.Sprintf("%s %s %s", event.Target.Kind, event.Target.ID, event.Target.Name))},
		{"actor", strings.TrimSpace(fmt.Sprintf("%s %s %s", event.Actor.Kind, event.Actor.ID, event.Actor.Name))},
		{"sealed", where}, {"reason", found.Detail},
	}
}

// printable returns a text for a terminal, with at most 300 characters.
func printable(text string) string {
	const longest = 300
	runes := []rune(cli.Printable(text))
	if len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return string(runes)
}
