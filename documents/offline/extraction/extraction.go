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
	"portside/documents/offline/learned"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
	"portside/documents/offline/statements"
	"portside/documents/offline/tables"
	"portside/documents/offline/values"
)

// PartlySearched is the warning about a document that is too long to be searched as a whole.
const PartlySearched = "Only the first part of the document was searched."

// maxAmbiguousConfidence limits the confidence in an answer that has a second reading.
const maxAmbiguousConfidence = 0.6

// extract finds the values of the variables in a document that has no e-invoice, or in a part of one.
func extract(ctx context.Context, d *documents.Document, s answers.ExtractSettings) (answers.Extraction, error) {
	if err := ctx.Err(); err != nil {
		return emptyExtraction(), extracting(err)
	}
	e, err := Prepare(ctx, d)
	if err != nil {
		return emptyExtraction(), extracting(err)
	}
	return e.extract(s)
}

func emptyExtraction() answers.Extraction {
	return answers.Extraction{Values: map[string]answers.Value{}, Evidence: map[string][]answers.Evidence{},
		Candidates: map[string][]answers.Candidate{}, Rows: map[string][]answers.Row{}}
}

// extracting adds the operation to an error.
func extracting(err error) error { return fmt.Errorf("extract: %w", err) }

// Extractor finds values in one document. It does not change between questions and is not safe for
// concurrent use.
type Extractor struct {
	Index      *index.Index
	Candidates *candidates.Set
	values     *values.Reader
	claims     *statements.Reader
	learned    *learned.Reader
}

// Prepare reads a document. This takes seconds for a long one, so Prepare returns the error of the
// context soon after it ends.
func Prepare(ctx context.Context, d *documents.Document) (*Extractor, error) {
	doc, err := index.New(ctx, d)
	if err != nil {
		return nil, err
	}
	set := candidates.Collect(doc)
	v := values.NewReader(doc, set)
	e := &Extractor{doc, set, v, statements.NewReader(doc, set, v), learned.NewReader(doc, v)}
	return e, doc.Watch.Check()
}

// extract finds the values of variables and the records of tables.
func (e *Extractor) extract(s answers.ExtractSettings) (answers.Extraction, error) {
	found := emptyExtraction()
	if e.Index.Truncated || e.Candidates.Truncated {
		found.Warnings = []string{PartlySearched}
	}
	for _, v := range s.Variables {
		found.Values[v.Name] = answers.Value{}
		delete(found.Evidence, v.Name)
		ranked, isFound := e.find(ranking.Fit(e.Index, questions.New(v)), s.MinConfidence)
		if err := e.Index.Watch.Check(); err != nil {
			return found, extracting(err)
		}
		if isFound {
			found.Values[v.Name] = ranked[0].Value
			found.Evidence[v.Name] = []answers.Evidence{e.evidence(ranked[0])}
		}
		found.Candidates[v.Name] = e.likeliest(ranked, s.MaxCandidates)
	}
	for _, t := range s.Tables {
		found.Rows[t.Name] = e.rows(t)
		if err := e.Index.Watch.Check(); err != nil {
			return found, extracting(err)
		}
	}
	return found, nil
}

// rows returns the records of a table.
func (e *Extractor) rows(t answers.Table) (rows []answers.Row) {
	for _, record := range tables.Find(e.Index, e.Candidates, e.values, t) {
		row := answers.Row{Values: map[string]answers.Value{}, Evidence: map[string][]answers.Evidence{}}
		for column, answer := range record {
			row.Values[column], row.Evidence[column] = answer.Value, []answers.Evidence{e.evidence(answer)}
		}
		rows = append(rows, row)
	}
	return rows
}

// find returns the possible answers to a question, the best first. isFound is true if it has at least the confidence; 0
// stands for [learned.Likely].
func (e *Extractor) find(q *questions.Question, minConfidence float64) (ranked []ranking.Answer, isFound bool) {
	rules := e.ByRules(q)
	if q.Variable.Type == answers.Boolean {
		return rules.Ranked, rules.Found
	}
	if minConfidence == 0 {
		minConfidence = learned.Likely
	}
	ranked = e.learned.Rank(q, rules)
	return ranked, len(ranked) > 0 && rounded(ranked[0].Score) >= minConfidence
}

