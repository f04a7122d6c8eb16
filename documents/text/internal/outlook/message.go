package outlook

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"portside/documents/charset"
	"portside/documents/text/internal/page"
	"portside/documents/text/internal/plain"
	"portside/documents/text/internal/rtf"
	"portside/documents/text/internal/webpage"
)

// Properties of messages, recipients and attachments ([MS-OXPROPS]).
const (
	subjectID      = 0x0037
	submittedID    = 0x0039
	deliveredID    = 0x0e06
	senderNameID   = 0x0c1a
	senderID       = 0x0c1f
	senderSMTPID   = 0x5d01
	displayToID    = 0x0e04
	displayCcID    = 0x0e03
	bodyID         = 0x1000
	compressedID   = 0x1009
	htmlID         = 0x1013
	codePageID     = 0x3ffd
	internetPageID = 0x3fde
	recipientID    = 0x0c15
	nameID         = 0x3001
	addressID      = 0x3003
	smtpID         = 0x39fe
	dataID         = 0x3701
	shortFileID    = 0x3704
	longFileID     = 0x3707
)

// Types of properties.
const (
	integerType = 0x0003
	timeType    = 0x0040
	stringType  = 0x001e
	unicodeType = 0x001f
	binaryType  = 0x0102
)

// properties are the values of a message, a recipient or an attachment. Integers and times have eight bytes.
type properties map[uint16]value

type value struct {
	kind uint16
	raw  []byte
}

// text returns a property as text. codePage is the one of texts that are not Unicode.
func (p properties) text(id uint16, codePage uint64) string {
	v := p[id]
	if v.kind == unicodeType {
		return strings.TrimRight(wide(v.raw), "\x00")
	}
	return strings.TrimRight(charset.Decode(v.raw, charsetOf(codePage)), "\x00")
}

func (p properties) number(id uint16) uint64 {
	if raw := p[id].raw; len(raw) >= 8 {
		return binary.LittleEndian.Uint64(raw)
	}
	return 0
}

// charsetOf returns the name of a code page.
func charsetOf(codePage uint64) string {
	switch codePage {
	case 65001:
		return "utf-8"
	case 932:
		return "shift_jis"
	case 936:
		return "gbk"
	case 949:
		return "euc-kr"
	case 950:
		return "big5"
	}
	return "windows-" + strconv.FormatUint(codePage, 10)
}

// message is a mail with what is attached to it.
type message struct {
	properties
	recipients  []properties
	attachments []properties
	forwarded   []message
}

