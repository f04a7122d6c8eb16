// Package fieldstest finds fields that a conversion forgets. A test fills all fields of a domain type, converts it
// there and back, and compares. A field that a developer adds later fails the test by its name, because the test lists
// no fields.
package fieldstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"portside/shared/core/fault"
)

// Filled returns a value whose fields all differ from zero and from each other, including those of nested structs.
// Slices and maps have one element. Texts are UUIDs in lower case, and times are in UTC and in milliseconds, so that
// stored forms keep them.
func Filled[T any](tb testing.TB) T {
	tb.Helper()
	var value T
	Fill(tb, &value)
	return value
}

// Fill is Filled for a type without a name, such as the body of a request. value is a pointer.
func Fill(tb testing.TB, value any) {
	tb.Helper()
	f, v := filler{tb: tb}, reflect.ValueOf(value).Elem()
	f.fill(v, v.Type().String())
}

type filler struct {
	tb   testing.TB
	last int64
}

func (f *filler) fill(v reflect.Value, path string) {
	f.tb.Helper()
	f.last++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC).Add(time.Duration(f.last) * time.Millisecond)))
		return
	case json.RawMessage:
		v.SetBytes(fmt.Appendf(nil, `{"n":%d}`, f.last))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		f.fillStruct(v, path)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), path)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(v.Index(0), path)
	case reflect.Map:
		key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key, path)
		f.fill(element, path)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, element)
	case reflect.Interface:
		v.Set(reflect.ValueOf(f.text()))
	default:
		f.fillScalar(v, path)
	}
}

// text returns the text of the last value that was counted.
func (f *filler) text() string {
	return uuid.NewSHA1(uuid.NameSpaceURL, fmt.Append(nil, f.last)).String()
}

func (f *filler) fillStruct(v reflect.Value, path string) {
	f.tb.Helper()
	for i := range v.NumField() {
		name := path + "." + v.Type().Field(i).Name
		if !v.Type().Field(i).IsExported() {
			f.tb.Fatalf("%s is not exported, so a test cannot fill it", name)
		}
		f.fill(v.Field(i), name)
	}
}

func (f *filler) fillScalar(v reflect.Value, path string) {
	f.tb.Helper()
	switch {
	case v.Kind() == reflect.String:
		v.SetString(f.text())
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(f.last % 100) // small enough for each size of integer
	case v.CanUint():
		v.SetUint(uint64(f.last) % 100)
	case v.CanFloat():
		v.SetFloat(float64(f.last) / 2)
	default:
		f.tb.Fatalf("%s: cannot fill a %s; teach package fieldstest", path, v.Type())
	}
}

// WantSame fails, by name, for each exported field in which the conversion of want there and back lost something.
func WantSame[T any](tb testing.TB, conversion string, got, want T) {
	tb.Helper()
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	for field, value := range w.Fields() {
		found := g.FieldByIndex(field.Index)
		if !reflect.DeepEqual(found.Interface(), value.Interface()) {
			tb.Errorf("%s loses the field %s of %s: %v became %v; add the field to both directions",
				conversion, field.Name, w.Type(), value, found)
		}
	}
}

// WantCarried fails, by name, for each field of from that to does not have with the same name and value, except those
// in without. Promoted fields of embedded structs count.
func WantCarried(tb testing.TB, from, to any, without ...string) {
	tb.Helper()
	f, t := reflect.ValueOf(from), reflect.ValueOf(to)
	for _, name := range without {
		if _, found := f.Type().FieldByName(name); !found {
			tb.Errorf("%s has no field %s; delete it from the list of fields that the conversion leaves out", f.Type(), name)
		}
	}
	for _, field := range reflect.VisibleFields(f.Type()) {
		if field.Anonymous || slices.Contains(without, field.Name) {
			continue
		}
		if target := t.FieldByName(field.Name); !target.IsValid() || !hasSameValue(f.FieldByIndex(field.Index), target) {
			tb.Errorf("the field %s of %s does not get into %s; add it, or name it among the fields that the conversion leaves out",
				field.Name, f.Type(), t.Type())
		}
	}
}

