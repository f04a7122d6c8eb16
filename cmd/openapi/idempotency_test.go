package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// keyRule is the rule for an Idempotency-Key in its schema.
type keyRule struct {
	isUUID bool
	maxLen int
}

// TestEachIdempotencyKeySaysItsForm checks that each operation with the header describes the form of a key in words and
// in its schema, and that docs/api.md names the operations that accept only a UUID.
func TestEachIdempotencyKeySaysItsForm(t *testing.T) {
	built, err := buildDocument(root)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `yaml:"operationId"`
			Parameters  []struct {
				Name, Description string
				Schema            struct {
					Pattern   string
					MaxLength int `yaml:"maxLength"`
				}
			}
		}
	}
	if err := yaml.Unmarshal(built.yaml, &document); err != nil {
		t.Fatal(err)
	}
	var withUUID []string
	found := map[keyRule]int{}
	for _, operations := range document.Paths {
		for _, o := range operations {
			for _, p := range o.Parameters {
				if p.Name != "Idempotency-Key" {
					continue
				}
				rule := keyRule{isUUID: strings.Contains(p.Schema.Pattern, "-4[0-9A-Fa-f]{3}-"), maxLen: p.Schema.MaxLength}
				found[rule]++
				words := "1 to 255 printable ASCII characters"
				if rule.isUUID {
					withUUID, words = append(withUUID, o.OperationID), "UUID (version 4)"
				}
				if !strings.Contains(p.Description, words) {
					t.Errorf("%s describes its key as %q, without %q", o.OperationID, p.Description, words)
				}
			}
		}
	}
	if len(found) != 2 || found[keyRule{isUUID: true}] == 0 || found[keyRule{maxLen: 255}] == 0 {
		t.Errorf("the rules of keys are %v, want one for secrets and one for all others", found)
	}
	guide, err := os.ReadFile(root + "/docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| (.*): the response has a secret \|`).FindStringSubmatch(string(guide))
	slices.Sort(withUUID)
	if want := "`" + strings.Join(withUUID, "`, `") + "`"; len(row) < 2 || row[1] != want {
		t.Errorf("docs/api.md names %q as the operations with a secret, want %s", row, want)
	}
}
