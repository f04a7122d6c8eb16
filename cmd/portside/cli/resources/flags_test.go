package resources

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
)

func TestNumbersOfFlagsAreChecked(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, nil).LoggedIn()
	for flag, command := range map[string][]string{
		"--users-limit": {"customers", "update", acmeID}, "--requests-limit": {"customers", "create", "Acme", "--slug", "acme"},
		"--days":        {"tokens", "create", "--name", "a", "--scope", "read:helm-charts"},
		"--max-minutes": {"trust-policies", "update", trustPolicyID, "--customer", acmeID},
	} {
		for _, text := range []string{"abc", "1.5", "", "99999999999999999999"} {
			_, _, err := c.Run(append(slices.Clone(command), flag, text)...)
			if want := `invalid argument "` + text + `" for "` + flag + `" flag: must be a whole number`; err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
	c.WantCalls()
}

func TestRequiredFlagsMustNotBeEmpty(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, nil).LoggedIn()
	c.WantUsageError("pass --name", "users", "create", "ada@example.com")
	for message, command := range map[string][]string{
		"--name must not be empty":          {"users", "create", "ada@example.com", "--name", ""},
		"--slug must not be empty":          {"customers", "create", "Acme", "--slug", ""},
		"--scope must not be empty":         {"tokens", "create", "--name", "a", "--scope", ""},
		"--customer must not be empty":      {"entitlements", "list", "--customer", ""},
		"--justification must not be empty": {"requests", "create", "--access", "charts", "--justification", ""},
	} {
		c.WantUsageError(message, command...)
	}
	c.WantCalls()
}

// refusal is a refusal of the fields of these pointers.
func refusal(pointers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		var fields []map[string]string
		for _, pointer := range pointers {
			fields = append(fields, map[string]string{"pointer": pointer, "detail": "A."})
		}
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]any{"code": "VALIDATION_ERROR", "errors": fields})
	}
}

func TestErrorsNameTheFlagOfEachField(t *testing.T) {
	t.Parallel()
	answers := customerAnswers()
	answers["POST /api/v1/tokens"] = refusal("/expiration_days")
	answers["PUT /v1/customers/"+acmeID] = refusal("/limits/users", "/limits/requestsPerMinute", "/externalId", "/contacts/0/email")
	answers["GET /v1/audit"] = refusal("query/target", "query/actorId", "query/customerId")
	c := newTestCLI(t, answers).LoggedIn()
	c.WantError("; --days: A", "tokens", "create", "--name", "a", "--scope", "read:helm-charts", "--days", "900")
	c.WantError("; --users-limit: A; --requests-limit: A; --external-id: A; --contact: A", "customers", "update", acmeID,
		"--users-limit", "-1", "--requests-limit", "-1", "--external-id", "?", "--contact", "ada@example.com")
	c.WantError("; --users-limit: A; limits/requestsPerMinute: A", "customers", "update", acmeID, "--users-limit", "-1")
	c.WantError("; --user: A; --actor: A; --customer: A", "audit", "list", "--user", adaID, "--actor", adaID, "--customer", acmeID)
}
