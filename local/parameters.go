package main

import (
	"fmt"
	"regexp"
	"strings"
)

// setting is one Name=Value; the value, or a part of it, may stand in quotes.
var setting = regexp.MustCompile(`^([A-Za-z0-9]+)=((?:[^\s'"]|'[^']*'|"[^"]*")*)(?:\s+|$)`)

var quoted = regexp.MustCompile(`'([^']*)'|"([^"]*)"`)

// parametersOf reads settings of the template. Its error never shows a value, which may be a key.
func parametersOf(text string) (map[string]string, error) {
	all := map[string]string{}
	last := ""
	for rest := strings.TrimSpace(text); rest != ""; {
		found := setting.FindStringSubmatch(rest)
		if found == nil {
			return nil, fmt.Errorf("PARAMETERS are not Name=Value %s: write them apart by spaces, and values with spaces in quotes", place(last))
		}
		last = found[1]
		if _, twice := all[last]; twice {
			return nil, fmt.Errorf("PARAMETERS have %s twice: leave one", last)
		}
		all[last] = quoted.ReplaceAllString(found[2], "$1$2")
		rest = rest[len(found[0]):]
	}
	return all, nil
}

func place(last string) string {
	if last == "" {
		return "from the beginning"
	}
	return "behind " + last
}
