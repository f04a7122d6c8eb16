package office

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"portside/documents"
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

func readEPUB(a *archive) error {
	part, err := packageFile(a)
	if err != nil {
		return err
	}
	b := &book{directory: path.Dir(part), items: map[string]bookItem{}}
	err = must(a.walk(part, func(s *scanner, e element) error { return b.visit(a, s, e) }))
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
		if !a.into.Page() {
			return errLastPage
		}
		if err := a.tolerate(a.chapter(item.target)); err != nil {
			return err
		}
	}
	return nil
}

// packageFile returns the name of the package file, which the container declares.
func packageFile(a *archive) (string, error) {
	part := ""
	var visit func(s *scanner, e element) error
	visit = func(s *scanner, e element) error {
		if e.name == "rootfile" && part == "" {
			part = e.attr("full-path")
		}
		return s.children(func(child element) error { return visit(s, child) })
	}
	return part, must(a.walk("META-INF/container.xml", visit))
}

func (b *book) visit(a *archive, s *scanner, e element) error {
	switch e.name {
	case "title":
		return b.name(a, s)
	case "item":
		if len(b.items) < a.into.Limits.Objects {
			b.items[e.attr("id")] = bookItem{b.resolve(e.attr("href")), e.attr("media-type"), e.attr("properties")}
		}
	case "itemref":
		if len(b.spine) < a.into.Limits.Objects {
			b.spine = append(b.spine, e.attr("idref"))
		}
	}
	return s.children(func(child element) error { return b.visit(a, s, child) })
}

func (b *book) name(a *archive, s *scanner) error {
	title, err := s.text()
	if !b.title {
		a.into.Title(title)
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
func (b *book) refuseEncrypted(a *archive) error {
	texts := map[string]bool{}
	for _, item := range b.items {
		if item.readable() {
			texts[fold(item.target)] = true
		}
	}
	var visit func(s *scanner, e element) error
	visit = func(s *scanner, e element) error {
		if e.name == "CipherReference" {
			name, err := url.PathUnescape(e.attr("URI"))
			if err == nil && texts[fold(name)] {
				return documents.ErrEncrypted
			}
		}
		return s.children(func(child element) error { return visit(s, child) })
	}
	return a.walkOptional("META-INF/encryption.xml", visit)
}

// chapter reads a document of the spine, up to a damage if it has one.
func (a *archive) chapter(part string) error {
	from, err := a.open(part)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := text.ReadXHTML(a.ctx, from, a.into); err != nil {
		return fmt.Errorf("read %s: %w", part, err)
	}
	return nil
}
