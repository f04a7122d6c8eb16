package invariants

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/constraints"
	"portside/shared/core/entitlement"
	"portside/shared/testkit/liststest"
)

// maxEntitlements is how many entitlements a customer can have.
const maxEntitlements = 200

// isState reports whether the item is the state of a customer in the table of credentials.
func (r row) isState() bool { return r.kind() == "customer" && r.SK == "customer" }

// madeEntitlement reports whether the item is an idempotency key that has created an entitlement.
func (r row) madeEntitlement() bool {
	return r.kind() == "once" && liststest.Text(nested(r.raw, "made"), "repository") != ""
}

// checkEntitlements checks the entitlements of each customer, and compares their version with the one in the state of
// the customer, by which processes know whether they have the current ones.
func checkEntitlements(broken *report, secrets []row) {
	wanted, found := map[string]string{}, map[string]string{}
	made, owners := map[string]string{}, map[string]string{}
	for _, item := range secrets {
		switch {
		case item.isState():
			if version := liststest.Number(item.raw, "entitlements"); version != 0 {
				found["the version in the state of "+item.after()] = strconv.FormatInt(version, 10)
			}
		case item.kind() == "customer" && item.SK == "entitlements":
			wanted["the version in the state of "+item.after()] = strconv.FormatInt(liststest.Number(item.raw, "version"), 10)
			checkEntitled(broken, item, owners)
		case item.kind() == "customer" && item.SK != "trust": // see checkPolicies
			broken.add("entitlements: %s %s is of an unknown kind", item.PK, item.SK)
		case item.madeEntitlement():
			checkEffect(broken, "entitlements", made, item)
		}
	}
	compare(broken, "entitlements", wanted, found)
}

// checkEntitled checks the entitlements of a customer. owners has the customers so far by the ID of the entitlement.
func checkEntitled(broken *report, item row, owners map[string]string) {
	list, _ := item.raw["entitlements"].(*types.AttributeValueMemberL)
	if list == nil {
		broken.add("entitlements: those of %s are not a list", item.after())
		return
	}
	if n := len(list.Value); n > maxEntitlements {
		broken.add("entitlements: %s has %d, want at most %d", item.after(), n, maxEntitlements)
	}
	for _, element := range list.Value {
		one, _ := element.(*types.AttributeValueMemberM)
		if one == nil {
			broken.add("entitlements: %s has one that is not a map", item.after())
			continue
		}
		checkEntitlement(broken, one.Value)
		id := liststest.Text(one.Value, "id")
		if other, isUsed := owners[id]; isUsed || id == "" {
			broken.add("entitlements: %s and %s have the same ID %q", other, item.after(), id)
		}
		owners[id] = item.after()
	}
}

func checkEntitlement(broken *report, one liststest.Item) {
	id, repository, constraint := liststest.Text(one, "id"), liststest.Text(one, "repository"),
		liststest.Text(one, "versions")
	if artifact := liststest.Text(one, "artifact"); !entitlement.Artifact(artifact).Known() {
		broken.add("entitlements: %s is for the artifact %q", id, artifact)
	}
	if !entitlement.IsPattern(repository) {
		broken.add("entitlements: %s is for the repository %q", id, repository)
	}
	if _, err := constraints.Parse(constraint); err != nil {
		broken.add("entitlements: %s is for the versions %q", id, constraint)
	}
	if from, until := liststest.Number(one, "from"), liststest.Number(one, "until"); until != 0 && until <= from {
		broken.add("entitlements: %s is never in effect, from %d until %d", id, from, until)
	}
	created, updated := liststest.Number(one, "created"), liststest.Number(one, "updated")
	if created <= 0 || liststest.Number(one, "version") < 1 {
		broken.add("entitlements: %s has no time of creation or no version", id)
	}
	if updated < created {
		broken.add("entitlements: %s was updated before its creation", id)
	}
}
