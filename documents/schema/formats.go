package schema

import (
	"net/mail"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"portside/documents/lazyregexp"
)

// decimal is a format of texts that are numbers.
const decimal = "decimal"

// formats are the formats that are checked, as their standards define them. Clients may check them again.
var formats = map[string]func(string) bool{
	"date":      isDate,
	"date-time": func(text string) bool { day, clock, _ := strings.Cut(text, "T"); return isDate(day) && isTime(clock) },
	"time":      isTime,
	"duration":  func(text string) bool { return len(text) > 1 && durationText().MatchString(text) },
	"email":     isEmail,
	"idn-email": isEmail,
	"uri":       isURI,
	"uuid":      func(text string) bool { return uuidText().MatchString(text) },
	"hostname":  isHost,
	"ipv4":      func(text string) bool { at, err := netip.ParseAddr(text); return err == nil && at.Is4() },
	"ipv6": func(text string) bool {
		at, err := netip.ParseAddr(text)
		return err == nil && at.Is6() && at.Zone() == ""
	},
	decimal: func(text string) bool { return decimalText().MatchString(text) },
}

var (
	clockText    = lazyregexp.New(`^\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`)
	decimalText  = lazyregexp.New(`^[+-]?(\d+(\.\d*)?|\.\d+)$`)
	durationText = lazyregexp.New(`^P(\d+W|(\d+Y(\d+M(\d+D)?)?|\d+M(\d+D)?|\d+D)?(T(\d+H(\d+M(\d+S)?)?|\d+M(\d+S)?|\d+S))?)$`)
	uuidText     = lazyregexp.New(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	hostText     = lazyregexp.New(`^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$`)
)

func isDate(text string) bool { return hasLayout(time.DateOnly, text) }

func isTime(text string) bool {
	return clockText().MatchString(text) && hasLayout("15:04:05Z07:00", text)
}

func hasLayout(layout, text string) bool {
	_, err := time.Parse(layout, text)
	return err == nil
}

func isHost(text string) bool {
	const maxBytes = 253
	return len(text) <= maxBytes && hostText().MatchString(text)
}

func isEmail(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && address.Address == text && isHost(text[strings.LastIndexByte(text, '@')+1:])
}

func isURI(text string) bool {
	uri, err := url.Parse(text)
	return err == nil && uri.IsAbs() && !strings.ContainsAny(text, " <>\"{}|\\^`")
}

// applyFormat applies a format. Formats that are not checked have no effect.
func (r *reader) applyFormat(s *Schema, m *node) {
	name, isText := m.text()
	switch {
	case !isText:
		r.refuse(m, "must be text, such as date")
	case formats[name] != nil:
		s.formats = append(s.formats, name)
	default:
		r.notes.ignore(m, quoted(m.name)+" "+quoted(name))
	}
}
