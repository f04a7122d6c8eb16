package office

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"portside/documents"
)

// relation is a relationship from one part of an Office Open XML package to another.
type relation struct {
	id     string
	kind   string // the last segment of its type, which strict and transitional packages share
	target string // the name of the part
}

// relations are the relationships of one part.
type relations struct {
	inOrder []relation
	ids     map[string]relation
}

func (r *relations) add(one relation) {
	r.inOrder = append(r.inOrder, one)
	r.ids[one.id] = one
}

func (r *relations) byID(id string) (relation, bool) {
	one, ok := r.ids[id]
	return one, ok
}

// target returns the first part of a kind, or "".
func (r *relations) target(kind string) string {
	for _, one := range r.inOrder {
		if one.kind == kind {
			return one.target
		}
	}
	return ""
}

// relations returns the relationships of a part. The name of the package itself is "".
func (a *archive) relations(part string) (*relations, error) {
	found := &relations{ids: map[string]relation{}}
	dir, base := path.Split(part)
	err := a.walkOptional(dir+"_rels/"+base+".rels", func(s *scanner, _ element) error {
		return s.children(func(e element) error {
			if e.name != "Relationship" || e.attr("TargetMode") == "External" {
				return nil
			}
			if len(found.inOrder) > a.into.Limits.Objects/10 {
				return documents.ErrTooMuch
			}
			found.add(relation{e.id("Id"), path.Base(e.attr("Type")), resolve(dir, e.attr("Target"))})
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

// mainPart returns the name of the main part, and sets the title of the document.
func (a *archive) mainPart(usual string) (string, error) {
	root, err := a.relations("")
	if err != nil {
		return "", err
	}
	if core := root.target("core-properties"); core != "" {
		if err := a.title(core); err != nil {
			return "", err
		}
	}
	if main := root.target("officeDocument"); main != "" && a.has(main) {
		return main, nil
	}
	return usual, nil
}

// title reads the title from the properties of the document.
func (a *archive) title(part string) error {
	done := false
	var visit func(s *scanner, e element) error
	visit = func(s *scanner, e element) error {
		if e.name != "title" || done {
			return s.children(func(child element) error { return visit(s, child) })
		}
		text, err := s.text()
		done = true
		a.into.Title(text)
		return err
	}
	return a.walkOptional(part, visit)
}

// must returns an error about damage if a required part is missing.
func must(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.Join(documents.ErrDamaged, err)
	}
	return err
}
