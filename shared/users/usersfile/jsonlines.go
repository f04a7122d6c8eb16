package usersfile

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
	"portside/shared/users"
)

// jsonReader reads one JSON object per line and skips empty lines.
type jsonReader struct {
	lines    *bufio.Reader
	line     int
	text     []byte // of the current line
	defaults Defaults
}

// jsonRow is the object on a line. Its keys are the columns of CSV.
type jsonRow struct {
	Email               string          `json:"email"`
	Name                string          `json:"name"`
	Role                string          `json:"role"`
	CustomerID          string          `json:"customerId,omitempty"`
	Department          string          `json:"department,omitempty"`
	Metadata            json.RawMessage `json:"metadata,omitempty"`
	SendActivationEmail *bool           `json:"sendActivationEmail"`
}

func newJSONLines(file io.Reader, defaults Defaults) *jsonReader {
	return &jsonReader{lines: bufio.NewReader(file), defaults: defaults}
}

func (j *jsonReader) Next() (Row, error) {
	for {
		text, isLong, err := j.readLine()
		j.line++
		r := Row{Line: j.line}
		if isLong {
			r.Err = fmt.Errorf("the line has more than %d bytes", MaxRowBytes)
			return r, nil
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			r.Err = j.fill(&r, text)
			r.Cells = cellsOf(text)
			return r, nil // an error after the last line is returned by the next call
		}
		if err != nil {
			return Row{}, err
		}
	}
}

func (j *jsonReader) Columns() (names []string, separator rune) { return columns(), ',' }

// cellsOf returns the values of an object for the columns of CSV. It is nil if the text is not an object.
func cellsOf(text []byte) []string {
	var values map[string]json.RawMessage
	if json.Unmarshal(text, &values) != nil || values == nil {
		return nil
	}
	cells := make([]string, len(columns()))
	for i, name := range columns() {
		if raw := values[name]; json.Unmarshal(raw, &cells[i]) != nil {
			cells[i] = string(raw)
		}
	}
	return cells
}

// readLine returns the next line, which stays valid until the next call. It skips the text of a
// line that is too long.
func (j *jsonReader) readLine() (text []byte, isLong bool, err error) {
	j.text = j.text[:0]
	for {
		part, err := j.lines.ReadSlice('\n')
		if isLong = isLong || len(j.text)+len(part) > MaxRowBytes; !isLong {
			j.text = append(j.text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return j.text, isLong, err
		}
	}
}

func (j *jsonReader) fill(r *Row, text []byte) error {
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
	if string(stored.Metadata) == "null" {
		stored.Metadata = nil
	}
	stored.fill(&r.User)
	return j.defaults.applyActivation(&r.User, stored.SendActivationEmail)
}

func jsonFailure(err error) error {
	if mistyped, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s must not be a JSON %s", mistyped.Field, mistyped.Value)
	}
	if unknown, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		return fmt.Errorf("the key %s is unknown; the keys are %s", shortened(unknown), strings.Join(columns(), ", "))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON object does not end on its line")
	}
	return fmt.Errorf("the line is not JSON: %w", err)
}

// fill sets the fields of a user, except whether the user gets an activation mail.
func (j jsonRow) fill(user *users.NewUser) {
	user.Email, user.Name, user.Role = j.Email, j.Name, principal.Role(strings.TrimSpace(j.Role))
	user.CustomerID = strings.TrimSpace(j.CustomerID)
	user.Department = j.Department
	user.Metadata = j.Metadata
}

// Line returns a valid user as a line of JSON Lines, without the line break. Reading it returns the same user.
func Line(user users.NewUser) (string, error) {
	var line strings.Builder
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	normal := user.Normal()
	err := encoder.Encode(jsonRow{
		Email: normal.Email, Name: normal.Name, CustomerID: normal.CustomerID, Role: string(normal.Role),
		Department: normal.Department,
		Metadata:   normal.Metadata, SendActivationEmail: &normal.ActivationEmail,
	})
	return strings.TrimSuffix(line.String(), "\n"), err
}
