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

	"portside/shared/media"
	"portside/shared/media/mediafiles"
	"portside/shared/media/mediaoffline"
)

// newService reads and answers as the function media does, but keeps nothing.
func newService() *media.Service {
	limits := media.DefaultLimits()
	return media.NewService(media.Parts{
		Detect: mediafiles.Detect(limits), Readers: mediafiles.Readers(), Engine: mediaoffline.New(), Limits: limits,
	})
}

// readFile makes a document of a file on disk.
func readFile(ctx context.Context, service *media.Service, path string) (*media.Document, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d, err := service.Read(ctx, media.Source{ReaderAt: bytes.NewReader(data), Size: int64(len(data))})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// sample is a file with its right values. The directory is named after the format, and the file begins with its language.
type sample struct {
	path, format, lang string
	wanted             []wanted
}

// wanted is the right value of a variable; empty where the document does not say it.
type wanted struct {
	variable media.Variable
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
		return nil, fmt.Errorf("no files in %s: run this in the repository, or say where it is with -repo", dir)
	}
	return all, nil
}

func readSample(path string) (sample, error) {
	s := sample{path: path, format: filepath.Base(filepath.Dir(path))}
	s.lang, _, _ = strings.Cut(filepath.Base(path), "-")
	if !slices.Contains(media.Langs(), media.Lang(s.lang)) {
		return s, fmt.Errorf("%s: its name does not begin with a language", path)
	}
	text, err := os.ReadFile(strings.TrimSuffix(path, filepath.Ext(path)) + sidecar)
	if err != nil {
		return s, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		w, err := parseWanted(lines.Text())
		if err != nil {
			return s, fmt.Errorf("the right values of %s: %w", path, err)
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
	return wanted{media.Variable{Name: parts[0], Type: media.Type(parts[1]), Description: parts[2]}, parts[3]}, nil
}

// right tells whether a value is the wanted one. Numbers are the same however many zeros they end with.
func (w wanted) right(v media.Value) bool {
	if w.value == "" || !v.Found() {
		return w.value == "" && !v.Found()
	}
	if w.variable.Type != media.Number {
		return v.Text == w.value
	}
	want, err := strconv.ParseFloat(w.value, 64)
	return err == nil && v.Number() == want
}
