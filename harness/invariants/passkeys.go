package invariants

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// checkPasskeys checks that each passkey belongs to one user who exists, and that its credential ID is marked as taken.
func checkPasskeys(broken *report, all []row, known owners) {
	taken, holders := map[string]bool{}, map[string]string{}
	for _, item := range all {
		if item.kind() == "passkey" {
			taken[item.after()] = true
		}
	}
	for _, item := range all {
		if item.kind() != "owner" || item.SK != "passkeys" {
			continue
		}
		owner := item.after()
		if _, exists := known.users[owner]; !exists {
			broken.add("passkeys: the owner %s does not exist", owner)
		}
		for _, hash := range credentialHashes(item) {
			if !taken[hash] {
				broken.add("passkeys: a credential of %s is not marked as taken", owner)
			}
			if other := holders[hash]; other != "" {
				broken.add("passkeys: %s and %s have the same credential", other, owner)
			}
			holders[hash] = owner
		}
	}
}

// credentialHashes returns the hashes of the credential IDs of a user's passkeys.
func credentialHashes(set row) []string {
	list, _ := set.raw["passkeys"].(*types.AttributeValueMemberL)
	if list == nil {
		return nil
	}
	var hashes []string
	for _, passkey := range list.Value {
		fields, _ := passkey.(*types.AttributeValueMemberM)
		if fields == nil {
			continue
		}
		if id, isBytes := fields.Value["credential"].(*types.AttributeValueMemberB); isBytes {
			sum := sha256.Sum256(id.Value)
			hashes = append(hashes, hex.EncodeToString(sum[:]))
		}
	}
	return hashes
}
