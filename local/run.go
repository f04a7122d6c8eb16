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

// stopTime is how long an ordered end may take in all.
const stopTime = 3 * time.Second

var errUsage = errors.New("wrong flags") // the flag package has told the user already

// flags are those of every subcommand that has a stack.
func flags(name string, o *stack.Options) *flag.FlagSet {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.StringVar(&o.RepoDir, "repo", ".", "`folder` with template.yaml and Makefile")
	set.StringVar(&o.DataDir, "data", "", "`folder` of the data (default .local/data)")
	return set
}

// parse refuses arguments that are no flags, which are mostly a flag without its dash.
func parse(set *flag.FlagSet, args []string) error {
	if err := set.Parse(args); err != nil {
		return errUsage
	}
	if set.NArg() > 0 {
		return fmt.Errorf("%s: %q is not a flag; see local %s -h", set.Name(), set.Arg(0), set.Name())
	}
	return nil
}

func runCommand(ctx context.Context, args []string) error {
	o := stack.Options{Log: os.Stdout, Colour: terminal(os.Stdout)}
	set := flags("run", &o)
	set.StringVar(&o.Addr, "addr", "127.0.0.1:3000", "`address` of the API")
	limit := set.String("rate-limit", "", "`requests` a credential may make per minute; 0 is no limit (default: the template's)")
	parameters := set.String("parameters", "", "`settings` of the template: Name=Value, apart by spaces, values with spaces in "+
		"quotes (default: the environment's PARAMETERS, where no list of processes shows a key)")
	if err := parse(set, args); err != nil {
		return err
	}
	var err error
	if o.Parameters, err = parametersOf(cmp.Or(*parameters, os.Getenv("PARAMETERS"))); err != nil {
		return err
	}
	if err := rateLimit(&o, *limit); err != nil {
		return err
	}
	s, err := stack.Start(ctx, o)
	if err != nil {
		return err
	}
	s.Say(s.Banner())
	select {
	case <-ctx.Done():
		s.Say("\nending …")
	case err = <-s.Failed():
	}
	return errors.Join(err, stopStack(ctx, s))
}

// stopStack takes the command's context, which mostly has ended: that is why the stack stops.
func stopStack(ctx context.Context, s *stack.Stack) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	return s.Stop(ctx)
}

// rateLimit takes an empty text for none, so that make may pass a variable that nobody set.
func rateLimit(o *stack.Options, text string) error {
	if text == "" {
		return nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 0 {
		return fmt.Errorf("RATE_LIMIT=%s is not a number of requests: write it like 100, or 0 for no limit", text)
	}
	o.RateLimit = &limit
	return nil
}

func terminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == ""
}
