package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/files"
)

// readFile reads a file on disk.
func readFile(ctx context.Context, path string) (*documents.Document, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d, err := files.Read(ctx, documents.FromBytes(data), documents.DefaultLimits())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// sample is a file with its expected values. Its directory is named after the format, and its file name begins with the
// language.
type sample struct {
	path, format, lang string
	wanted             []wanted
}

// wanted is the expected value of a variable. It is empty if the document does not state it.
type wanted struct {
	variable answers.Variable
	value    string
}

const sidecar = ".want"

// findSamples finds the files below dir, in the order of their paths.
func findSamples(dir string) ([]sample, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*-*"))
	if err != nil {
		return nil, err
	}
	var all []sample
	for _, path := range paths {
		if filepath.Ext(path) == sidecar {
			continue
		}
		s, err := readSample(path)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no files in %s: run this in the folder documents, or name it with -dir", dir)
	}
	return all, nil
}

func readSample(path string) (sample, error) {
	s := sample{path: path, format: filepath.Base(filepath.Dir(path))}
	s.lang, _, _ = strings.Cut(filepath.Base(path), "-")
	if !slices.Contains(answers.Langs(), answers.Lang(s.lang)) {
		return s, fmt.Errorf("the file name of %s does not begin with a language", path)
	}
	text, err := os.ReadFile(strings.TrimSuffix(path, filepath.Ext(path)) + sidecar)
	if err != nil {
		return s, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		w, err := parseWanted(lines.Text())
		if err != nil {
			return s, fmt.Errorf("the expected values of %s: %w", path, err)
		}
		s.wanted = append(s.wanted, w)
	}
	return s, lines.Err()
}

// parseWanted reads a line "name | type | description | value".
func parseWanted(line string) (wanted, error) {
	parts := strings.SplitN(line, "|", 4)
	if len(parts) < 4 {
		return wanted{}, fmt.Errorf("%q is not name | type | description | value", line)
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	if parts[3] == "-" {
		parts[3] = ""
	}
	return wanted{answers.Variable{Name: parts[0], Type: answers.Type(parts[1]), Description: parts[2]}, parts[3]}, nil
}

// matches reports whether a value is the expected one. Trailing zeros of a number do not matter.
func (w wanted) matches(v answers.Value) bool {
	if w.value == "" || !v.Found() {
		return w.value == "" && !v.Found()
	}
	if w.variable.Type != answers.Number {
		return v.Text == w.value
	}
	want, err := strconv.ParseFloat(w.value, 64)
	return err == nil && v.Number() == want
}
