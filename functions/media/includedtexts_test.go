package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portside/shared/media"
	"portside/shared/testkit/webtest"
)

// answerWithTexts is the part of an answer that says where a value was found.
type answerWithTexts struct {
	Evidence map[string][]media.Quote
	Texts    []media.Text
}

// TestIncludedTextsHaveTheQuotes extracts a value from files of formats that a browser cannot show. The place of each
// quote must be in the included text.
func TestIncludedTextsHaveTheQuotes(t *testing.T) {
	a := newTestAPI(t)
	for _, test := range []struct {
		file, variable, kind, description, quote string
		page                                     int
	}{
		{"office/testdata/contract-de-libreoffice.docx", "vertragsbeginn", "date", "Beginn des Vertrags", "1. März 2026", 1},
		{"office/testdata/contract-de-pandoc.epub", "kündigungsfrist", "string", "", "drei Monate", 2},
		{"office/testdata/accounts-en-libreoffice.xlsx", "total", "number", "", "1322.75", 1},
		{"office/testdata/slides-it-libreoffice.pptx", "pubblicità", "number", "", "24.000", 3},
		{"text/testdata/nl.eml", "date", "date", "", "3 May 2024", 0},
		{"text/testdata/office.rtf", "miete", "number", "", "800", 0},
	} {
		content, err := os.ReadFile(filepath.Join("..", "..", "documents", filepath.FromSlash(test.file)))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(test.file), func(t *testing.T) {
			response := postForm(t, a.client(), extractPath+"?include=evidence,text", "@file", string(content),
				"variable1_name", test.variable, "variable1_type", test.kind, "variable1_description", test.description)
			var answer answerWithTexts
			if err := json.Unmarshal(response.WantStatus(http.StatusOK).Body, &answer); err != nil {
				t.Fatal(err)
			}
			quotes := answer.Evidence[test.variable]
			if len(quotes) == 0 || len(answer.Texts) != 1 || answer.Texts[0].IsTruncated {
				t.Fatalf("%d quotes, %d texts: %s", len(quotes), len(answer.Texts), response.Body)
			}
			block := blockOf(answer.Texts[0], quotes[0])
			if !strings.Contains(quotes[0].Quote, test.quote) || block.Page != test.page || block.Page != quotes[0].Page {
				t.Errorf("found %+v in %+v", quotes[0], block)
			}
		})
	}
}

// blockOf returns the block that has the quote at its place, or the zero block.
func blockOf(text media.Text, quote media.Quote) media.TextBlock {
	for _, block := range text.Blocks {
		runes := []rune(block.Text)
		from, to := quote.Start-block.Start, quote.End-block.Start
		if from >= 0 && to <= len(runes) && string(runes[from:to]) == quote.Quote {
			return block
		}
	}
	return media.TextBlock{Page: -1}
}

func TestIncludedTextsOfEveryTask(t *testing.T) {
	a := newTestAPI(t)
	subtitles := "WEBVTT\n\n00:01.500 --> 00:03.000\nThe meeting begins.\n"
	postForm(t, a.client(), summarizePath+"?include=text", "@file", subtitles).WantStatus(http.StatusOK).
		WantValue("texts.0.blocks.0.text", "The meeting begins.").WantValue("texts.0.blocks.0.time", 1.5)
	postForm(t, a.client(), comparePath+"?include=text", "@file1", "Total: 1", "@file2", "Total: 2").
		WantStatus(http.StatusOK).
		WantValue("texts.1.blocks.0.text", "Total: 2").WantValue("evidence", nil)
	postForm(t, a.client(), comparePath+"?include=evidence", "@file1", "Total: 1", "@file2", "Total: 2").
		WantStatus(http.StatusOK).
		WantValue("texts", nil)
	postForm(t, a.client(), extractPath+"?include=text,other", "@file", "x").WantStatus(http.StatusBadRequest)
	c := a.client()
	job := postForm(t, c.With("Prefer", "respond-async"), extractPath+"?include=text", "@file", invoice).
		WantStatus(http.StatusAccepted)
	id := job.Text("id")
	a.runJob(id)
	c.Get("/v1/capabilities/jobs/"+id).WantStatus(http.StatusOK).WantValue("result.texts.0.isTruncated", false)
}

func TestIncludedTextsAreLimited(t *testing.T) {
	a := newTestAPI(t)
	var long strings.Builder
	for i := range 40_000 {
		_, _ = fmt.Fprintf(&long, "%d <b> & the quay was repaired in spring\n\n", i)
	}
	response := postForm(t, a.client(), comparePath+"?include=text", "@file1", long.String(), "@file2", "Total: 2",
		"variable1_name", "total", "variable1_type", "number").WantStatus(http.StatusOK).
		WantValue("texts.0.isTruncated", true).WantValue("texts.1.isTruncated", false)
	const limit = media.MaxTextBytes / 2 // for each file
	if size := len(response.Body); size > limit+1_000 || size < limit-1_000 {
		t.Errorf("the answer has %d bytes, want about %d", size, limit)
	}
}

// TestSummaryIncludesOnlyText asks for parts of an answer that a summary never has.
func TestSummaryIncludesOnlyText(t *testing.T) {
	a := newTestAPI(t)
	ask := func(include string) webtest.Response {
		return postForm(t, a.client(), summarizePath+"?include="+include, "@file", "The office opens at eight.")
	}
	ask("text").WantStatus(http.StatusOK)
	for include, pointer := range map[string]string{
		"evidence": "query/include.0", "candidates": "query/include.0", "text,evidence": "query/include.1",
	} {
		ask(include).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", pointer)
	}
}
