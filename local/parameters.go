package main

import (
	"fmt"
	"regexp"
	"strings"
)

// settingPattern matches one Name=Value. The value or a part of it may be quoted.
var settingPattern = regexp.MustCompile(`^([A-Za-z0-9]+)=((?:[^\s'"]|'[^']*'|"[^"]*")*)(?:\s+|$)`)

var quotedPattern = regexp.MustCompile(`'([^']*)'|"([^"]*)"`)

// parseParameters parses template parameters. Its errors never contain a value, because a value may
// be a key.
func parseParameters(text string) (map[string]string, error) {
	all := map[string]string{}
	last := ""
	for rest := strings.TrimSpace(text); rest != ""; {
		found := settingPattern.FindStringSubmatch(rest)
		if found == nil {
			return nil, fmt.Errorf("PARAMETERS are not Name=Value %s: separate them by spaces, and quote values with spaces",
				position(last))
		}
		last = found[1]
		if _, twice := all[last]; twice {
			return nil, fmt.Errorf("PARAMETERS set %s twice: remove one", last)
		}
		all[last] = quotedPattern.ReplaceAllString(found[2], "$1$2")
		rest = rest[len(found[0]):]
	}
	return all, nil
}

func position(last string) string {
	if last == "" {
		return "from the beginning"
	}
	return "after " + last
}
