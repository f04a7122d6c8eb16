package extraction

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/candidates"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/prose"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
	"portside/documents/offline/statements"
	"portside/documents/offline/values"
)

func (r *Document) evidence(c ranking.Answer) answers.Evidence {
	page := 0
	if i := index.BlockAt(r.Index.Source.Blocks, c.At.Start); i >= 0 {
		page = r.Index.Source.Blocks[i].Page
	}
	const cent = 100
	if c.Ambiguous {
		c.Score = math.Min(c.Score, mostDoubtful)
	}
	confidence := math.Round(math.Min(c.Score, 0.99)*cent) / cent
	return answers.Evidence{Quote: r.Index.Text[c.At.Start:c.At.End], Start: c.At.Start, Page: page, Confidence: confidence}
}

func (r *Document) find(q *questions.Question) (ranking.Answer, bool) {
	if len(q.Patterns) == 0 || len(q.Patterns[0].Terms) == 0 {
		return ranking.Answer{}, false
	}
	var all []ranking.Answer
	if q.Variable.Type == answers.Boolean {
		all = r.claims.Answers(q)
	} else {
		all = slices.Concat(r.fromPairs(q), r.prose.FromSentences(q), r.fromShapes(q), r.prose.FromGreeting(q))
		all = append(r.besidesRanges(q, all), r.fromEnds(q)...)
	}
	return ranking.Best(r.Index.Watch, all)
}

func (r *Document) fromPairs(q *questions.Question) []ranking.Answer {
	var all []ranking.Answer
	isPeriod := q.AsksForStart() || q.AsksForEnd()
	for i := range r.Set.Pairs {
		p := &r.Set.Pairs[i]
		if r.Index.Watch.Stopped() {
			return nil
		}
		if lexicon.AnyIn(q.Relevant, p.Label) {
			if score := ranking.MatchLabel(q, p, r.Index.Topic); score > ranking.MinScore-ranking.RepeatBonus {
				all = append(all, r.values.Read(q, p, score)...)
			}
		}
		if isPeriod {
			all = append(all, r.values.PeriodEnd(q, p.Value, p.Label)...)
		}
	}
	return all
}

// finder finds values.
type Document struct {
	Index  *index.Index
	Set    *candidates.Set
	values *values.Reader
	prose  *prose.Reader
	claims *statements.Reader
}

// prepare reads a document.
func Prepare(ctx context.Context, d *documents.Document) (*Document, error) {
	r, err := index.New(ctx, d)
	if err != nil {
		return nil, err
	}
	set := candidates.Collect(r)
	v := values.NewReader(r, set)
	f := &Document{r, set, v, prose.NewReader(r, set, v), statements.NewReader(r, set, v)}
	return f, r.Watch.Check()
}

const PartlySearched = "Only the first part of the document was searched."

const mostDoubtful = 0.6 // what a doubtful value is sure of at most

// extracting names what was going on when a context ended.
func extracting(err error) error { return fmt.Errorf("extract: %w", err) }

// firstFound is the first of the values that the document says.
func (r *Document) FirstFound(t answers.Type, names []string) (ranking.Answer, bool) {
	for _, name := range names {
		if c, ok := r.find(ranking.Fit(r.Index, questions.New(answers.Variable{Name: name, Type: t}))); ok {
			return c, true
		}
	}
	return ranking.Answer{}, false
}

// labelOf is the label that stands with a value, closest before it; empty if none does.
func (r *Document) LabelOf(c ranking.Answer) string {
	label := scan.Span{}
	for _, p := range r.Set.Pairs {
		if p.Value.Start <= c.At.Start && c.At.End <= p.Value.End && p.LabelAt.End <= c.At.Start && p.LabelAt.Start >= label.Start && !p.InGrid {
			label = p.LabelAt
		}
	}
	return strings.TrimRight(r.Index.Text[label.Start:label.End], " :.")
}

// extractValues finds
func Extract(ctx context.Context, d *documents.Document, s answers.ExtractSettings) (answers.Extraction, error) {
	found := answers.Extraction{Values: map[string]answers.Value{}, Evidence: map[string][]answers.Evidence{}}
	if err := ctx.Err(); err != nil {
		return found, extracting(err)
	}
	r, err := Prepare(ctx, d)
	if err != nil {
		return found, extracting(err)
	}
	if r.Index.Truncated || r.Set.Truncated {
		found.Warnings = []string{PartlySearched}
	}
	for _, v := range s.Variables {
		found.Values[v.Name] = answers.Value{}
		delete(found.Evidence, v.Name)
		best, ok := r.find(ranking.Fit(r.Index, questions.New(v)))
		if err := r.Index.Watch.Check(); err != nil {
			return found, extracting(err)
		}
		if ok {
			found.Values[v.Name] = best.Value
			found.Evidence[v.Name] = []answers.Evidence{r.evidence(best)}
		}
	}
	return found, nil
}
