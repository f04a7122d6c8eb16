package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/files"
	"portside/documents/offline/extraction"
	"portside/documents/offline/learned"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
)

// source is where examples come from.
type source struct {
	set      string
	family   string // documents of a family look alike
	document string
}

// asked is a variable with the values that are right. None means that the document does not state it.
type asked struct {
	wording  string // of the question; empty for the first one
	variable answers.Variable
	match    string // see isSame
	right    []string
	weight   float64
}

func (a asked) isRight(answer ranking.Answer) bool {
	return slices.ContainsFunc(a.right, func(want string) bool { return isSame(a.match, answer.Value.Text, want) })
}

// example is a question about a document, with all candidates.
type example struct {
	source
	asked
	question   *questions.Question
	kind       learned.Kind
	candidates []learned.Candidate
	isRight    []bool // by candidate
	hasAnswer  bool   // the document states the value
	isTwin     bool   // the right values were removed
	rulesRight bool
	rulesWrong bool
}

// ownWeight is the weight of the examples of this repository. Many of them ask for the same values in several formats.
const ownWeight = 0.4

// twinWeight is the weight of an example whose right values were removed, as a share of the weight of the whole
// example. It decides how careful the trees are.
const twinWeight = 0.5

// readFile reads a document and asks for the variables.
func readFile(ctx context.Context, path string, from source, all []asked) ([]*example, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d, err := files.Read(ctx, documents.FromBytes(data), documents.DefaultLimits())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	from.document = filepath.Base(path)
	return examplesOf(ctx, d, from, all)
}

// examplesOf asks for the variables of a document, and again without the right values. Booleans have no candidates.
func examplesOf(ctx context.Context, d *documents.Document, from source, all []asked) ([]*example, error) {
	e, err := extraction.Prepare(ctx, d)
	if err != nil {
		return nil, err
	}
	var examples []*example
	for _, a := range all {
		if a.variable.Type == answers.Boolean {
			continue
		}
		q := ranking.Fit(e.Index, questions.New(a.variable))
		x := &example{source: from, asked: a, question: q, kind: learned.KindOf(q), hasAnswer: len(a.right) > 0}
		x.set = a.wording + from.set
		rules := e.ByRules(q)
		x.rulesRight = rules.Found && a.isRight(rules.Ranked[0])
		x.rulesWrong = rules.Found && !x.rulesRight
		x.fill(e.Values(q, func(ranking.Answer) bool { return false }))
		examples = append(examples, x)
		if x.hasAnswer {
			twin := &example{source: from, asked: a, question: q, kind: x.kind, isTwin: true, rulesWrong: x.rulesWrong}
			twin.set, twin.weight = "absent "+x.set, a.weight*twinWeight
			twin.fill(e.Values(q, a.isRight))
			examples = append(examples, twin)
		}
	}
	return examples, nil
}

func (x *example) fill(candidates []learned.Candidate) {
	x.candidates = candidates
	for i := range candidates {
		x.isRight = append(x.isRight, x.asked.isRight(candidates[i].Answer))
	}
}
