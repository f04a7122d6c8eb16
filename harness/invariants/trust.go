package invariants

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/testkit/liststest"
)

// maxPolicies is how many trust policies a customer can have.
const maxPolicies = 50

// isExchanged reports whether a credential is a token that a workload got by an exchange. Its owner is a trust policy.
func (r row) isExchanged() bool {
	exchanged, _ := r.raw["exchanged"].(*types.AttributeValueMemberBOOL)
	return exchanged != nil && exchanged.Value
}

// madePolicy reports whether the item is an idempotency key that has created a trust policy.
func (r row) madePolicy() bool {
	return r.kind() == "once" && liststest.Text(nested(r.raw, "made"), "issuer") != ""
}

// checkPolicies compares the trust policies with the lists of their customers, and checks what exchanges rely on. A
// token can outlive its policy, but not belong to another customer or work for more than an hour.
func checkPolicies(broken *report, secrets []row) {
	wanted, found := map[string]string{}, map[string]string{}
	made, customers := map[string]string{}, map[string]bool{}
	for _, item := range secrets {
		switch {
		case item.isState():
			customers[item.after()] = true
		case item.kind() == "customer" && item.SK == "trust":
			list, _ := item.raw["policies"].(*types.AttributeValueMemberSS)
			if list == nil {
				continue // all policies were deleted
			}
			if n := len(list.Value); n > maxPolicies {
				broken.add("trust policies: %s has %d, want at most %d", item.after(), n, maxPolicies)
			}
			for _, id := range list.Value {
				found["trust#"+id] = item.after()
			}
		case item.kind() == "trust":
			wanted[item.PK] = customerOf(item)
			checkPolicy(broken, item)
		case item.madePolicy():
			checkEffect(broken, "trust policies", made, item)
		}
	}
	compare(broken, "trust policies", wanted, found)
	for id, customer := range wanted {
		if !customers[customer] {
			broken.add("trust policies: %s is of the customer %s, who does not exist", id, customer)
		}
	}
	for _, item := range secrets {
		if item.kind() == "credential" && item.isExchanged() {
			checkExchanged(broken, item, wanted)
		}
	}
}

func checkPolicy(broken *report, item row) {
	conditions, _ := item.raw["conditions"].(*types.AttributeValueMemberL)
	if conditions == nil || len(conditions.Value) == 0 {
		broken.add("trust policies: %s has no condition", item.PK)
	}
	if minutes := liststest.Number(item.raw, "minutes"); minutes < 1 || minutes > 60 {
		broken.add("trust policies: %s lets tokens work for %d minutes", item.PK, minutes)
	}
	if item.ID != item.after() || item.SK != "policy" || liststest.Number(item.raw, "version") < 1 {
		broken.add("trust policies: %s %s has the ID %q, or no version", item.PK, item.SK, item.ID)
	}
}

// checkExchanged checks a token. customers has the customers by the key of the policy.
func checkExchanged(broken *report, token row, customers map[string]string) {
	const hour = 60 * 60 * 1000
	if token.Expires <= token.Created || token.Expires > token.Created+hour || token.Role != "" || token.Line != "" {
		broken.add("trust policies: the token %s works longer than an hour, has a role, or can be renewed", token.ID)
	}
	if customer, exists := customers["trust#"+token.Owner]; exists && customer != customerOf(token) {
		broken.add("trust policies: the token %s is of the customer %s, but its policy of %s", token.ID, customerOf(token),
			customer)
	}
}
