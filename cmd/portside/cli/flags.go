package cli

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// WholeNumber is a flag with a whole number. The service checks its bounds.
type WholeNumber int64

func (n *WholeNumber) String() string { return strconv.FormatInt(int64(*n), 10) }

// Type implements pflag.Value.
func (*WholeNumber) Type() string { return "N" }

// Set implements pflag.Value.
func (n *WholeNumber) Set(given string) error {
	parsed, err := strconv.ParseInt(given, 10, 64)
	if err != nil {
		return errors.New("must be a whole number")
	}
	*n = WholeNumber(parsed)
	return nil
}

// Required returns an error unless all these flags are set, to values that are not empty.
func Required(c *cobra.Command, names ...string) error {
	for _, name := range names {
		if !c.Flags().Changed(name) {
			return UsageError("pass " + flagList(names))
		}
	}
	for _, name := range names {
		if value := c.Flag(name).Value.String(); value == "" || value == noTexts {
			return UsageErrorf("--%s must not be empty", name)
		}
	}
	return nil
}

// noTexts is the text of a flag whose list of values is empty.
const noTexts = "[]"

// flagList returns the names as --a, --b and --c.
func flagList(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return "--" + names[0]
	}
	return "--" + strings.Join(names[:last], ", --") + " and --" + names[last]
}