// write adds the fields and the body of a message, and then the messages that it forwards.
func (m message) write(to page.Page, depth int) error {
	codePage := cmp.Or(m.number(codePageID), m.number(internetPageID), 1252)
	from := person(m.text(senderNameID, codePage), cmp.Or(m.text(senderSMTPID, codePage), m.text(senderID, codePage)))
	fields := []struct{ name, value string }{
		{"From", from},
		{"To", cmp.Or(m.people(1, codePage), m.text(displayToID, codePage))},
		{"Cc", cmp.Or(m.people(2, codePage), m.text(displayCcID, codePage))},
		{"Date", date(cmp.Or(m.number(submittedID), m.number(deliveredID)))},
		{"Subject", m.text(subjectID, codePage)},
	}
	for _, f := range fields {
		if err := to.Field(f.name, f.value); err != nil {
			return err
		}
	}
	err := m.writeBody(to, codePage)
	if depth == 0 {
		to.Into.Title(m.text(subjectID, codePage)) // and not that of the body
	}
	if err != nil {
		return err
	}
	for _, f := range m.forwarded {
		if err := f.write(to, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// writeBody adds the plain text, or the HTML or rich text if there is no plain text.
func (m message) writeBody(to page.Page, codePage uint64) error {
	if text := m.text(bodyID, codePage); strings.TrimSpace(text) != "" {
		return plain.Text(to, text)
	}
	if html := m.properties[htmlID]; len(html.raw) > 0 {
		declared := cmp.Or(charset.Declared(html.raw), charsetOf(cmp.Or(m.number(internetPageID), codePage)))
		text := charset.Decode(html.raw, declared)
		if html.kind == unicodeType {
			text = wide(html.raw)
		}
		return webpage.ReadFrom(to, strings.NewReader(text), webpage.Options{})
	}
	if rich := decompress(m.properties[compressedID].raw, int(min(to.Into.Limits.Inflated, page.MaxFile))); len(rich) > 0 {
		return rtf.Read(to, rich)
	}
	return nil
}

// people returns the recipients of a kind: 1 for To, 2 for Cc.
func (m message) people(kind, codePage uint64) string {
	var all []string
	for _, r := range m.recipients {
		if cmp.Or(r.number(recipientID)&0xf, 1) == kind {
			all = append(all, person(r.text(nameID, codePage), cmp.Or(r.text(smtpID, codePage), r.text(addressID, codePage))))
		}
	}
	return strings.Join(all, ", ")
}

// person returns a name with its address, as mails have it. The addresses within a company are no addresses of mail.
func person(name, address string) string {
	switch {
	case !strings.Contains(address, "@"), strings.EqualFold(name, address):
		return cmp.Or(name, address)
	case name == "":
		return address
	}
	return name + " <" + address + ">"
}

// date formats a time, which counts tenths of microseconds from 1601.
func date(ticks uint64) string {
	const ticksPerSecond, secondsTo1970 = 10_000_000, 11_644_473_600
	if ticks == 0 || ticks/ticksPerSecond > 1<<34 {
		return ""
	}
	return time.Unix(int64(ticks/ticksPerSecond)-secondsTo1970, 0).UTC().Format(time.RFC1123Z)
}

// names returns the names of the attachments, those of forwarded messages included.
func (m message) names() []string {
	codePage := cmp.Or(m.number(codePageID), 1252)
	var all []string
	for _, a := range m.attachments {
		all = append(all, cmp.Or(a.text(longFileID, codePage), a.text(shortFileID, codePage), a.text(nameID, codePage), "without a name"))
	}
	for _, f := range m.forwarded {
		all = append(all, f.names()...)
	}
	return all
}

// Bounds of a message.
const (
	maxShort   = 64 << 10 // bytes of a property that is not the body
	maxParts   = 1000     // recipients and attachments
	maxNesting = 8        // forwarded messages
)

// message returns the message in a storage. header is the length of the header of its fixed properties.
func (c *container) message(storage entry, header, depth int) message {
	children := c.children(storage)
	m := message{properties: c.properties(children, header)}
	for _, name := range slices.Sorted(maps.Keys(children)) {
		part := children[name]
		switch {
		case len(m.recipients)+len(m.attachments)+len(m.forwarded) > maxParts:
			return m
		case strings.HasPrefix(name, "__recip_version1.0_"):
			m.recipients = append(m.recipients, c.properties(c.children(part), 8))
		case strings.HasPrefix(name, "__attach_version1.0_"):
			inner := c.children(part)
			embedded, isMessage := inner[fmt.Sprintf("__substg1.0_%04X000D", dataID)]
			if isMessage && depth < maxNesting {
				m.forwarded = append(m.forwarded, c.message(embedded, 24, depth+1))
			} else {
				m.attachments = append(m.attachments, c.properties(inner, 8))
			}
		}
	}
	return m
}

// properties returns the properties of a storage. Each text or block of bytes is a stream; integers and times are
// together in one stream.
func (c *container) properties(children map[string]entry, header int) properties {
	p := properties{}
	for _, name := range slices.Sorted(maps.Keys(children)) { // Unicode comes after text in a code page
		hex, isStream := strings.CutPrefix(name, "__substg1.0_")
		tag, err := strconv.ParseUint(hex, 16, 32)
		if !isStream || err != nil {
			continue
		}
		id, kind, limit := uint16(tag>>16), uint16(tag), maxShort
		switch id {
		case bodyID, compressedID, htmlID:
			limit = len(c.data)
		case dataID:
			continue
		}
		if kind == stringType || kind == unicodeType || kind == binaryType {
			p[id] = value{kind, c.read(children[name], limit)}
		}
	}
	const size = 16
	fixed := c.read(children["__properties_version1.0"], maxShort)
	for fixed = fixed[min(header, len(fixed)):]; len(fixed) >= size; fixed = fixed[size:] {
		kind, id := binary.LittleEndian.Uint16(fixed), binary.LittleEndian.Uint16(fixed[2:])
		switch kind {
		case integerType:
			p[id] = value{kind, append(slices.Clone(fixed[8:12]), 0, 0, 0, 0)}
		case timeType:
			p[id] = value{kind, fixed[8:16]}
		}
	}
	return p
}
