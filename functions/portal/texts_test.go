package main

import (
	"regexp"
	"strings"
	"testing"
)

// Texts that are not in strings.js, because they are the same in every language.
var untranslated = map[string]bool{"make demo": true}

// TestTextsAreInOneFile finds texts in the templates of modules. Texts of users belong in core/strings.js.
func TestTextsAreInOneFile(t *testing.T) {
	for name, module := range modules(t) {
		for _, text := range templateTexts(module) {
			if !untranslated[text] {
				t.Errorf("%s contains the text %q; move it to core/strings.js", name, text)
			}
		}
		for _, attribute := range textAttribute.FindAllString(module, -1) {
			t.Errorf("%s contains the attribute %s; move its text to core/strings.js", name, attribute)
		}
	}
}

// textAttribute matches an attribute whose literal value users read.
var textAttribute = regexp.MustCompile(
	`\s(?:label|title|intro|hint|text|alt|placeholder|confirm|submit|aria-label)="[^"]*[A-Za-z]{2}[^"]*"`)

func TestTemplateTexts(t *testing.T) {
	for module, want := range map[string]string{
		"html`<p class=\"a b\">Hello</p>`":                               "Hello",
		"html`<p>${a ? html`<b>one</b>` : \"code\"}</p>`":                "one",
		"html`<${Page} title=${`x ${y} z`}>${text}<//>`":                 "",
		"// html`<p>comment</p>`\nconst a = /[`\"]/; html`<p>two</p>`":   "two",
		"`plain ${html`<p>three</p>`}`; /* html`<p>no</p>` */ 'html`x`'": "three",
	} {
		if got := strings.Join(templateTexts(module), "|"); got != want {
			t.Errorf("templateTexts(%s) = %q, want %q", module, got, want)
		}
	}
}

// TestTextsAreUsed finds texts of core/strings.js that no module shows.
func TestTextsAreUsed(t *testing.T) {
	all := modules(t)
	section, found := "", 0
	for line := range strings.Lines(readModule(t, "core/strings.js")) {
		if m := sectionLine.FindStringSubmatch(line); m != nil {
			section = m[1]
		} else if m := textLine.FindStringSubmatch(line); m != nil && section != "" {
			found++
			if !isUsed(all, section, m[1]) {
				t.Errorf("no module uses strings.%s.%s; delete it", section, m[1])
			}
		}
	}
	if found < 300 {
		t.Errorf("found only %d texts in core/strings.js", found)
	}
}

var (
	sectionLine = regexp.MustCompile(`^  (\w+): \{`)
	textLine    = regexp.MustCompile(`^    "?([\w-]+)"?[:,]`)
)

// isUsed reports whether a module names the text, or reads texts of its section by a computed name.
func isUsed(modules map[string]string, section, key string) bool {
	object := `strings\.` + section
	direct := regexp.MustCompile(object + `(?:\.` + key + `\b|\[|\)|\.?\["` + key + `"\])`)
	alias := regexp.MustCompile(`const texts = ` + object + `;`)
	aliased := regexp.MustCompile(`\btexts(?:\.` + key + `\b|\[)`)
	for _, module := range modules {
		if direct.MatchString(module) || alias.MatchString(module) && aliased.MatchString(module) {
			return true
		}
	}
	return false
}
