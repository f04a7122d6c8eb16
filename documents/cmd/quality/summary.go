package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"portside/documents"
	"portside/documents/answers"
)

// story is a document with the phrases that its summary must mention.
type story struct {
	lang answers.Lang
	name string
	must []string
	text string
}

// findStories reads one file for each language. A line "=== name" begins a document, and "must: a | b" follows it. The
// text after "=== common" is appended to every document.
func findStories(dir string) ([]story, error) {
	var all []story
	for _, lang := range answers.Langs() {
		data, err := os.ReadFile(filepath.Join(dir, string(lang)+".txt"))
		if err != nil {
			return nil, err
		}
		docs, common, _ := strings.Cut(strings.TrimPrefix(string(data), "=== "), "\n=== common\n")
		for part := range strings.SplitSeq(docs, "\n=== ") {
			name, rest, _ := strings.Cut(part, "\n")
			must, text, found := strings.Cut(strings.TrimPrefix(rest, "must: "), "\n")
			if !found {
				return nil, fmt.Errorf("%s of %s.txt has no text", name, lang)
			}
			all = append(all, story{lang, name, strings.Split(must, " | "), text + "\n" + common})
		}
	}
	return all, nil
}

// document returns the story as a document. Each line is a heading, a list item or a paragraph.
func (s story) document() (*documents.Document, error) {
	into := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	for line := range strings.SplitSeq(s.text, "\n") {
		block := documents.Block{Kind: documents.Paragraph, Text: line}
		if body, is := strings.CutPrefix(line, "#"); is {
			block = documents.Block{Kind: documents.Heading, Level: 1, Text: strings.TrimLeft(body, "#")}
		} else if body, is := strings.CutPrefix(line, "- "); is {
			block = documents.Block{Kind: documents.ListItem, Text: body}
		}
		if err := into.Add(block); err != nil {
			return nil, fmt.Errorf("%s %s: %w", s.lang, s.name, err)
		}
	}
	return into.Document(), nil
}

// cover is a story with the phrases that its summary does not mention.
type cover struct {
	story
	missing []string
}

func coverAll(ctx context.Context, engine answers.Engine, stories []story) ([]cover, error) {
	var all []cover
	for _, s := range stories {
		d, err := s.document()
		if err != nil {
			return nil, err
		}
		summary, err := engine.Summarize(ctx, d, answers.SummarySettings{Shape: answers.AsParagraph, Length: answers.Medium})
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", s.lang, s.name, err)
		}
		all = append(all, cover{s, missing(s.must, summary.Text)})
	}
	return all, nil
}

func missing(phrases []string, text string) []string {
	var all []string
	for _, phrase := range phrases {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(phrase)) {
			all = append(all, phrase)
		}
	}
	return all
}

// coverTable counts phrases by language and lists the missing ones.
func coverTable(covers []cover) table {
	t := table{{"language", "documents", "phrases", "mentioned", "share", "not mentioned"}}
	var sum cover
	for _, lang := range answers.Langs() {
		docs, of := 0, cover{}
		for _, c := range covers {
			if c.lang == lang {
				docs++
				of.must, of.missing = append(of.must, c.must...), append(of.missing, c.missing...)
			}
		}
		sum.must, sum.missing = append(sum.must, of.must...), append(sum.missing, of.missing...)
		t.add(of.cells(string(lang), docs, strings.Join(of.missing, "; "))...)
	}
	t.add(sum.cells("all", len(covers), "")...)
	return t
}

func (c cover) cells(name string, docs int, remark string) []string {
	all, mentioned := len(c.must), len(c.must)-len(c.missing)
	return []string{name, fmt.Sprint(docs), fmt.Sprint(all), fmt.Sprint(mentioned), percent(mentioned, all), remark}
}
