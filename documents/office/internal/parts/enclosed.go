package parts

import (
	"path"
	"strings"
)

// warnOfEnclosed adds warnings about comments and embedded documents, which are not part of the text. The readers of
// OpenDocument have counted theirs; in Office Open XML they are parts that others refer to. Damage is ignored, because
// the text has been read.
func (a *Archive) warnOfEnclosed() {
	comments, objects := map[string]bool{}, map[string]bool{}
	for name := range a.parts {
		part, isRelations := ownerOf(name)
		if !isRelations || strings.Contains(part, "charts/") { // a chart has its sheet, which is not for people
			continue
		}
		related, err := a.Relations(part)
		if err != nil {
			return
		}
		for _, r := range related.InOrder {
			switch r.Kind {
			case "comments":
				comments[r.Target] = true
			case "oleObject", "package":
				objects[r.Target] = true
			}
		}
	}
	for part := range comments {
		err := a.WalkOptional(part, func(s *Scanner, _ Element) error { return a.countComments(s) })
		if err != nil {
			return
		}
	}
	a.Into.LeaveOutComments(a.Comments)
	a.Into.LeaveOutObjects(a.Objects + len(objects))
}

// ownerOf returns the part whose relationships a part has.
func ownerOf(name string) (part string, isRelations bool) {
	dir, base := path.Split(name)
	owner, isRelations := strings.CutSuffix(base, ".rels")
	above, isFolder := strings.CutSuffix(dir, "_rels/")
	return above + owner, isRelations && isFolder
}

// countComments counts the comments of a document (comment), or of a slide (cm).
func (a *Archive) countComments(s *Scanner) error {
	return s.Children(func(child Element) error {
		if child.Name == "comment" || child.Name == "cm" {
			a.Comments++
			return nil
		}
		return a.countComments(s)
	})
}
