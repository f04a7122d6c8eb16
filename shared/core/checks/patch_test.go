package checks_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"portside/shared/core/checks"
)

// TestReplaceOrPatchMergesAsRFC7396 has the cases of RFC 7396, appendix A, whose target and patch are objects.
func TestReplaceOrPatchMergesAsRFC7396(t *testing.T) {
	for _, c := range []struct{ stored, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"a":1}`, `null`, `{}`},
		{`{"n":10000000000000000001.50}`, ` { "m" : 1e400 } `, `{"n":10000000000000000001.50,"m":1e400}`},
	} {
		t.Run(c.stored+" patched with "+c.patch, func(t *testing.T) {
			got := checks.ReplaceOrPatch(json.RawMessage(c.stored), json.RawMessage(c.patch), true)
			if !sameJSON(t, got, []byte(c.want)) {
				t.Errorf("%s patched with %s is %s, want %s", c.stored, c.patch, got, c.want)
			}
			replaced := checks.ReplaceOrPatch(json.RawMessage(c.stored), json.RawMessage(c.patch), false)
			if want := checks.Compact(json.RawMessage(c.patch)); !bytes.Equal(replaced, want) {
				t.Errorf("%s replaced by %s is %s", c.stored, c.patch, replaced)
			}
		})
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	for text, into := range map[*[]byte]*any{&a: &x, &b: &y} {
		decoder := json.NewDecoder(bytes.NewReader(*text))
		decoder.UseNumber()
		if err := decoder.Decode(into); err != nil {
			t.Fatalf("%s: %v", *text, err)
		}
	}
	return reflect.DeepEqual(x, y)
}

// FuzzReplaceOrPatch compares the merge with the pseudocode of RFC 7396, section 2.
func FuzzReplaceOrPatch(f *testing.F) {
	f.Add(`{"a":{"b":1},"c":[null]}`, `{"a":{"b":null,"d":{"e":null}},"c":null}`)
	f.Add(`{}`, `{"a":[{"b":null}]}`)
	f.Add(`{"":1}`, `{"":{"":{"":null}}}`)
	f.Add(`{"a":`+strings.Repeat(`[`, 6)+strings.Repeat(`]`, 6)+`}`, `{"a":{}}`)
	f.Fuzz(func(t *testing.T, stored, patch string) {
		var failures checks.Failures
		before, change := checks.Compact(json.RawMessage(stored)), checks.Compact(json.RawMessage(patch))
		failures.Object("/stored", before)
		failures.Object("/patch", change)
		if len(failures.Fields()) > 0 {
			return
		}
		var target, by any
		if json.Unmarshal(before, &target) != nil || json.Unmarshal(change, &by) != nil {
			return // a number out of range
		}
		want, err := json.Marshal(merge(target, by))
		if err != nil {
			t.Fatal(err)
		}
		var got any
		if err := json.Unmarshal(checks.ReplaceOrPatch(before, change, true), &got); err != nil {
			t.Fatal(err)
		}
		if again, _ := json.Marshal(got); !bytes.Equal(again, want) {
			t.Errorf("%s patched with %s is %s, want %s", before, change, again, want)
		}
	})
}

func merge(target, patch any) any {
	by, isObject := patch.(map[string]any)
	if !isObject {
		return patch
	}
	merged, isObject := target.(map[string]any)
	if !isObject {
		merged = map[string]any{}
	}
	for name, value := range by {
		if value == nil {
			delete(merged, name)
			continue
		}
		merged[name] = merge(merged[name], value)
	}
	return merged
}
