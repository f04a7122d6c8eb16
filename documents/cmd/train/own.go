package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"portside/documents/answers"
	"portside/documents/sample"
)

// readCorpus reads the files of cmd/quality, whose expected values are in files with the extension .want.
func readCorpus(ctx context.Context, dir string) ([]*example, error) {
	return readWantedOf(filepath.Join(dir, "*", "*.want"), func(stem string, list []asked) ([]*example, error) {
		found, err := filepath.Glob(stem + ".*")
		if err != nil {
			return nil, err
		}
		var all []*example
		for _, path := range found {
			if strings.HasSuffix(path, ".want") {
				continue
			}
			more, err := readFile(ctx, path, source{set: "corpus", family: filepath.Base(stem)}, list)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
		return all, nil
	})
}

// readSamples reads the documents and the cases of the tests of package offline.
func readSamples(ctx context.Context, dir string) ([]*example, error) {
	cases, err := readCases(ctx, filepath.Join(dir, "cases.jsonl"))
	if err != nil {
		return nil, err
	}
	documents, err := readWantedOf(filepath.Join(dir, "documents", "*.want"), func(stem string, list []asked) ([]*example, error) {
		text, err := os.ReadFile(stem + ".txt")
		if err != nil {
			return nil, err
		}
		return readSample(ctx, string(text), source{set: "samples", family: string(text)}, list)
	})
	if err != nil {
		return nil, err
	}
	wordings, err := readWordings(ctx, filepath.Join(dir, "wordings"))
	return slices.Concat(cases, documents, wordings), err
}

// wordedLanguages are the languages whose wordings the trees are fitted to. The others show how well they understand
// wordings that they never saw.
var wordedLanguages = []string{"de", "en", "fr", "pl", "sv"}

// wordingWeight is the weight of a wording. A concept has dozens of them.
const wordingWeight = 0.05

// readWordings reads the documents of the test of wordings.
func readWordings(ctx context.Context, dir string) ([]*example, error) {
	var all []*example
	for _, lang := range wordedLanguages {
		worded, err := sample.ReadWordings(filepath.Join(dir, lang+".txt"))
		if err != nil {
			return nil, err
		}
		for _, w := range worded {
			var list []asked
			for _, c := range w.Concepts {
				for _, v := range c.Wordings {
					list = append(list, asked{variable: v, match: string(c.Type), right: []string{c.Value}, weight: wordingWeight})
				}
			}
			more, err := readSample(ctx, w.Text(), source{set: "wordings", family: lang}, list)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
	}
	return all, nil
}

func readSample(ctx context.Context, text string, from source, list []asked) ([]*example, error) {
	d, err := sample.Read(text)
	if err != nil {
		return nil, err
	}
	const maxName = 60
	from.document = text[:min(len(text), maxName)]
	return examplesOf(ctx, d, from, list)
}

// readCases reads lines with a text and a question each.
func readCases(ctx context.Context, path string) ([]*example, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []*example
	for line := range bytes.Lines(data) {
		var c struct{ Text, Name, Type, Description, Want string }
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		a := asked{variable: answers.Variable{Name: c.Name, Type: answers.Type(c.Type), Description: c.Description},
			match: c.Type, weight: 1}
		if c.Want != "" {
			a.right = []string{c.Want}
		}
		more, err := readSample(ctx, c.Text, source{set: "cases", family: c.Text}, []asked{a})
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// readWantedOf calls read with each file of wanted values without its extension, and with its values.
func readWantedOf(pattern string, read func(stem string, list []asked) ([]*example, error)) ([]*example, error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	var all []*example
	for _, path := range paths {
		list, err := readWanted(path)
		if err != nil {
			return nil, err
		}
		more, err := read(strings.TrimSuffix(path, ".want"), list)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// readWanted reads lines "name | type | description | value". The value "-" means that the document does not state it.
func readWanted(path string) ([]asked, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []asked
	for line := range strings.Lines(string(data)) {
		const columns = 4
		parts := strings.SplitN(line, "|", columns)
		if len(parts) < columns {
			return nil, fmt.Errorf("%s: %q is not name | type | description | value", path, line)
		}
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		v := answers.Variable{Name: parts[0], Type: answers.Type(parts[1]), Description: parts[2]}
		a := asked{variable: v, match: parts[1], weight: ownWeight}
		if parts[3] != "-" {
			a.right = []string{parts[3]}
		}
		all = append(all, a)
	}
	return all, nil
}
