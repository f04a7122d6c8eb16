package users

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/shared/fault"
	"portside/shared/principal"
)

// Bounds of a user's fields, from the contract. Lengths are in characters, sizes in bytes.
const (
	MaxEmail         = 254 // bytes; RFC 5321 as corrected by erratum 1690 of RFC 3696
	MaxName          = 200
	MaxDepartment    = 200
	MaxMetadataSize  = 16 << 10 // bytes of compact JSON
	MaxMetadataDepth = 8        // levels of objects and arrays, the metadata object itself included
)

// NewUser is what a caller says of a user to be created.
type NewUser struct {
	Email           string
	Name            string
	Role            principal.Role
	Department      string
	Metadata        json.RawMessage // nil: an empty object
	ActivationEmail bool            // true: the user starts pending and gets an activation mail; false: active at once
}

// Change is what a caller says of a user to be changed; nil leaves a field as it is.
type Change struct {
	Name       *string
	Role       *principal.Role
	Status     *Status
	Department *string
	Metadata   json.RawMessage
}

// Check returns every way in which the input breaks a rule, none if it is fit to use after Normal.
func (n NewUser) Check() []fault.Field {
	n = n.Normal()
	c := checker{}
	c.email(n.Email)
	c.text("/name", n.Name, 1, MaxName)
	c.role(n.Role)
	c.text("/department", n.Department, 0, MaxDepartment)
	c.metadata(n.Metadata)
	return c.fields
}

// Normal returns the input as it is stored: address lower-cased, texts trimmed, metadata compacted.
func (n NewUser) Normal() NewUser {
	n.Email = strings.ToLower(strings.TrimSpace(n.Email))
	n.Name = strings.TrimSpace(n.Name)
	n.Department = strings.TrimSpace(n.Department)
	n.Metadata = compact(n.Metadata)
	return n
}

// Check returns every way in which the change breaks a rule.
func (c Change) Check() []fault.Field {
	check := checker{}
	if c.Name != nil {
		check.text("/name", strings.TrimSpace(*c.Name), 1, MaxName)
	}
	if c.Role != nil {
		check.role(*c.Role)
	}
	if c.Status != nil && *c.Status != Active && *c.Status != Inactive && *c.Status != Suspended {
		check.say("/status", "must be active, inactive or suspended")
	}
	if c.Department != nil {
		check.text("/department", strings.TrimSpace(*c.Department), 0, MaxDepartment)
	}
	if c.Metadata != nil {
		check.metadata(compact(c.Metadata))
	}
	return check.fields
}

// Apply returns u with the change made.
func (c Change) Apply(u User) User {
	if c.Name != nil {
		u.Name = strings.TrimSpace(*c.Name)
	}
	if c.Role != nil {
		u.Role = *c.Role
	}
	if c.Status != nil {
		u.Status = *c.Status
	}
	if c.Department != nil {
		u.Department = strings.TrimSpace(*c.Department)
	}
	if c.Metadata != nil {
		u.Metadata = compact(c.Metadata)
	}
	return u
}

// checker gathers failures, so that all are told at once.
type checker struct{ fields []fault.Field }

func (c *checker) say(pointer, format string, args ...any) {
	c.fields = append(c.fields, fault.Field{Pointer: pointer, Detail: fmt.Sprintf(format, args...)})
}

func (c *checker) text(pointer, s string, least, most int) {
	switch n := utf8.RuneCountInString(s); {
	case n < least:
		c.say(pointer, "must not be empty")
	case n > most:
		c.say(pointer, "must have at most %d characters", most)
	case !utf8.ValidString(s):
		c.say(pointer, "must be valid UTF-8")
	case strings.ContainsFunc(s, unprintable):
		c.say(pointer, "must not contain control, formatting or line-separating characters")
	case s != "" && !strings.ContainsFunc(s, visible):
		c.say(pointer, "must contain something that can be seen")
	}
}

// unprintable finds what would change how the text around it looks, or hide: controls, marks of direction, separators of
// lines. The joiners of Persian and of Indic scripts, and of emoji, are letters to those who need them.
func unprintable(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point) && r != nonJoiner && r != joiner
}

// visible finds what leaves ink on paper.
func visible(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

func (c *checker) role(r principal.Role) {
	if !r.Known() {
		c.say("/role", "must be admin, manager, user or viewer")
	}
}

func (c *checker) email(s string) {
	switch {
	case len(s) > MaxEmail:
		c.say("/email", "must have at most %d bytes", MaxEmail)
	case !plausibleEmail(s):
		c.say("/email", "must be an e-mail address such as ada@example.com, in ASCII (an international domain in its xn-- form)")
	}
}

// plausibleEmail accepts the dot-atom form of RFC 5322, section 3.4.1, in ASCII. Letters beyond it (RFC 6531) are refused,
// since SES does not deliver to them and two spellings of one mailbox could not be told apart; an international domain is
// written in its xn-- form. So are quoted local parts and address literals: nobody's mailbox needs them, and they hide
// trouble.
func plausibleEmail(s string) bool {
	local, domain, found := strings.Cut(s, "@")
	if !found || len(local) > 64 || !utf8.ValidString(s) {
		return false
	}
	for atom := range strings.SplitSeq(local, ".") {
		if atom == "" || strings.ContainsFunc(atom, notAtomText) {
			return false
		}
	}
	for label := range strings.SplitSeq(domain, ".") {
		if label == "" || len(label) > 63 || strings.ContainsFunc(label, notDomainText) ||
			strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
	}
	return true
}

func notAtomText(r rune) bool {
	return notLetterOrDigit(r) && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r)
}

func notDomainText(r rune) bool { return notLetterOrDigit(r) && r != '-' }

func notLetterOrDigit(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
}

func (c *checker) metadata(raw json.RawMessage) {
	if len(raw) > MaxMetadataSize {
		c.say("/metadata", "must have at most %d bytes as compact JSON", MaxMetadataSize)
		return
	}
	if !utf8.Valid(raw) {
		c.say("/metadata", "must be valid UTF-8")
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	for depth, first := 0, true; ; first = false {
		token, err := decoder.Token()
		if err != nil {
			if depth != 0 || first {
				c.say("/metadata", "must be a JSON object")
			}
			return
		}
		switch t := token.(type) {
		case json.Delim:
			depth += step(t)
		case string:
			if strings.ContainsRune(t, 0) {
				c.say("/metadata", "must not contain NUL characters")
				return
			}
		}
		if first && token != json.Delim('{') {
			c.say("/metadata", "must be a JSON object")
			return
		}
		if depth > MaxMetadataDepth {
			c.say("/metadata", "must not nest deeper than %d levels", MaxMetadataDepth)
			return
		}
	}
}

func step(d json.Delim) int {
	if d == '{' || d == '[' {
		return 1
	}
	return -1
}

// compact removes insignificant space; what is not JSON stays as it is, for the check to refuse.
func compact(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return raw
	}
	return b.Bytes()
}
