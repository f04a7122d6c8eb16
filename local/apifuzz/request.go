package apifuzz

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// request is a request before it is sent.
type request struct {
	operation *Operation
	caller    Caller
	path      string
	target    string // the path and the query
	header    http.Header
	body      []byte
}

// String describes the request, so that a person can repeat it with curl. It names the caller instead of the
// credential.
func (r request) String() string {
	const shown = 2000
	header := fmt.Sprint(r.header)
	return fmt.Sprintf("%s %.500s as %s with %.300s and the body %.*q", r.operation.Method, r.target, r.caller.Name,
		header, shown, r.body)
}

// newRequest makes a request to a random operation.
func (f *Fuzzer) newRequest() request {
	r := request{operation: pick(f.values, f.document.Operations), caller: pick(f.values, f.callers),
		header: http.Header{}}
	path, query := f.begunPath(r.operation.Path), url.Values{}
	for _, parameter := range r.operation.parameters {
		name := parameter["name"].(string)
		switch parameter["in"] {
		case "path":
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(f.pathValue(path, name, parameter)))
		case "query":
			if parameter["required"] == true || f.values.oneIn(3) {
				query.Set(name, f.parameterValue(parameter))
			}
			if next := f.cursors[path]; name == "cursor" && next != "" && f.values.oneIn(3) {
				query.Set(name, next)
			}
		case "header":
			if value := f.parameterValue(parameter); f.values.oneIn(3) && isHeaderValue(value) {
				r.header.Set(name, value)
			}
		}
	}
	if f.values.oneIn(40) {
		query.Set(pick(f.values, words), "x")
	}
	r.path, r.target = path, path
	if len(query) > 0 {
		r.target += "?" + query.Encode()
	}
	f.addBody(&r)
	return r
}

// begunPath returns the path of an operation. Half of the time, the parameters before the last one have the values of a
// collection that had members in earlier answers, because a random member seldom belongs to a random collection.
func (f *Fuzzer) begunPath(path string) string {
	last := strings.LastIndex(path, "/{")
	if last < 0 || !strings.Contains(path[:last], "{") || f.values.oneIn(2) {
		return path
	}
	var collections []string
	for _, collection := range slices.Sorted(maps.Keys(f.seen)) {
		if isInstance(collection, path[:last]) {
			collections = append(collections, collection)
		}
	}
	if len(collections) == 0 {
		return path
	}
	return pick(f.values, collections) + path[last:]
}

// isInstance reports whether a path is a template with values in place of its {parameters}.
func isInstance(path, template string) bool {
	segments, wanted := strings.Split(path, "/"), strings.Split(template, "/")
	for i, segment := range segments {
		if len(segments) != len(wanted) || segment != wanted[i] && !strings.HasPrefix(wanted[i], "{") {
			return false
		}
	}
	return true
}

// pathValue returns a value without "?", because an HTTP API of AWS cuts the path off there, and another operation
// answers.
func (f *Fuzzer) pathValue(path, name string, parameter object) string {
	return cmp.Or(strings.ReplaceAll(f.anyPathValue(path, name, parameter), "?", ""), "0")
}

// anyPathValue prefers a value from an earlier answer. The path has the values of the parameters before it.
func (f *Fuzzer) anyPathValue(path, name string, parameter object) string {
	collection, _, _ := strings.Cut(path, "/{"+name+"}")
	switch seen := f.seen[collection]; {
	case f.values.oneIn(12):
		return f.hostileText()
	case len(seen) > 0 && !f.values.oneIn(5):
		return pick(f.values, seen)
	}
	return fmt.Sprint(f.values.valid(parameter["schema"].(object)))
}

// hostileText is short enough for the target of a request, which the gateway limits to about 10 KB.
func (f *Fuzzer) hostileText() string {
	text := fmt.Sprint(pick(f.values, hostile))
	return text[:min(len(text), 500)]
}

func (f *Fuzzer) parameterValue(parameter object) string {
	if f.values.oneIn(8) {
		return f.hostileText()
	}
	value := f.values.valid(parameter["schema"].(object))
	if list, ok := value.([]any); ok {
		var texts []string
		for _, item := range list {
			texts = append(texts, fmt.Sprint(item))
		}
		return strings.Join(texts, ",")
	}
	return fmt.Sprint(value)
}

// isHeaderValue reports whether net/http sends the text as the value of a header.
func isHeaderValue(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

func (f *Fuzzer) addBody(r *request) {
	if len(r.operation.bodies) == 0 {
		return
	}
	media := pick(f.values, slices.Sorted(maps.Keys(r.operation.bodies)))
	value := f.values.valid(r.operation.bodies[media])
	if f.values.oneIn(2) {
		value = f.values.damaged(value)
	}
	r.header.Set("Content-Type", media)
	if media == "multipart/form-data" {
		r.body = f.form(r, value)
	} else {
		r.body, _ = json.Marshal(value) // of values that JSON has
	}
	if f.values.oneIn(10) {
		r.body = f.damagedText(r.body)
	}
	if f.values.oneIn(50) {
		r.header.Set("Content-Type",
			pick(f.values, []string{"", "text/plain", "application/xml", "application/json; charset=latin1"}))
	}
}

// form encodes the properties of an object as a form. Files are short.
func (f *Fuzzer) form(r *request, value any) []byte {
	var text bytes.Buffer
	w := multipart.NewWriter(&text)
	properties, _ := value.(object)
	described, _ := r.operation.bodies["multipart/form-data"]["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		schema, _ := described[name].(object)
		if schema["format"] == "binary" || f.values.oneIn(20) {
			part, _ := w.CreateFormFile(name, pick(f.values, []string{"a.txt", "b.pdf", "c.html", "d", "../e.md"}))
			_, _ = part.Write([]byte(pick(f.values, files))) // into memory
			continue
		}
		encoded, isText := properties[name].(string)
		if !isText {
			plain, _ := json.Marshal(properties[name])
			encoded = string(plain)
		}
		_ = w.WriteField(name, encoded)
	}
	_ = w.Close()
	r.header.Set("Content-Type", w.FormDataContentType())
	return text.Bytes()
}

var files = []string{
	"", "The invoice of March 3, 2026 is 120.50 EUR.", "%PDF-1.7\n1 0 obj\n<<>>\nendobj\n", "<html><body>Total: 12</body></html>", "PK\x03\x04garbage",
	"\xff\xfe\x00", "a,b\n1,2\n", "# Title\n\nText.",
}

// damagedText returns text that is mostly no JSON.
func (f *Fuzzer) damagedText(text []byte) []byte {
	switch f.values.IntN(6) {
	case 0:
		return text[:f.values.IntN(len(text)+1)]
	case 1:
		return append(slices.Clone(text), text...)
	case 2:
		return bytes.ReplaceAll(text, []byte(`"`), []byte("\xff"))
	case 3:
		return []byte(strings.Repeat("[", 100) + strings.Repeat("]", 100))
	case 4:
		return []byte(`{"a":"` + strings.Repeat("a", 140<<10) + `"}`)
	}
	damaged := slices.Clone(text)
	for i := range damaged {
		if f.values.oneIn(20) {
			damaged[i] = byte(f.values.IntN(256)) //nolint:gosec // below 256
		}
	}
	return damaged
}
