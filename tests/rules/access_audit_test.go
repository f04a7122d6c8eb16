package rules_test

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// onlyEvents and onlySeal are the conditions of statements that allow writes of audit events, and of the record of the
// newest seal.
const (
	onlyEvents = "ForAllValues:StringLike\ndynamodb:LeadingKeys\nday#*\nNull\ndynamodb:LeadingKeys\nfalse"
	onlySeal   = "ForAllValues:StringEquals\ndynamodb:LeadingKeys\nseal\nNull\ndynamodb:LeadingKeys\nfalse"
)

// TestOnlyTheSealingWritesSeals reads the roles of template.yaml. A function that changes something may only put
// events, and the one that seals them may only write seals.
//
//proves:docs/security.md
func TestOnlyTheSealingWritesSeals(t *testing.T) {
	source, err := os.ReadFile(root + "/template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	statements, err := readStatements(source)
	if err != nil {
		t.Fatal(err)
	}
	writers := 0
	for _, s := range statements {
		if strings.Contains(s.resource, "AuditBucket") && s.function != "SealAuditFunction" {
			t.Errorf("%s may %s in the bucket of the sealed audit log", s.function, s.actions)
		}
		if !strings.Contains(s.resource, "-AuditTable") || !slices.ContainsFunc(s.actions, writesItems) {
			continue
		}
		writers++
		mayEvents := s.condition == onlyEvents && slices.Equal(s.actions, []string{"dynamodb:PutItem"}) &&
			s.function != "SealAuditFunction"
		maySeals := s.condition == onlySeal && slices.Equal(s.actions, []string{"dynamodb:GetItem", "dynamodb:PutItem"}) &&
			s.function == "SealAuditFunction"
		if !mayEvents && !maySeals {
			t.Errorf("%s may %s in the audit log with the condition %q", s.function, s.actions, s.condition)
		}
	}
	if writers < 8 {
		t.Errorf("found only %d functions that write to the audit log", writers)
	}
}

// writesItems reports whether an action on a table can write.
func writesItems(action string) bool {
	reads := []string{"dynamodb:BatchGetItem", "dynamodb:ConditionCheckItem", "dynamodb:GetItem", "dynamodb:Query",
		"dynamodb:Scan"}
	return !slices.Contains(reads, action)
}
