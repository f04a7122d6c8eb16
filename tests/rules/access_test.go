package rules_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// credentialWriters are the functions that change credentials. All others authenticate callers at most.
func credentialWriters() []string {
	return []string{
		"AccessFunction", "AnonymousFunction", "RotateTokensFunction", "SendMailFunction", "SessionsFunction", "UsersFunction",
	}
}

// statement is an IAM statement of a function's role.
type statement struct {
	function  string
	actions   []string
	resource  string // all of its text, one scalar a line
	condition string // the same
}

// onlyCustomers is the condition of a statement that allows writes to the states, entitlements and trust policies of
// customers and to idempotency keys. None of them has a credential: the secret in an idempotency key is sealed with the
// text of the key.
const onlyCustomers = "ForAllValues:StringLike\ndynamodb:LeadingKeys\ncustomer#*\nonce#*\ntrust#*\nNull\ndynamodb:LeadingKeys\nfalse"

// TestAuthenticationChangesNoCredential reads the roles of template.yaml. A function that parses files or proxies
// images must not be able to change a hash or a role, although it counts requests.
//
//proves:docs/security.md
func TestAuthenticationChangesNoCredential(t *testing.T) {
	source, err := os.ReadFile(root + "/template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	statements, err := readStatements(source)
	if err != nil {
		t.Fatal(err)
	}
	for _, violation := range checkCredentials(statements) {
		t.Error(violation)
	}
	counting := 0
	for _, s := range statements {
		if strings.Contains(s.resource, "RequestCountsTable.Arn") && slices.Contains(s.actions, "dynamodb:UpdateItem") {
			counting++
		}
	}
	if counting < 8 {
		t.Errorf("found only %d functions that count requests", counting)
	}
}

// checkCredentials returns the statements that let a function change more than it may.
func checkCredentials(statements []statement) []string {
	var violations []string
	for _, s := range statements {
		for _, action := range s.actions {
			if slices.Contains(credentialWriters(), s.function) || mayAuthenticate(action, s.resource) ||
				s.condition == onlyCustomers {
				continue
			}
			violations = append(violations, fmt.Sprintf("%s may %s on %s; it only authenticates callers",
				s.function, action, strings.TrimSpace(s.resource)))
		}
	}
	return violations
}

// mayAuthenticate reports whether a function needs the action on the resource to authenticate callers, or the resource
// has no credentials.
func mayAuthenticate(action, resource string) bool {
	isTable := strings.Contains(action, "dynamodb:") || strings.Contains(action, "*")
	switch {
	case isTable && (strings.Contains(resource, "CredentialsTable") || strings.Contains(resource, "table/*")):
		return slices.Contains([]string{"dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"}, action)
	case isTable && strings.Contains(resource, "RequestCountsTable"):
		return action == "dynamodb:UpdateItem"
	default:
		return true
	}
}

//proves:docs/security.md
func TestConditionOnCustomersIsRequired(t *testing.T) {
	for keys, wanted := range map[string]int{`"customer#*", "once#*", "trust#*"`: 0, `"*"`: 1,
		`"customer#*", "credential#*"`: 1} {
		t.Run(keys, func(t *testing.T) {
			role := "Resources:\n  CustomersFunctionRole:\n    Properties:\n      Statement:\n        - Effect: Allow\n" +
				"          Action: dynamodb:PutItem\n          Resource: !Sub ${CredentialsTable.Arn}\n          Condition:\n" +
				"            ForAllValues:StringLike: { \"dynamodb:LeadingKeys\": [" + keys + "] }\n" +
				"            \"Null\": { \"dynamodb:LeadingKeys\": \"false\" }\n"
			statements, err := readStatements([]byte(role))
			if violations := checkCredentials(statements); err != nil || len(violations) != wanted {
				t.Errorf("%s: violations %q, want %d; %v", keys, violations, wanted, err)
			}
		})
	}
}

func TestCredentialViolationsAreFound(t *testing.T) {
	for _, action := range []string{"dynamodb:UpdateItem", "dynamodb:PutItem", "dynamodb:BatchWriteItem", "dynamodb:*",
		"*"} {
		role := "Resources:\n  MediaFunctionRole:\n    Properties:\n      Statement:\n        - Effect: Allow\n" +
			"          Action: [dynamodb:GetItem, \"" + action + "\"]\n          Resource: !Sub ${CredentialsTable.Arn}\n"
		statements, err := readStatements([]byte(role))
		if err != nil || len(checkCredentials(statements)) != 1 {
			t.Errorf("%s: %d violations, %v", action, len(checkCredentials(statements)), err)
		}
	}
}

// readStatements returns the statements of all roles of functions.
func readStatements(source []byte) ([]statement, error) {
	var template struct {
		Resources map[string]yaml.Node `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(source, &template); err != nil {
		return nil, err
	}
	var found []statement
	for id, node := range template.Resources {
		if function, isRole := strings.CutSuffix(id, "Role"); isRole && strings.HasSuffix(function, "Function") {
			found = appendStatements(found, function, &node)
		}
	}
	return found, nil
}

// appendStatements appends the mappings below the node that have an action and a resource.
func appendStatements(found []statement, function string, node *yaml.Node) []statement {
	if action, resource := valueOf(node, "Action"), valueOf(node, "Resource"); action != nil && resource != nil {
		text := func(node *yaml.Node) string { return strings.Join(scalars(node), "\n") }
		return append(found, statement{function, scalars(action), text(resource), text(valueOf(node, "Condition"))})
	}
	for _, child := range node.Content {
		found = appendStatements(found, function, child)
	}
	return found
}

// valueOf returns the value of a key in a mapping, or nil.
func valueOf(node *yaml.Node, key string) *yaml.Node {
	if node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}

// scalars returns all scalars below a node, or none without a node.
func scalars(node *yaml.Node) []string {
	if node == nil {
		return nil
	}
	if node.Kind == yaml.ScalarNode {
		return []string{node.Value}
	}
	var all []string
	for _, child := range node.Content {
		all = append(all, scalars(child)...)
	}
	return all
}
