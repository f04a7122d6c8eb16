package rules_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// proofMarker stands above each test that docs/security.md names, so that whoever changes the test sees that it proves
// a claim.
const proofMarker = "//proves:docs/security.md"

// claimsWithoutTest is the number of claims with a reason why no test shows them.
const claimsWithoutTest = 2

// claim is a list item or a row of a table in docs/security.md.
type claim struct {
	line  int
	tests []string
	// reason says why no test shows the claim.
	reason string
}

// namedTest is a test that the document names, also outside of claims.
type namedTest struct {
	line int
	name string
}

var (
	testName = regexp.MustCompile("`((?:[\\w/]+\\.)?Test\\w+)`")
	// A claim ends with tests or with a reason. A cell has them without parentheses.
	endsWithTests  = regexp.MustCompile("\\(((?:`[\\w/.]+`(?:, )?)+)\\)[.:]?$")
	endsWithReason = regexp.MustCompile(`\(not tested: ([^()]+)\)\.?$`)
	cellOfTests    = regexp.MustCompile("^(?:`[\\w/.]+`(?:, )?)+$")
	cellOfReason   = regexp.MustCompile(`^not tested: (.+)$`)
)

// readClaims returns the claims of a document and all tests that it names. A list item or a row of a table is a claim.
// All rows share the tests of the paragraph above the table, if it ends with tests and a colon.
func readClaims(document string) (claims []claim, named []namedTest) {
	var shared []string // of the paragraph above the table
	for _, b := range blocksOf(document) {
		for _, match := range testName.FindAllStringSubmatch(b.text, -1) {
			named = append(named, namedTest{b.line, match[1]})
		}
		switch b.kind {
		case listItem:
			claims = append(claims, newClaim(b.line, b.text, endsWithTests, endsWithReason))
		case tableRow:
			cells := strings.Split(strings.Trim(b.text, "| "), "|")
			c := newClaim(b.line, strings.TrimSpace(cells[len(cells)-1]), cellOfTests, cellOfReason)
			if c.reason == "" {
				c.tests = append(c.tests, shared...)
			}
			claims = append(claims, c)
		case paragraph:
			if shared = nil; strings.HasSuffix(b.text, ":") {
				shared = newClaim(b.line, b.text, endsWithTests, endsWithReason).tests
			}
		}
	}
	return claims, named
}

func newClaim(line int, text string, tests, reason *regexp.Regexp) claim {
	c := claim{line: line}
	for _, match := range testName.FindAllStringSubmatch(tests.FindString(text), -1) {
		c.tests = append(c.tests, match[1])
	}
	if match := reason.FindStringSubmatch(text); match != nil {
		c.reason = match[1]
	}
	return c
}

type blockKind int

const (
	paragraph blockKind = iota // also a heading
	listItem
	tableRow
	tableHead // the first row, and the line below it
	codeBlock
)

// block is a part of a Markdown document: its lines in one.
type block struct {
	kind blockKind
	line int
	text string
}

// blocksOf returns the blocks of a document. Each row of a table is a block.
func blocksOf(document string) []block {
	var blocks []block
	isOpen := false // whether the next line can continue the last block
	for i, text := range strings.Split(document, "\n") {
		last := len(blocks) - 1
		switch {
		case isOpen && blocks[last].kind == codeBlock:
			isOpen = !strings.HasPrefix(text, "```")
		case strings.TrimSpace(text) == "":
			isOpen = false
		case strings.HasPrefix(text, "|"):
			kind := tableHead
			if isOpen && (blocks[last].kind == tableRow || strings.HasPrefix(blocks[last].text, "|--")) {
				kind = tableRow
			}
			blocks, isOpen = append(blocks, block{kind, i + 1, text}), true
		case isOpen && !isListItem(text) && blocks[last].kind <= listItem:
			blocks[last].text += " " + strings.TrimSpace(text)
		default:
			kind := paragraph
			if isListItem(text) {
				kind = listItem
			} else if strings.HasPrefix(text, "```") {
				kind = codeBlock
			}
			blocks, isOpen = append(blocks, block{kind, i + 1, text}), true
		}
	}
	return blocks
}

func isListItem(line string) bool {
	return regexp.MustCompile(`^\s*(?:[-*+]|\d+\.) `).MatchString(line)
}

// definedTest is a test of any module.
type definedTest struct {
	name string // behind the path of its package
	at   string // file:line
	// isProof says whether the marker is above it.
	isProof bool
}

// checkClaims returns the errors in the claims of a document, and compares its tests with those that have the marker.
func checkClaims(at, document string, defined []definedTest) []string {
	claims, named := readClaims(document)
	var problems []string
	for _, c := range claims {
		if len(c.tests) == 0 && c.reason == "" {
			problems = append(problems, fmt.Sprintf("%s:%d: this claim does not end with a test. End it with (`TestName`), or with "+
				"(not tested: reason)", at, c.line))
		}
	}
	byName := map[string][]definedTest{}
	for _, test := range defined {
		short := test.name[strings.LastIndex(test.name, ".")+1:]
		byName[short], byName[test.name] = append(byName[short], test), append(byName[test.name], test)
	}
	proofs := map[string]bool{}
	for _, n := range named {
		switch found := byName[n.name]; {
		case len(found) == 0:
			problems = append(problems, fmt.Sprintf("%s:%d: %s does not exist", at, n.line, n.name))
		case len(found) > 1:
			problems = append(problems, fmt.Sprintf("%s:%d: write %s or %s, because %s is in %d packages",
				at, n.line, found[0].name, found[1].name, n.name, len(found)))
		case !found[0].isProof:
			problems = append(problems,
				fmt.Sprintf("%s: %s:%d names this test; write %s above it", found[0].at, at, n.line, proofMarker))
		default:
			proofs[found[0].name] = true
		}
	}
	for _, test := range defined {
		if test.isProof && !proofs[test.name] {
			problems = append(problems,
				fmt.Sprintf("%s: %s no longer names this test; remove %s or name the test", test.at, at, proofMarker))
		}
	}
	return problems
}

