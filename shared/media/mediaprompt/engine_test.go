package mediaprompt_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"portside/documents/answers"
	"portside/documents/differences"
	"portside/shared/core/fault"
	"portside/shared/media/mediaprompt"
	"portside/shared/testkit/mediatest"
)

// replies is a model whose answers come from a function.
type replies func(mediaprompt.Request) (string, error)

func (a replies) Ask(_ context.Context, r mediaprompt.Request) (string, error) { return a(r) }

var mark = regexp.MustCompile(`\[END name ([A-Z2-7]{26})\]`)

//proves:docs/security.md
func TestFencesAreRandomAndRejectedInAnswers(t *testing.T) {
	seen := map[string]bool{}
	e := mediaprompt.New(replies(func(r mediaprompt.Request) (string, error) {
		drawn := mark.FindStringSubmatch(r.Rules)[1]
		seen[drawn] = true
		return fmt.Sprintf(`{"summary": "as told after %s"}`, drawn), nil
	}), mediaprompt.Settings{})
	for range 3 {
		_, err := e.Summarize(t.Context(), mediatest.Document(t, "Text."), answers.SummarySettings{})
		if !errors.Is(err, mediaprompt.ErrJunk) {
			t.Errorf("got %v", err)
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d fences in 6 requests", len(seen))
	}
}

// Except for the fence, the same question makes the same request.
func TestSameQuestionMakesSameRequest(t *testing.T) {
	asked := map[string]bool{}
	e := mediaprompt.New(replies(func(r mediaprompt.Request) (string, error) {
		drawn := mark.FindStringSubmatch(r.Rules)[1]
		asked[strings.ReplaceAll(fmt.Sprintf("%s|%s|%s|%s|%d", r.Name, r.Rules, r.Data, r.Schema, r.MaxTokens), drawn, "")] = true
		return `{"v1": [], "v2": [], "v3": [], "v4": []}`, nil
	}), mediaprompt.Settings{ThinkingTokens: 1_000})
	for range 5 {
		_, err := e.Extract(t.Context(), mediatest.Document(t, "Text."), answers.ExtractSettings{Variables: mediatest.InvoiceVariables()})
		if err != nil {
			t.Error(err)
		}
	}
	if len(asked) != 1 {
		t.Errorf("%d requests", len(asked))
	}
}

func TestTruncatedAnswerIsAskedForInHalves(t *testing.T) {
	e := mediaprompt.New(replies(func(r mediaprompt.Request) (string, error) {
		if strings.Contains(string(r.Schema), `"v3"`) {
			return "", mediaprompt.ErrTruncated
		}
		return `{"v1": [{"quote": "Total: 5", "value": 5}, {"quote": "Supplier: Acme", "value": "Acme"}], "v2": []}`, nil
	}), mediaprompt.Settings{})
	d := mediatest.Document(t, "Supplier: Acme\nTotal: 5\n")
	x, err := e.Extract(t.Context(), d, answers.ExtractSettings{Variables: []answers.Variable{
		{Name: "who", Type: answers.String}, {Name: "when", Type: answers.Date}, {Name: "total", Type: answers.Number}, {Name: "paid", Type: answers.Boolean},
	}})
	if err != nil || x.Values["who"].Text != "Acme" || x.Values["total"].Text != "5" || x.Values["when"].Found() {
		t.Errorf("got %+v, %v", x, err)
	}
}

// The words about a comparison are limited and may be missing. A warning names the parts left out of
// either document.
func TestCompareWarnsOfMissingParts(t *testing.T) {
	e := mediaprompt.New(replies(func(r mediaprompt.Request) (string, error) {
		if r.Name == "comparisons" {
			return `{"v1": "` + strings.Repeat("ä", 700) + `", "v2": null}`, nil
		}
		return `{"v1": [], "v2": []}`, nil
	}), mediaprompt.Settings{PartTokens: 10, MaxParts: 2})
	long, short := mediatest.Document(t, strings.Repeat("word ", 100)), mediatest.Document(t, "word")
	c, err := e.Compare(t.Context(), short, long, answers.CompareSettings{Variables: mediatest.InvoiceVariables()[:2]})
	if err != nil || utf8.RuneCountInString(c.Words["Supplier"]) != 600 || c.Words["Total"] != "" {
		t.Errorf("got %+v, %v", c.Words, err)
	}
	if len(c.Warnings) != 2 || !strings.HasPrefix(c.Warnings[0], "Second file: The document is too long") {
		t.Errorf("got %q", c.Warnings)
	}
	mute := mediaprompt.New(replies(func(r mediaprompt.Request) (string, error) {
		return map[bool]string{true: `{}`, false: `{"v1": []}`}[r.Name == "comparisons"], nil
	}), mediaprompt.Settings{})
	_, err = mute.Compare(t.Context(), short, short, answers.CompareSettings{Variables: mediatest.InvoiceVariables()})
	if !errors.Is(err, mediaprompt.ErrJunk) {
		t.Errorf("got %v", err)
	}
}

// The model gets no uncertain value, because it would take it for a fact.
func TestCompareTellsTheModelOfDoubt(t *testing.T) {
	var asked string
	e := mediaprompt.New(replies(func(r mediaprompt.Request) (string, error) {
		if r.Name == "comparisons" {
			asked = r.Data
			return `{"v1": "In doubt."}`, nil
		}
		return `{"v1": [{"quote": "Total: 5", "value": 5}, {"quote": "Total: 7", "value": 7}]}`, nil
	}), mediaprompt.Settings{})
	certain, disputed := mediatest.Document(t, "Total: 5"), mediatest.Document(t, "Total: 5\nTotal: 7")
	s := answers.CompareSettings{Variables: []answers.Variable{{Name: "total", Type: answers.Number}}, MinConfidence: 0.9}
	c, err := e.Compare(t.Context(), certain, disputed, s)
	if err != nil || !strings.Contains(asked, `"uncertain": true`) || !strings.Contains(asked, `"Total: 5"`) ||
		strings.Contains(asked, "Total: 7") {
		t.Errorf("asked %s, %v", asked, err)
	}
	d := differences.Between(differences.SideOf(c.First, "total"), differences.SideOf(c.Second, "total"))
	if d.Relation != differences.InDoubt {
		t.Errorf("the relation is %s: %+v", d.Relation, c)
	}
	if _, err = e.Compare(t.Context(), mediatest.Document(t, "Hello"), disputed, s); err != nil || strings.Contains(asked, "uncertain") {
		t.Errorf("neither document has the value: asked %s, %v", asked, err)
	}
}

// The first part that fails cancels the rest, and its error is returned.
func TestFirstFailureCancelsTheRest(t *testing.T) {
	var asked atomic.Int32
	e := mediaprompt.New(replies(func(mediaprompt.Request) (string, error) {
		if asked.Add(1) == 3 {
			return "", mediaprompt.ErrRefused
		}
		return `{"v1": []}`, nil
	}), mediaprompt.Settings{PartTokens: 10, MaxParts: 100, MaxConcurrent: 1})
	d := mediatest.Document(t, strings.Repeat("word ", 300))
	_, err := e.Extract(t.Context(), d, answers.ExtractSettings{Variables: mediatest.InvoiceVariables()})
	if !errors.Is(err, mediaprompt.ErrRefused) || asked.Load() != 3 {
		t.Errorf("%v after %d requests", err, asked.Load())
	}
}

func TestExpiredDeadlineMakesNoRequest(t *testing.T) {
	e := mediaprompt.New(replies(func(mediaprompt.Request) (string, error) {
		t.Error("asked without time")
		return "", nil
	}), mediaprompt.Settings{})
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	_, err := e.Extract(late, mediatest.Document(t, "x"), answers.ExtractSettings{Variables: mediatest.InvoiceVariables()})
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
}
