package checks

import (
	"bytes"
	"encoding/json"
)

// ReplaceOrPatch applies a change to a stored object. The change replaces the object, or, if isPatch is true, is a JSON
// Merge Patch (RFC 7396). A change that is null empties the object. The result is compact. Both must have passed
// Object, which limits the depth.
//
// Numbers keep all their digits. The merge is written here because evanphx/json-patch also removes null inside arrays,
// against section 2.
func ReplaceOrPatch(stored, change json.RawMessage, isPatch bool) json.RawMessage {
	if !isPatch {
		return Compact(change)
	}
	return Compact(mergePatch(stored, change))
}

// mergePatch implements MergePatch of RFC 7396, section 2. A target that is not an object counts as an empty object.
func mergePatch(target, patch json.RawMessage) json.RawMessage {
	changes := membersOf(patch)
	if changes == nil {
		return patch
	}
	merged := membersOf(target)
	if merged == nil {
		merged = map[string]json.RawMessage{}
	}
	for name, value := range changes {
		if isNull(value) {
			delete(merged, name)
			continue
		}
		merged[name] = mergePatch(merged[name], value)
	}
	return encode(merged)
}

// membersOf returns the members of an object, or nil for any other value.
func membersOf(value json.RawMessage) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) != nil {
		return nil
	}
	return members
}

// encode returns an object with its members sorted. Unlike json.Marshal, it does not escape the characters of HTML.
func encode(members map[string]json.RawMessage) json.RawMessage {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(members); err != nil {
		panic("checks: the members of a decoded object cannot be encoded: " + err.Error())
	}
	return bytes.TrimRight(text.Bytes(), "\n")
}

func isNull(value json.RawMessage) bool { return string(bytes.TrimSpace(value)) == "null" }
