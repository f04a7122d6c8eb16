// Package epub reads books.
package epub

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/office/internal/parts"
	"portside/documents/text"
)

// book is the content of the package file of an EPUB.
type book struct {
	directory string
	items     map[string]bookItem
	spine     []string
	title     bool
}

type bookItem struct{ target, mediaType, properties string }

// Read reads a book. Its pages are the documents of the spine.
func Read(a *parts.Archive) error {
	part, err := packageFile(a)
	if err != nil {
		return err
	}
	b := &book{directory: path.Dir(part), items: map[string]bookItem{}}
	err = parts.Must(a.Walk(part, func(s *parts.Scanner, e parts.Element) error { return b.visit(a, s, e) }))
	if err != nil {
		return err
	}
	if err := b.refuseEncrypted(a); err != nil {
		return err
	}
	for _, id := range b.spine {
		item, ok := b.items[id]
		if !ok || !item.readable() {
			continue
		}
		if !a.Into.Page() {
			return parts.ErrLastPage
		}
		if err := a.Tolerate(chapter(a, item.target)); err != nil {
			return err
		}
	}
	return nil
}

// packageFile returns the name of the package file, which the container declares.
func packageFile(a *parts.Archive) (string, error) {
	part := ""
	var visit func(s *parts.Scanner, e parts.Element) error
	visit = func(s *parts.Scanner, e parts.Element) error {
		if e.Name == "rootfile" && part == "" {
			part = e.Attr("full-path")
		}
		return s.Children(func(child parts.Element) error { return visit(s, child) })
	}
	return part, parts.Must(a.Walk("META-INF/container.xml", visit))
}

func (b *book) visit(a *parts.Archive, s *parts.Scanner, e parts.Element) error {
	switch e.Name {
	case "title":
		return b.name(a, s)
	case "item":
		if len(b.items) < a.Into.Limits.Objects {
			b.items[e.Attr("id")] = bookItem{b.resolve(e.Attr("href")), e.Attr("media-type"), e.Attr("properties")}
		}
	case "itemref":
		if len(b.spine) < a.Into.Limits.Objects {
			b.spine = append(b.spine, e.Attr("idref"))
		}
	}
	return s.Children(func(child parts.Element) error { return b.visit(a, s, child) })
}

func (b *book) name(a *parts.Archive, s *parts.Scanner) error {
	title, err := s.Text()
	if !b.title {
		a.Into.Title(title)
	}
	b.title = true
	return err
}

func (b *book) resolve(href string) string {
	href, _, _ = strings.Cut(href, "#")
	if plain, err := url.PathUnescape(href); err == nil {
		href = plain
	}
	return path.Join(b.directory, href)
}

// readable reports whether an item is a chapter, rather than the navigation document.
func (i bookItem) readable() bool {
	if slices.Contains(strings.Fields(i.properties), "nav") {
		return false
	}
	return strings.Contains(i.mediaType, "html") || i.mediaType == "application/x-dtbook+xml"
}

// refuseEncrypted returns ErrEncrypted if a chapter is encrypted. Encrypted fonts do not matter.
func (b *book) refuseEncrypted(a *parts.Archive) error {
	texts := map[string]bool{}
	for _, item := range b.items {
		if item.readable() {
			texts[parts.Fold(item.target)] = true
		}
	}
	var visit func(s *parts.Scanner, e parts.Element) error
	visit = func(s *parts.Scanner, e parts.Element) error {
		if e.Name == "CipherReference" {
			name, err := url.PathUnescape(e.Attr("URI"))
			if err == nil && texts[parts.Fold(name)] {
				return documents.ErrEncrypted
			}
		}
		return s.Children(func(child parts.Element) error { return visit(s, child) })
	}
	return a.WalkOptional("META-INF/encryption.xml", visit)
}

// chapter reads a document of the spine, up to a damage if it has one.
func chapter(a *parts.Archive, part string) error {
	from, err := a.Open(part)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := text.ReadXHTML(a.Context, from, a.Into); err != nil {
		return fmt.Errorf("read %s: %w", part, err)
	}
	return nil
}
