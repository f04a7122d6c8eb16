package operator

import (
	"errors"
	"flag"
	"fmt"
	"strconv"

	"portside/shared/core/calendar"
)

// parse accepts flags before, between and after the arguments. Everything after -- is an argument.
func parse(flags *flag.FlagSet, args []string) (arguments []string, err error) {
	for len(args) > 0 {
		if err := flags.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, UsageError(err.Error())
		}
		left := flags.Args()
		if parsed := len(args) - len(left); len(left) == 0 || parsed > 0 && args[parsed-1] == "--" {
			return append(arguments, left...), nil
		}
		arguments, args = append(arguments, left[0]), left[1:]
	}
	return arguments, nil
}

// WholeNumber returns a function that reads the value of a flag.
func WholeNumber(n *int) func(text string) error {
	return func(text string) (err error) {
		if *n, err = strconv.Atoi(text); err != nil {
			return errors.New("must be a whole number")
		}
		return nil
	}
}

// RejectArguments returns an error if a command that takes only flags has arguments.
func RejectArguments(arguments []string) error {
	if len(arguments) > 0 {
		return UsageError(fmt.Sprintf("unexpected argument %q", arguments[0]))
	}
	return nil
}

// DayFlag is an optional day on the command line. It is nil if the flag is missing.
type DayFlag struct{ day *calendar.Day }

func (f *DayFlag) String() string {
	if f.day == nil {
		return ""
	}
	return f.day.String()
}

// Set implements flag.Value.
func (f *DayFlag) Set(text string) error {
	day, err := calendar.ParseDay(text)
	f.day = &day
	return err
}

// Or returns the day of the flag, or else another one.
func (f *DayFlag) Or(day calendar.Day) calendar.Day {
	if f.day == nil {
		return day
	}
	return *f.day
}
