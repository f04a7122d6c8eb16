package media

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"portside/documents/answers"
)

// ModelField is the form field that holds all settings as JSON.
const ModelField = "model"

// ParseFields makes a question of a form's fields, files left out. Where there is a model, it alone counts. Everything that
// is wrong is told at once, with pointers such as "/length" and "/model/variables/total/type".
func ParseFields(task Task, fields map[string]string) (Question, error) {
	d := newDraft(task)
	if model, given := fields[ModelField]; given {
		d.model([]byte(model))
		return d.done()
	}
	known := d.setters()
	numbered := map[int]answers.Variable{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch set, ok := known[name]; {
		case ok:
			set("/"+name, fields[name])
		case !d.numbered(numbered, name, fields[name]):
			d.fail(Pointer(name), "is not a field that is known here")
		}
	}
	for _, n := range slices.Sorted(maps.Keys(numbered)) {
		prefix := fmt.Sprintf("/variable%d_", n)
		d.variable(pointers{prefix + "name", prefix}, numbered[n])
	}
	return d.done()
}

// setters are the fields of the task that stand for themselves.
func (d *draft) setters() map[string]func(pointer, text string) {
	all := map[string]func(pointer, text string){"lang": d.lang}
	switch d.Task {
	case Summarize:
		all["format"], all["length"], all["summary_hint"] = d.shape, d.length, d.hint
	case Compare:
		all["prompt"] = d.prompt
	case Extract:
	}
	return all
}

var numberedField = regexp.MustCompile(`^variable([1-9][0-9]{0,2})_(name|type|description)$`)

// numbered takes note of variableN_name and its like; false for other fields. Gaps in the numbers mean nothing.
func (d *draft) numbered(all map[int]answers.Variable, name, text string) bool {
	match := numberedField.FindStringSubmatch(name)
	if match == nil || d.Task == Summarize {
		return false
	}
	n, err := strconv.Atoi(match[1])
	if err != nil || n > MaxVariables {
		return false
	}
	v := all[n]
	switch match[2] {
	case "name":
		v.Name = text
	case "type":
		v.Type = answers.Type(text)
	case "description":
		v.Description = text
	}
	all[n] = v
	return true
}