// likeliest returns the first n of ranked answers. Statements have none, because no other than true or false is
// possible.
func (e *Extractor) likeliest(ranked []ranking.Answer, n int) []answers.Candidate {
	var all []answers.Candidate
	for _, a := range ranked[:min(len(ranked), n)] {
		if a.NoValue || a.Value.Type == answers.Boolean {
			break
		}
		all = append(all, answers.Candidate{Value: a.Value, Evidence: e.evidence(a)})
	}
	return all
}

// ByRules returns what the rules say about a question.
func (e *Extractor) ByRules(q *questions.Question) learned.Rules {
	if len(q.Patterns) == 0 || len(q.Patterns[0].Terms) == 0 {
		return learned.Rules{}
	}
	var all []ranking.Answer
	if q.Variable.Type == answers.Boolean {
		all = e.claims.Answers(q)
	} else {
		all = e.fromPairs(q)
	}
	ranked := ranking.Ranked(e.Index.Watch, all)
	_, found := ranking.Best(ranked)
	return learned.Rules{Ranked: ranked, Found: found}
}

// Values returns the candidates of a question as if the document did not have some of the answers, for training.
func (e *Extractor) Values(q *questions.Question, isGone func(ranking.Answer) bool) []learned.Candidate {
	return e.learned.Candidates(q, e.ByRules(q), isGone)
}

// fromPairs returns the values of pairs whose label answers the question.
func (e *Extractor) fromPairs(q *questions.Question) []ranking.Answer {
	var all []ranking.Answer
	for i := range e.Candidates.Pairs {
		p := &e.Candidates.Pairs[i]
		if e.Index.Watch.Stopped() {
			return nil
		}
		if !lexicon.AnyIn(q.Relevant, p.Label) {
			continue
		}
		if score := ranking.MatchLabel(q, p, e.Index.Topic); score > ranking.MinScore-ranking.RepeatBonus {
			all = append(all, e.values.Read(q, p, score)...)
		}
	}
	return slices.DeleteFunc(all, func(a ranking.Answer) bool { return e.values.IsOtherEnd(q, a.At) })
}

// evidence returns the quote of an answer, its page and the confidence.
func (e *Extractor) evidence(a ranking.Answer) answers.Evidence {
	page := 0
	if i := documents.LastBlockFrom(e.Index.Source.Blocks, a.At.Start); i >= 0 {
		page = e.Index.Source.Blocks[i].Page
	}
	if a.Ambiguous {
		a.Score = math.Min(a.Score, maxAmbiguousConfidence)
	}
	confidence := rounded(math.Min(a.Score, 0.99))
	return answers.Evidence{Quote: a.At.In(e.Index.Text), Start: a.At.Start, Page: page, Confidence: confidence}
}

// rounded returns a probability as evidence shows it, so that no value at the limit is shown as missing.
func rounded(probability float64) float64 {
	const percent = 100
	return math.Round(probability*percent) / percent
}

// FirstFound returns the first value that the document has for the named variables, in their order.
func (e *Extractor) FirstFound(t answers.Type, names []string) (ranking.Answer, bool) {
	for _, name := range names {
		q := ranking.Fit(e.Index, questions.New(answers.Variable{Name: name, Type: t}))
		if ranked, isFound := e.find(q, 0); isFound {
			return ranked[0], true
		}
	}
	return ranking.Answer{}, false
}

// LabelOf returns the label that stands closest before an answer, or an empty string.
func (e *Extractor) LabelOf(a ranking.Answer) string {
	label := scan.Span{}
	for _, p := range e.Candidates.Pairs {
		if p.Value.Start <= a.At.Start && a.At.End <= p.Value.End && p.LabelAt.End <= a.At.Start &&
			p.LabelAt.Start >= label.Start && !p.InGrid {
			label = p.LabelAt
		}
	}
	return strings.TrimRight(label.In(e.Index.Text), " :.")
}
