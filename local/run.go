package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"

	"portside/local/stack"
)

// stopTimeout bounds a graceful shutdown.
const stopTimeout = 3 * time.Second

var errUsage = errors.New("wrong flags") // the flag package has already printed the error

// newFlagSet returns the flags that all subcommands have in common.
func newFlagSet(name string, o *stack.Options) *flag.FlagSet {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.StringVar(&o.RepoDir, "repo", ".", "`folder` with template.yaml and Makefile")
	set.StringVar(&o.DataDir, "data", "", "data `folder` (default .local/data)")
	return set
}

// parseFlags refuses positional arguments, because they are usually flags without their dash.
func parseFlags(set *flag.FlagSet, args []string) error {
	if err := set.Parse(args); err != nil {
		return errUsage
	}
	if set.NArg() > 0 {
		return fmt.Errorf("%s: %q is not a flag; see local %s -h", set.Name(), set.Arg(0), set.Name())
	}
	return nil
}

func runCommand(ctx context.Context, args []string) error {
	o := stack.Options{Log: os.Stdout, Color: isTerminal(os.Stdout), BuildOnRequest: true}
	set := newFlagSet("run", &o)
	set.StringVar(&o.Addr, "addr", "127.0.0.1:3000", "`address` of the API")
	limit := set.String("rate-limit", "",
		"`requests` that a credential may make per minute; 0 means no limit (default: the template's)")
	parameters := set.String("parameters", "", "template `parameters`: Name=Value separated by spaces; quote values with spaces "+
		"(default: the environment variable PARAMETERS, which process listings do not show)")
	set.DurationVar(&o.DynamoDBDelay, "dynamodb-delay", 0, "`time` added to each call of DynamoDB, such as 5ms")
	set.IntVar(&o.Concurrency, "concurrency", 0, "concurrent `invocations` of all functions without reserved concurrency "+
		"(default: those of an AWS account)")
	set.BoolVar(&o.DynamoDBUnits, "dynamodb-units", false,
		"report the capacity units of each call of DynamoDB to make cost")
	set.BoolVar(&o.BuildEngines, "build-engines", false, "build the S3 server and the registry while the stack runs")
	logs := set.String("logs", "short",
		"`short` shows one line for each request and writes all lines to a file; json shows all lines")
	if err := parseFlags(set, args); err != nil {
		return err
	}
	if *logs != "" && *logs != "short" && *logs != "json" {
		return fmt.Errorf("LOGS=%s: use short or json", *logs)
	}
	o.KeepLog = *logs != "json"
	var err error
	if o.Parameters, err = parseParameters(cmp.Or(*parameters, os.Getenv("PARAMETERS"))); err != nil {
		return err
	}
	if err := rateLimit(&o, *limit); err != nil {
		return err
	}
	s, err := stack.Start(ctx, o)
	if err != nil {
		return err
	}
	s.Print(s.Banner())
	select {
	case <-ctx.Done():
		s.Print("\nshutting down …")
	case err = <-s.Failed():
	}
	return errors.Join(err, stopStack(ctx, s))
}

// stopStack accepts a context that is already canceled: Ctrl-C cancels the command's context.
func stopStack(ctx context.Context, s *stack.Stack) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return s.Stop(ctx)
}

// rateLimit sets o.RateLimit. An empty text leaves it unset, because make passes RATE_LIMIT even if
// it is not set.
func rateLimit(o *stack.Options, text string) error {
	if text == "" {
		return nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 0 {
		return fmt.Errorf("RATE_LIMIT=%s is not a number of requests: use a number such as 100, or 0 for no limit", text)
	}
	o.RateLimit = &limit
	return nil
}

func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == ""
}
