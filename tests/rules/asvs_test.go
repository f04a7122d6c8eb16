package rules_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The states of a requirement in docs/asvs.md.
const (
	isMet        = "met"
	isNotMet     = "not met"
	isOutOfScope = "out of scope"
)

// asvsRow is a row of docs/asvs.md about one or more requirements.
type asvsRow struct{ numbers, state, text, evidence string }

// TestASVSIsComplete compares docs/asvs.md with the list of requirements, and with the tests that it names.
func TestASVSIsComplete(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "asvs.md"))
	if err != nil {
		t.Fatal(err)
	}
	levels, rows := readRequirements(t), asvsRows(string(text))
	states := map[string]string{}
	for _, row := range rows {
		for number := range strings.SplitSeq(row.numbers, ", ") {
			if levels[number] == "" {
				t.Errorf("%s is not a requirement of level 1 or 2", number)
			}
			if states[number] != "" {
				t.Errorf("%s is listed twice", number)
			}
			states[number] = row.state
		}
	}
	for number, level := range levels {
		if states[number] == "" {
			t.Errorf("%s (level %s) is missing", number, level)
		}
	}
	if counts := countStates(levels, states); !strings.Contains(string(text), counts) {
		t.Errorf("the counts are\n%s", counts)
	}
	proofs := map[string]bool{}
	for _, test := range definedTests(t, os.DirFS(root)) {
		proofs[test.name] = true
	}
	makefile, err := os.ReadFile(root + "/Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllStringSubmatch(string(makefile), -1) {
		proofs["make "+target[1]] = true
	}
	for _, problem := range unproven(rows, proofs) {
		t.Error(problem)
	}
}

// readRequirements returns the level of each requirement.
func readRequirements(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "asvs-5.0.0.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // only read
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	levels := map[string]string{}
	for _, line := range lines[1:] {
		levels[line[0]] = line[1]
	}
	return levels
}

// asvsRows returns the rows of all tables with requirements.
func asvsRows(text string) []asvsRow {
	var rows []asvsRow
	row := regexp.MustCompile(`(?m)^\| ([0-9][0-9., ]*) \| ([^|]*) \| ([^|]*) \|([^|]*)\|$`)
	for _, cells := range row.FindAllStringSubmatch(text, -1) {
		rows = append(rows, asvsRow{cells[1], cells[2], cells[3], strings.TrimSpace(cells[4])})
	}
	return rows
}

// countStates returns the table at the top of the document.
func countStates(levels, states map[string]string) string {
	counts := map[string]int{}
	for number, level := range levels {
		counts[states[number]+level]++
		counts[level]++
	}
	table := "| | Level 1 | Level 2 |\n|---|---|---|\n"
	for _, state := range []string{isMet, isNotMet, isOutOfScope} {
		table += fmt.Sprintf("| %s | %d | %d |\n", state, counts[state+"1"], counts[state+"2"])
	}
	return table + fmt.Sprintf("| all | %d | %d |\n", counts["1"], counts["2"])
}

// unproven returns the rows without a reason for their state. proofs are the tests, and the targets of make.
func unproven(rows []asvsRow, proofs map[string]bool) []string {
	var problems []string
	for _, row := range rows {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row.evidence, -1) {
			if !proofs[name[1]] {
				problems = append(problems, row.numbers+": "+name[1]+" does not exist")
			}
		}
		switch {
		case row.state == isMet && row.evidence == "":
			problems = append(problems, row.numbers+": nothing shows that it is met")
		case row.state == isNotMet && !regexp.MustCompile(`[Nn]eeds? `).MatchString(row.text):
			problems = append(problems, row.numbers+": what is missing? Write what it needs.")
		case row.state != isMet && row.state != isNotMet && row.state != isOutOfScope:
			problems = append(problems, row.numbers+": unknown state "+row.state)
		}
	}
	return problems
}

func TestUnprovenRequirementsAreFound(t *testing.T) {
	rows := asvsRows("| 1.1.1, 1.1.2 | met | does it | |\n| 1.2.1 | not met | does it not | |\n| 1.2.2 | perhaps | x | |\n" +
		"| 1.2.3 | met | does it | `shared/x.TestGone` |\n| 1.2.4 | met | does it | `shared/x.TestThere` |\n" +
		"| 1.2.5 | not met | does it not. Needs time | |\n")
	problems := unproven(rows, map[string]bool{"shared/x.TestThere": true})
	if got := strings.Join(problems, "\n"); len(rows) != 6 || len(problems) != 4 || !strings.Contains(got, "TestGone") {
		t.Errorf("%d rows, %s", len(rows), got)
	}
}
