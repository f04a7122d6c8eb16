package parts

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"portside/documents"
)

// Relation is a relationship from one part of an Office Open XML package to another.
type Relation struct {
	id     string
	Kind   string // the last segment of its type, which strict and transitional packages share
	Target string // the name of the part
}

// Relations are the relationships of one part.
type Relations struct {
	InOrder []Relation
	ids     map[string]Relation
}

func (r *Relations) add(one Relation) {
	r.InOrder = append(r.InOrder, one)
	r.ids[one.id] = one
}

// ByID returns the relationship with an ID of the part.
func (r *Relations) ByID(id string) (Relation, bool) {
	one, ok := r.ids[id]
	return one, ok
}

// Target returns the first part of a kind, or "".
func (r *Relations) Target(kind string) string {
	for _, one := range r.InOrder {
		if one.Kind == kind {
			return one.Target
		}
	}
	return ""
}

// Relations returns the relationships of a part. The name of the package itself is "".
func (a *Archive) Relations(part string) (*Relations, error) {
	found := &Relations{ids: map[string]Relation{}}
	dir, base := path.Split(part)
	err := a.WalkOptional(dir+"_rels/"+base+".rels", func(s *Scanner, _ Element) error {
		return s.Children(func(e Element) error {
			if e.Name != "Relationship" || e.Attr("TargetMode") == "External" {
				return nil
			}
			if len(found.InOrder) > a.Into.Limits.Objects/10 {
				return documents.ErrTooMuch
			}
			found.add(Relation{e.ID("Id"), path.Base(e.Attr("Type")), resolve(dir, e.Attr("Target"))})
			return nil
		})
	})
	return found, err
}

func resolve(dir, target string) string {
	if strings.HasPrefix(target, "/") {
		return path.Clean(target)[1:]
	}
	return path.Join(dir, target)
}

// MainPart returns the name of the main part, and sets the title of the document.
func (a *Archive) MainPart(usual string) (string, error) {
	root, err := a.Relations("")
	if err != nil {
		return "", err
	}
	if core := root.Target("core-properties"); core != "" {
		if err := a.Title(core); err != nil {
			return "", err
		}
	}
	if main := root.Target("officeDocument"); main != "" && a.Has(main) {
		return main, nil
	}
	return usual, nil
}

// Title reads the title from the properties of the document.
func (a *Archive) Title(part string) error {
	done := false
	var visit func(s *Scanner, e Element) error
	visit = func(s *Scanner, e Element) error {
		if e.Name != "title" || done {
			return s.Children(func(child Element) error { return visit(s, child) })
		}
		text, err := s.Text()
		done = true
		a.Into.Title(text)
		return err
	}
	return a.WalkOptional(part, visit)
}

// Must returns an error about damage if a required part is missing.
func Must(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.Join(documents.ErrDamaged, err)
	}
	return err
}
