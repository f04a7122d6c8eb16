package schema

import (
	"net/url"
	"strings"
)

// resources are the parts of a schema that a $ref can name: those with an $id, and those with an $anchor, by URI.
type resources map[string]*node

// defaultBase is the base URI of a schema without an $id.
const defaultBase = "https://schema.invalid/"

// add adds the value and all values in it.
func (all resources) add(n *node, base string) {
	if id, hasID := n.member("$id").text(); hasID {
		if uri, fragment := resolve(base, id); fragment != "" { // an anchor in the style of draft-07
			all.note(uri+"#"+fragment, n)
		} else {
			base = uri
			all.note(base, n)
		}
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if anchor, hasAnchor := n.member(keyword).text(); hasAnchor {
			all.note(base+"#"+anchor, n)
		}
	}
	for _, m := range n.members {
		all.add(m, base)
	}
}

// note keeps the first value with a URI.
func (all resources) note(uri string, n *node) {
	if all[uri] == nil {
		all[uri] = n
	}
}

// resolve returns the URI that a reference names, and its fragment without percent-encoding.
func resolve(base, reference string) (uri, fragment string) {
	if local, isLocal := strings.CutPrefix(reference, "#"); isLocal {
		if decoded, err := url.PathUnescape(local); err == nil {
			local = decoded
		}
		return base, local // also if a name in it has a percent sign that encodes nothing
	}
	from, err := url.Parse(base)
	if err != nil {
		return "", ""
	}
	to, err := from.Parse(reference)
	if err != nil {
		return "", ""
	}
	fragment = to.Fragment
	to.Fragment, to.RawFragment = "", ""
	return to.String(), fragment
}

// baseOf returns the base URI of a value.
func baseOf(n *node) string {
	base := defaultBase
	if n.parent != nil {
		base = baseOf(n.parent)
	}
	if id, hasID := n.member("$id").text(); hasID {
		if uri, fragment := resolve(base, id); fragment == "" {
			return uri
		}
	}
	return base
}

// target returns the schema that a $ref names, or nil and the reason.
func (all resources) target(reference *node) (found *node, reason string) {
	text, isText := reference.text()
	if !isText {
		return nil, "must be text, such as \"#/$defs/Name\""
	}
	uri, fragment := resolve(baseOf(reference.parent), text)
	resource := all[uri]
	switch {
	case resource == nil:
		return nil, "refers to another document, which the service does not fetch: copy its schema below $defs, and write \"#/$defs/Name\""
	case fragment == "" || fragment[0] == '/':
		found = resource.at(fragment)
	default:
		found = all[uri+"#"+fragment]
	}
	if found == nil {
		return nil, "points to nothing: write the place of a part of this schema, such as \"#/$defs/Name\""
	}
	return found, ""
}
