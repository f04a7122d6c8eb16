package mail

import (
	"bytes"
	"encoding/base64"
	"strings"

	"portside/documents/lazyregexp"
)

// cutParts splits a body at its boundary, in one pass and without copies. Without a boundary, the body is one part.
func cutParts(body []byte, boundary string) [][]byte {
	if boundary == "" {
		return [][]byte{body}
	}
	var parts [][]byte
	mark := []byte("--" + boundary)
	begin := -1
	for at := 0; at < len(body); {
		i := bytes.Index(body[at:], mark)
		if i < 0 {
			break
		}
		i += at
		after := i + len(mark)
		if i > 0 && body[i-1] != '\n' {
			at = after // not at the start of a line; searching for the line's end each time would be quadratic
			continue
		}
		last := bytes.HasPrefix(body[after:], []byte("--"))
		line, rest, _ := bytes.Cut(body[after:], []byte("\n"))
		at = len(body) - len(rest)
		if !last && len(bytes.TrimSpace(line)) > 0 {
			at = after
			continue
		}
		if begin >= 0 {
			parts = append(parts, bytes.TrimSuffix(bytes.TrimSuffix(body[begin:i], []byte("\n")), []byte("\r")))
		}
		if begin = at; last {
			return parts
		}
	}
	if begin >= 0 && begin < len(body) {
		parts = append(parts, body[begin:])
	}
	return parts
}

var boundaryLine = lazyregexp.New(`(?m)^--([0-9A-Za-z'()+_,./:=?-]{1,70})\r?$`)

// guessBoundary finds the boundary of a body whose header does not name it: the first line that looks like one.
func guessBoundary(body []byte) string {
	const maxSearch = 64 << 10
	found := boundaryLine().FindSubmatch(body[:min(len(body), maxSearch)])
	if found == nil {
		return ""
	}
	return string(found[1])
}

// content decodes the transfer encoding of the body. It keeps the readable part of a damaged body.
func content(p part) []byte {
	switch strings.ToLower(strings.TrimSpace(p.header.Get("Content-Transfer-Encoding"))) {
	case "base64":
		return unbase64(p.body)
	case "quoted-printable":
		return unquotedPrintable(p.body)
	}
	return p.body
}

func unbase64(body []byte) []byte {
	letters := make([]byte, 0, len(body))
	for _, c := range body {
		if isASCIILetter(c) || c >= '0' && c <= '9' || c == '+' || c == '/' {
			letters = append(letters, c)
		}
	}
	if len(letters)%4 == 1 {
		letters = letters[:len(letters)-1]
	}
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(letters)))
	n, _ := base64.RawStdEncoding.Decode(out, letters) // all other characters were removed
	return out[:n]
}

func unquotedPrintable(body []byte) []byte {
	out := make([]byte, 0, len(body))
	for line := range bytes.Lines(body) {
		line = bytes.TrimRight(line, " \t\r\n")
		soft := bytes.HasSuffix(line, []byte("="))
		line = bytes.TrimSuffix(line, []byte("="))
		for i := 0; i < len(line); i++ {
			if line[i] == '=' && i+2 < len(line) && hex(line[i+1]) >= 0 && hex(line[i+2]) >= 0 {
				out = append(out, byte(hex(line[i+1])<<4|hex(line[i+2])))
				i += 2
				continue
			}
			out = append(out, line[i])
		}
		if !soft {
			out = append(out, '\n')
		}
	}
	return out
}

func hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

var quoteMarks = lazyregexp.New(`^(?:> ?)+`)

// unquoted removes the marks before quoted lines, and separates quoted text from the reply by an empty line.
func unquoted(text string) string {
	if !strings.Contains(text, ">") {
		return text
	}
	var out strings.Builder
	depth := 0
	for line := range strings.Lines(text) {
		marks := quoteMarks().FindString(line)
		if now := strings.Count(marks, ">"); now != depth {
			out.WriteByte('\n')
			depth = now
		}
		out.WriteString(line[len(marks):])
	}
	return out.String()
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
