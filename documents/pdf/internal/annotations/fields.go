package annotations

import (
	"strings"

	"portside/documents/pdf/internal/syntax"
)

// Field flags (ISO 32000-1, tables 226 and 228).
const (
	pushButtonFlag = 1 << 16
	passwordFlag   = 1 << 13
)

// addField adds a form field.
func (w *writer) addField(d syntax.Dict) error {
	flags := w.objects.Int(w.inherited(d, "Ff"), 0)
	switch w.objects.Name(w.inherited(d, "FT")) {
	case "Btn":
		if flags&pushButtonFlag == 0 {
			w.writeCheckBox(d)
			return nil
		}
	case "Tx":
		if flags&passwordFlag != 0 {
			return nil
		}
		value := w.value(d)
		if w.isStale && value != "" {
			w.write(d, value)
			return nil
		}
		return w.addAppearance(d, value)
	case "Ch":
		return w.addAppearance(d, w.choice(d))
	}
	return w.addAppearance(d, "")
}

// inherited returns an attribute of a field, or of the nearest ancestor that has it.
func (w *writer) inherited(field syntax.Dict, key string) any {
	const maxAncestors = 32
	for range maxAncestors {
		if value := w.objects.Resolve(field[key]); value != nil || field == nil {
			return value
		}
		field = w.objects.Dict(field["Parent"])
	}
	return nil
}

// value returns the text of a text field.
func (w *writer) value(d syntax.Dict) string {
	value := w.inherited(d, "V")
	if s, ok := value.(*syntax.Stream); ok {
		data, _ := w.file.Decoder.Decode(s) // a truncated value is better than none
		return syntax.DecodeText(data)
	}
	return w.objects.Text(value)
}

// choice returns the selected options of a choice field, as the form displays them. An option may be
// a pair of an export value and a display text.
func (w *writer) choice(d syntax.Dict) string {
	const maxOptions = 1000
	selected := w.objects.Array(w.inherited(d, "V"))
	if selected == nil {
		selected = syntax.Array{w.inherited(d, "V")}
	}
	options := w.objects.Array(w.inherited(d, "Opt"))
	options = options[:min(len(options), maxOptions)]
	var texts []string
	for _, value := range selected[:min(len(selected), maxOptions)] {
		texts = append(texts, w.displayText(w.objects.Text(value), options))
	}
	return strings.Join(texts, ", ")
}

// displayText returns the text that the form displays for an export value.
func (w *writer) displayText(exportValue string, options syntax.Array) string {
	for _, o := range options {
		w.file.Budget.SpendWork(1)
		pair := w.objects.Array(o)
		if len(pair) == 2 && exportValue != "" && w.objects.Text(pair[0]) == exportValue {
			return w.objects.Text(pair[1])
		}
	}
	return exportValue
}

// writeCheckBox writes a ballot box for a check box or a radio button. Its appearance would give a
// glyph of a symbol font, which does not say whether the box is checked.
func (w *writer) writeCheckBox(d syntax.Dict) {
	state := w.objects.Name(d["AS"])
	if state == "" {
		state = w.objects.Name(w.inherited(d, "V"))
		appearances := w.objects.Dict(w.objects.Dict(d["AP"])["N"])
		if appearances != nil && appearances[state] == nil {
			state = "Off"
		}
	}
	box := "☐"
	if state != "" && state != "Off" {
		box = "☒"
	}
	w.write(d, box)
}
