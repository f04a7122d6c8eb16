package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"portside/shared/core/audit"
)

// kindLine matches the actions of a kind in pages/audit/actions.js.
var kindLine = regexp.MustCompile(`(?m)^  (\w+): \[(.*)\],$`)

func TestPageOfTheAuditLogHasAllActions(t *testing.T) {
	var shown []audit.Action
	for _, line := range kindLine.FindAllStringSubmatch(readModule(t, "pages/audit/actions.js"), -1) {
		for verb := range strings.SplitSeq(line[2], ", ") {
			shown = append(shown, audit.Action(line[1]+"."+strings.Trim(verb, `"`)))
		}
	}
	if want := audit.Actions(); !slices.Equal(shown, want) {
		t.Errorf("the page has the actions %v, want %v", shown, want)
	}
}