// WantUsed fails, by name, for each field of T that makes no difference to what a conversion returns, except those in
// without. The conversion may give fields other names or texts. Promoted fields of embedded structs count.
func WantUsed[T, R any](tb testing.TB, conversion string, convert func(T) R, without ...string) {
	tb.Helper()
	left := slices.Clone(without)
	all := Filled[T](tb)
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if field.Anonymous {
			continue
		}
		lacking := Filled[T](tb)
		reflect.ValueOf(&lacking).Elem().FieldByIndex(field.Index).SetZero()
		isUsed := !reflect.DeepEqual(convert(all), convert(lacking))
		if i := slices.Index(left, field.Name); i >= 0 {
			left = slices.Delete(left, i, i+1)
			if isUsed {
				tb.Errorf("%s uses the field %s of %T; delete it from the list of fields that it leaves out", conversion,
					field.Name, all)
			}
		} else if !isUsed {
			tb.Errorf("%s forgets the field %s of %T; add it, or name it among the fields that it leaves out", conversion,
				field.Name, all)
		}
	}
	if len(left) > 0 {
		tb.Errorf("%T has no field %s; delete it from the list of fields that %s leaves out", all, strings.Join(left, ", "),
			conversion)
	}
}

// WantFilled fails, by name, for each field of got that is zero after a conversion from a filled value.
func WantFilled(tb testing.TB, conversion string, got any) {
	tb.Helper()
	v := reflect.ValueOf(got)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; v.Field(i).IsZero() {
			tb.Errorf("%s does not set the field %s of %s", conversion, name, v.Type())
		}
	}
}

// hasSameValue compares what two fields encode to, because a response has other types than a domain.
func hasSameValue(from, to reflect.Value) bool {
	a, errA := json.Marshal(from.Interface())
	b, errB := json.Marshal(to.Interface())
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// WantChecked fails, by name, for each field of T whose value check does not check: for each text and each JSON
// document, check must name the field's pointer if the field has bytes that are not acceptable anywhere. The pointer is
// the name in lower camel case.
func WantChecked[T any](t *testing.T, check func(T) []fault.Field) {
	t.Helper()
	of := reflect.TypeFor[T]()
	for i := range of.NumField() {
		var input T
		if !spoil(reflect.ValueOf(&input).Elem().Field(i)) {
			continue
		}
		pointer := "/" + lowerCamel(of.Field(i).Name)
		isRefused := func(f fault.Field) bool { return f.Pointer == pointer }
		if !slices.ContainsFunc(check(input), isRefused) {
			t.Errorf("the check of %s accepts any value of the field %s; add a rule with the pointer %s", of, of.Field(i).Name,
				pointer)
		}
	}
}

// spoil sets a text or document to bytes that are not acceptable. It returns false for other fields.
func spoil(v reflect.Value) bool {
	const unacceptable = "\x00\xff"
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.String:
		v.SetString(unacceptable)
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(unacceptable))
	default:
		return false
	}
	return true
}

// lowerCamel returns the name that an exported field has in JSON, such as ownerId for OwnerID.
func lowerCamel(name string) string {
	name = strings.ReplaceAll(name, "ID", "Id")
	return strings.ToLower(name[:1]) + name[1:]
}

// Examples returns, for the body of a request, the example of each field by its name in JSON. overrides replaces
// examples and supplies missing ones; a nil override leaves the field out. It fails, by name, for a field without
// either.
func Examples(tb testing.TB, body any, overrides map[string]any) map[string]any {
	tb.Helper()
	examples := map[string]any{}
	of := reflect.TypeOf(body)
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous || field.Tag.Get("hidden") != "" {
			continue
		}
		if value, isSet := overrides[name]; isSet {
			if value != nil {
				examples[name] = value
			}
			continue
		}
		text, hasExample := field.Tag.Lookup("example")
		if !hasExample {
			tb.Errorf("the field %s of the request has no example, and the test has no value for it", name)
			continue
		}
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			value = text // a text stands without quotes
		}
		examples[name] = value
	}
	return examples
}
