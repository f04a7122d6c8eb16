package apifuzz

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// values makes random JSON values.
type values struct {
	*rand.Rand

	document *Document
}

// oneIn reports true once in n times.
func (v values) oneIn(n int) bool { return v.IntN(n) == 0 }

func pick[T any](v values, from []T) T { return from[v.IntN(len(from))] }

// valid returns a value that the schema allows, except for rules that the schema does not state.
func (v values) valid(schema object) any {
	schema, _ = v.document.resolve(schema, "")
	if constants, ok := schema["enum"].([]any); ok {
		return pick(v, constants)
	}
	if examples, ok := schema["examples"].([]any); ok && schema["format"] != "email" && v.oneIn(2) {
		return clone(pick(v, examples))
	}
	switch v.typeOf(schema) {
	case "object":
		return v.object(schema)
	case "array":
		items, _ := schema["items"].(object)
		list := []any{}
		for range v.IntN(4) {
			list = append(list, v.valid(items))
		}
		return list
	case "integer":
		return v.integer(schema)
	case "number":
		return v.Float64() * 100
	case "boolean":
		return v.oneIn(2)
	case "null":
		return nil
	}
	return v.text(schema)
}

// clone copies a value of the document, because damaged changes values in place.
func clone(value any) any {
	switch value := value.(type) {
	case object:
		copied := object{}
		for name, child := range value {
			copied[name] = clone(child)
		}
		return copied
	case []any:
		copied := []any{}
		for _, child := range value {
			copied = append(copied, clone(child))
		}
		return copied
	}
	return value
}

func (v values) typeOf(schema object) string {
	switch kind := schema["type"].(type) {
	case string:
		return kind
	case []any:
		return pick(v, kind).(string)
	}
	return "string"
}

func (v values) object(schema object) object {
	result := object{}
	properties, _ := schema["properties"].(object)
	required, _ := schema["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) || v.oneIn(2) {
			result[name] = v.valid(properties[name].(object))
		}
	}
	if rest, ok := schema["additionalProperties"].(object); ok && v.oneIn(2) {
		result[pick(v, words)] = v.valid(rest)
	}
	return result
}

func (v values) integer(schema object) int {
	low, ok := schema["minimum"].(int)
	if !ok {
		low = 0
	}
	high, ok := schema["maximum"].(int)
	if !ok {
		high = low + 1000
	}
	return pick(v, []int{low, high, low + v.IntN(high-low+1)})
}

func (v values) text(schema object) string {
	switch schema["format"] {
	case "uuid":
		return v.uuid()
	case "email":
		return fmt.Sprintf("%s%d@example.com", pick(v, words), v.IntN(1_000_000))
	case "date":
		return fmt.Sprintf("20%02d-%02d-%02d", v.IntN(100), 1+v.IntN(12), 1+v.IntN(28))
	case "date-time":
		return fmt.Sprintf("20%02d-%02d-%02dT%02d:00:00Z", v.IntN(100), 1+v.IntN(12), 1+v.IntN(28), v.IntN(24))
	case "uri":
		return "https://" + pick(v, words) + ".example.com/"
	}
	return pick(v, words)
}

func (v values) uuid() string {
	return fmt.Sprintf("%08x-%04x-7%03x-%04x-%012x", v.Uint32(), v.IntN(1<<16), v.IntN(1<<12), 0x8000|v.IntN(1<<14),
		v.Int64N(1<<48))
}

var words = []string{"acme", "Ada", "portal", "billing", "a", "chart-1", "1.2.3", "Größe", "repo/name"}

// hostile are values that break careless programs.
var hostile = []any{
	nil, true, -1, 0, 1 << 53, 1e308, 0.1, "", " ", "0", "null", "\x00", "\u202e", "😀", "a\nb", "../../etc/passwd", "%00",
	"%2e%2e",
	"' OR '1'='1", "<script>alert(1)</script>", "${jndi:ldap://x}", "https://x.example", "javascript:1",
	strings.Repeat("a", 300), strings.Repeat("é", 6000),
	"1970-01-01", "9999-12-31", "0000-00-00", "2026-02-30", "2026-12-31T23:59:60Z", "1e400", "NaN", "ps_", "*", "?", "#", "//",
	[]any{}, []any{[]any{[]any{}}}, object{}, object{"": nil}, object{"$ref": "#"}, object{"__proto__": object{}},
}

// damaged returns the value with one change somewhere in it.
func (v values) damaged(value any) any {
	switch value := value.(type) {
	case object:
		return v.damagedObject(value)
	case []any:
		if len(value) == 0 || v.oneIn(3) {
			return pick(v, hostile)
		}
		value[v.IntN(len(value))] = v.damaged(value[0])
		return value
	}
	return pick(v, hostile)
}

func (v values) damagedObject(value object) any {
	names := slices.Sorted(maps.Keys(value))
	switch {
	case v.oneIn(12):
		return pick(v, hostile)
	case len(names) == 0 || v.oneIn(6):
		value[pick(v, append(words, "unknown", "ID", "__proto__"))] = pick(v, hostile)
	case v.oneIn(4):
		delete(value, pick(v, names))
	default:
		name := pick(v, names)
		value[name] = v.damaged(value[name])
	}
	return value
}
