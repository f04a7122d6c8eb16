// Command bench measures the figures of the README and prints them as a table.
//
// It runs the local stack as a child process, on a free port and with a temporary data folder below
// .local. So it can run beside another stack, and leaves nothing behind. It measures only real
// parts: the built functions, the real engines, real HTTP. It marks a figure that misses its target
// as MISS. The exit code is 0 even then, because the machine may be busy. It is 1 only if something
// could not be measured.
//
// It reads /proc and so requires Linux.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"portside/cmd/bench/figures"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run of the command.
type bench struct {
	repo      string
	dir       string // for data and binaries; deleted at the end
	users     int
	customers int
	events    int    // of the audit log
	only      string // names of parts, separated by commas; empty for all
	progress  io.Writer
	table     figures.Table
}

// limit returns the time limit of a run: 15 minutes, plus 20 times the usual duration of the users'
// import, and several times that of creating the customers.
func (b *bench) limit() time.Duration {
	return 15*time.Minute + time.Duration(b.users+b.customers)*20*time.Millisecond
}

func run(ctx context.Context, args []string, out, progress io.Writer) (err error) {
	b := &bench{progress: progress}
	if err := b.parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp(filepath.Join(b.repo, ".local"), "bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	ctx, cancel := context.WithTimeout(ctx, b.limit())
	defer cancel()
	machine := figures.Machine()
	err = b.measure(ctx)
	if b.table.IsEmpty() {
		return err
	}
	_, printed := fmt.Fprintf(out, "%s\n\n%s", machine, b.table)
	return errors.Join(err, printed)
}

func (b *bench) parse(args []string) (err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&b.repo, "repo", ".", "`folder` with template.yaml and .local")
	flags.IntVar(&b.users, "users", 100_000, "`number` of users in the lists")
	flags.IntVar(&b.customers, "customers", 100_000, "`number` of customers in their list")
	flags.IntVar(&b.events, "events", 100_000, "`number` of events in the audit log")
	flags.StringVar(&b.only, "only", "", "measure only these `parts`: "+strings.Join(b.partNames(), ","))
	if err := flags.Parse(args); err != nil {
		return err
	}
	if b.users < 1_000 {
		return errors.New("-users must be at least 1000: the samples are spread over the list")
	}
	if b.customers < 100 {
		return errors.New("-customers must be at least 100: the searches need some")
	}
	if b.events < 20_000 {
		return errors.New("-events must be at least 20000: a page of each person, customer and user needs some")
	}
	if err := b.checkOnly(); err != nil {
		return err
	}
	if b.repo, err = filepath.Abs(b.repo); err != nil {
		return err
	}
	if _, err := os.Stat(b.localBinary()); err != nil {
		return fmt.Errorf("%s is missing: run `make bench`, which builds it", b.localBinary())
	}
	if _, err := exec.LookPath(pdftotext); b.wants("media") && err != nil {
		return errors.New("pdftotext is missing: install it (on Debian: apt-get install poppler-utils), or leave out the part media with -only")
	}
	return nil
}

func (b *bench) localBinary() string { return filepath.Join(b.repo, ".local", "bin", "local") }

// part is a group of figures that can be measured alone.
type part struct {
	name    string
	measure func(context.Context, *stack) error
}

// parts returns the parts in the order of measurement: the stack comes first, while it is unused,
// and the lists last, because filling them takes longest. Sizes need no stack.
func (b *bench) parts() []part {
	return []part{
		{"sizes", nil}, {"stack", b.idle}, {"starts", b.functionStarts}, {"requests", b.function}, {"credentials", b.credentials},
		{"registry", b.registry}, {"charts", b.charts}, {"media", b.media}, {"analytics", b.analytics}, {"trips", b.roundTrips},
		{"customers", b.customerLists}, {"exchange", b.exchange}, {"audit", b.auditLog}, {"import", b.bulkImport}, {"lists", b.lists}, {"costs", b.costs},
	}
}

func (b *bench) wants(name string) bool {
	if b.only == "" {
		return name != "costs" // writes a file, so only on demand
	}
	return slices.Contains(strings.Split(b.only, ","), name)
}

func (b *bench) partNames() []string {
	var names []string
	for _, p := range b.parts() {
		names = append(names, p.name)
	}
	return names
}

// checkOnly returns an error for an unknown part.
func (b *bench) checkOnly() error {
	known := b.partNames()
	for name := range strings.SplitSeq(b.only, ",") {
		if b.only != "" && !slices.Contains(known, name) {
			return fmt.Errorf("-only: unknown part %q; the parts are %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

func (b *bench) measure(ctx context.Context) error {
	if b.wants("sizes") {
		if err := b.sizes(ctx); err != nil || b.only == "sizes" {
			return err
		}
	}
	s, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer s.Stop()
	for _, p := range b.parts() {
		if p.measure == nil || !b.wants(p.name) {
			continue
		}
		if err := p.measure(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// logProgress shows that a long run is still active.
func (b *bench) logProgress(format string, args ...any) {
	_, _ = fmt.Fprintf(b.progress, "bench: "+format+"\n", args...) // losing a progress line does no harm
}
