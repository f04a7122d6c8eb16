package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"portside/shared/core/principal"
)

// jsonRows reads one JSON object per line and skips empty lines.
type jsonRows struct {
	lines    *bufio.Reader
	line     int
	text     []byte // of the current line
	defaults rowDefaults
}

// jsonRow is the object on a line.
type jsonRow struct {
	Email               string          `json:"email"`
	Name                string          `json:"name"`
	Role                string          `json:"role"`
	Department          string          `json:"department"`
	Metadata            json.RawMessage `json:"metadata"`
	SendActivationEmail *bool           `json:"sendActivationEmail"`
}

func newJSONRows(r io.Reader, defaults rowDefaults) (*jsonRows, error) {
	text, err := withoutByteOrderMark(r)
	if err != nil {
		return nil, err
	}
	return &jsonRows{lines: bufio.NewReader(text), defaults: defaults}, nil
}

func (j *jsonRows) next() (row, error) {
	for {
		text, isLong, err := j.readLine()
		j.line++
		r := row{line: j.line}
		if isLong {
			r.err = fmt.Errorf("the line has more than %d bytes", maxRowBytes)
			return r, nil
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			r.err = j.fill(&r, text)
			return r, nil // an error after the last line is returned by the next call
		}
		if err != nil {
			return row{}, err
		}
	}
}

// readLine returns the next line, which stays valid until the next call. It skips the text of a
// line that is too long.
func (j *jsonRows) readLine() (text []byte, isLong bool, err error) {
	j.text = j.text[:0]
	for {
		part, err := j.lines.ReadSlice('\n')
		if isLong = isLong || len(j.text)+len(part) > maxRowBytes; !isLong {
			j.text = append(j.text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return j.text, isLong, err
		}
	}
}

func (j *jsonRows) fill(r *row, text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("the line is not valid UTF-8")
	}
	if text[0] != '{' {
		return errors.New("the line must be one JSON object")
	}
	var stored jsonRow
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&stored); err != nil {
		return jsonFailure(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the line must be one JSON object, with nothing after it")
	}
	r.user.Email, r.user.Name, r.user.Department = stored.Email, stored.Name, stored.Department
	r.user.Role = roleOf(stored.Role)
	if string(stored.Metadata) != "null" {
		r.user.Metadata = stored.Metadata
	}
	return j.defaults.applyActivation(&r.user, stored.SendActivationEmail)
}

func jsonFailure(err error) error {
	if mistyped, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s must not be a JSON %s", mistyped.Field, mistyped.Value)
	}
	if unknown, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		return fmt.Errorf("the key %s is unknown; the keys are %s", unknown, strings.Join(csvColumns(), ", "))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON object does not end on its line")
	}
	return fmt.Errorf("the line is not JSON: %w", err)
}

func roleOf(text string) principal.Role { return principal.Role(strings.TrimSpace(text)) }