// TestSecurityClaimsHaveTests compares the claims of docs/security.md with the tests of all modules, in both
// directions.
//
//proves:docs/security.md
func TestSecurityClaimsHaveTests(t *testing.T) {
	document := readText(t, "docs", "security.md")
	for _, problem := range checkClaims("docs/security.md", document, definedTests(t, os.DirFS(root))) {
		t.Error(problem)
	}
	claims, _ := readClaims(document)
	untested := 0
	for _, c := range claims {
		if c.reason != "" {
			untested++
		}
	}
	t.Logf("%d claims, %d without a test", len(claims), untested)
	if untested != claimsWithoutTest {
		t.Errorf("docs/security.md has %d claims without a test; claimsWithoutTest is %d", untested, claimsWithoutTest)
	}
	if len(claims) < 150 {
		t.Errorf("docs/security.md has only %d claims, so the test does not read it well", len(claims))
	}
}

// TestUnprovenClaimsAreFound checks documents with one mistake each.
func TestUnprovenClaimsAreFound(t *testing.T) {
	defined := []definedTest{
		{"a.TestOne", "a/one_test.go:1", true}, {"b.TestTwo", "b/two_test.go:2", true}, {"c.TestTwo", "c/two_test.go:3", false},
		{"c.TestFour", "c/four_test.go:4", false},
	}
	const named = "Both are shown by `TestOne` and `b.TestTwo`.\n\n"
	for document, want := range map[string]string{
		"- One thing\n  that is true (`TestOne`).\n- Another (`b.TestTwo`).\n":                                      "",
		named + "- A thing (not tested: AWS does it).\n":                                                            "",
		named + "Rows:\n\n| | Test |\n|---|---|\n| x | `TestOne`, `b.TestTwo` |\n| y | not tested: AWS does it |\n": "",
		named + "Rows (`TestOne`):\n\n| |\n|---|\n| x |\n| y |\n":                                                   "",
		named + "```\n- no claim\n| x |\n\n- no claim\n```\n":                                                       "",
		named + "- A thing.\n":                                                    "d.md:3: this claim",
		named + "- As `TestOne` shows, a thing.\n":                                "d.md:3: this claim",
		named + "- A thing (`TestOne`).\n- Another.\n  - Below it (`TestOne`).\n": "d.md:4: this claim",
		named + "1. A thing.\n":                                                   "d.md:3: this claim",
		named + "- A thing (not tested: ).\n":                                     "d.md:3: this claim",
		named + "| | Test |\n|---|---|\n| x | `TestOne` |\n| y | |\n":             "d.md:6: this claim",
		named + "Rows (`TestOne`):\n\nMore:\n\n| |\n|---|\n| x |\n":               "d.md:9: this claim",
		named + "```\nx\n```\n- A thing.\n":                                       "d.md:6: this claim",
		named + "- A thing (`TestThree`).\n":                                      "d.md:3: TestThree does not exist",
		named + "- A thing (`TestTwo`).\n":                                        "d.md:3: write b.TestTwo or c.TestTwo",
		named + "- A thing (`TestFour`).\n":                                       "c/four_test.go:4: d.md:3 names",
		"- A thing (`TestOne`).\n":                                                "b/two_test.go:2: d.md no longer names",
	} {
		problems := checkClaims("d.md", document, defined)
		if isFine := len(problems) == 0; isFine != (want == "") || !isFine &&
			(len(problems) > 1 || !strings.HasPrefix(problems[0], want)) {
			t.Errorf("%q: %q, want %q", document, problems, want)
		}
	}
	if claims, named := readClaims(""); len(claims)+len(named) > 0 || len(checkClaims("d.md", "", defined)) != 2 {
		t.Error("an empty document has claims, or proves something")
	}
}

// definedTests returns the tests below a folder, and fails if a marker is not directly above a test.
func definedTests(t *testing.T, tree fs.FS) []definedTest {
	t.Helper()
	definition := regexp.MustCompile(`(?m)^(` + regexp.QuoteMeta(proofMarker) + `\n)?func (Test\w+)\(t \*testing\.T\)`)
	var found []definedTest
	err := fs.WalkDir(tree, ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != "." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case !strings.HasSuffix(file, "_test.go"):
			return nil
		}
		source, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		text, markers := string(source), 0
		for _, at := range definition.FindAllStringSubmatchIndex(text, -1) {
			test := definedTest{
				name:    packageOf(file) + "." + text[at[4]:at[5]],
				at:      fmt.Sprintf("%s:%d", file, 1+strings.Count(text[:at[4]], "\n")),
				isProof: at[2] >= 0,
			}
			if found = append(found, test); test.isProof {
				markers++
			}
		}
		if n := strings.Count("\n"+text, "\n"+proofMarker); n != markers {
			t.Errorf("%s: %d of %d lines %s are not directly above a test", file, n-markers, n, proofMarker)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// packageOf returns the path of the package of a file.
func packageOf(file string) string { return path.Dir(file) }
