// Package annotations adds the text of annotations to a page: form fields, free text and stamps
// (ISO 32000-1, 12.5 and 12.7).
//
// The text comes from the appearance stream of an annotation. If that is missing, empty or out of date,
// the text comes from the value of the field, and is set into the rectangle of the annotation.
package annotations

import (
	"strings"

	"portside/documents/pdf/internal/content"
	"portside/documents/pdf/internal/pages"
	"portside/documents/pdf/internal/syntax"
	"portside/documents/pdf/internal/xref"
)

// maxAnnotations bounds the annotations of a page.
const maxAnnotations = 5_000

// hiddenFlags are the annotation flags Hidden and NoView.
const hiddenFlags = 1<<1 | 1<<5

// writer adds the annotations of one page to its content.
type writer struct {
	file    *xref.File
	objects syntax.Resolver
	page    *content.Interpreter
	frame   pages.Frame
	// isStale means that the appearance streams of fields are out of date (NeedAppearances).
	isStale bool
}

// Interpret adds the glyphs of a page's annotations to the page. Errors are those of
// [content.Interpreter.Run].
func Interpret(f *xref.File, page pages.Page, frame pages.Frame, into *content.Interpreter) error {
	const workPerAnnotation = 20
	w := &writer{file: f, objects: f.Objects, page: into, frame: frame}
	form := w.objects.Dict(f.Catalog()["AcroForm"])
	w.isStale = w.objects.IsTrue(form["NeedAppearances"])
	annotations := w.objects.Array(page.Dict["Annots"])
	for _, o := range annotations[:min(len(annotations), maxAnnotations)] {
		f.Budget.SpendWork(workPerAnnotation)
		d := w.objects.Dict(o)
		if w.objects.Int(d["F"], 0)&hiddenFlags != 0 {
			continue
		}
		if err := w.addAnnotation(d); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) addAnnotation(d syntax.Dict) error {
	switch w.objects.Name(d["Subtype"]) {
	case "Widget":
		return w.addField(d)
	case "FreeText":
		return w.addAppearance(d, w.objects.Text(d["Contents"]))
	case "Stamp":
		return w.addAppearance(d, "")
	}
	return nil
}

// addAppearance paints the normal appearance of an annotation. If that has no text, it writes the
// fallback.
func (w *writer) addAppearance(d syntax.Dict, fallback string) error {
	firstGlyph := len(w.page.Glyphs)
	appearance := w.objects.Dict(d["AP"])["N"]
	if states, ok := w.objects.Resolve(appearance).(syntax.Dict); ok {
		appearance = states[w.objects.Name(d["AS"])]
	}
	if s := w.objects.Stream(appearance); s != nil {
		ctm := w.appearanceMatrix(s, d).Times(w.frame.Matrix)
		if err := w.page.PaintForm(syntax.ObjectNumber(appearance), s, ctm); err != nil {
			return err
		}
	}
	for _, g := range w.page.Glyphs[firstGlyph:] {
		if strings.TrimSpace(g.Text) != "" {
			return nil
		}
	}
	w.write(d, fallback)
	return nil
}
