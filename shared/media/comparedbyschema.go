package media

import (
	"context"
	"fmt"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/differences"
	"portside/documents/schema"
)

// compareBySchema adds to the answer how the two documents differ in the values and tables of the question's schema.
func (s *Service) compareBySchema(ctx context.Context, q Question, docs []*documents.Document, answer *Answer) error {
	plan, err := schema.NewPlan(q.Schema)
	if err != nil {
		return fmt.Errorf("read the schema of a question: %w", err)
	}
	var comparison answers.Comparison
	if len(plan.Variables) > 0 {
		settings := q.Comparison()
		settings.Variables = plan.Variables
		if comparison, err = s.compareVariables(ctx, settings, docs); err != nil {
			return err
		}
	}
	sides := [2]answers.Extraction{comparison.First, comparison.Second}
	var found [2]schema.Answer
	for i, d := range docs {
		if sides[i], err = s.withRows(ctx, sides[i], d, tableSettings(q, plan)); err != nil {
			return err
		}
		found[i] = plan.Answer(sides[i])
		answer.Warnings = append(answer.Warnings, sides[i].Warnings...)
		answer.addSide(found[i], d, i+1, q.WithCandidates)
	}
	answer.Warnings = append(append(answer.Warnings, plan.Warnings...), comparison.Warnings...)
	for _, single := range plan.Singles {
		sentence := comparison.Words[single.Variable.Name]
		if isRefused(single, sides[0], found[0]) || isRefused(single, sides[1], found[1]) {
			sentence = "" // it names the value that the answer leaves out
		}
		answer.Extracted[single.Pointer] = comparedSingle(single, sentence, found)
	}
	answer.Tables = map[string]Table{}
	for _, list := range plan.Lists {
		answer.Tables[list.Pointer] = comparedTable(list, found)
	}
	return nil
}

// tableSettings returns the settings for the tables of a plan.
func tableSettings(q Question, plan *schema.Plan) answers.ExtractSettings {
	settings := q.Extraction()
	settings.Variables, settings.Tables = nil, plan.Tables
	return settings
}

// withRows adds the rows of the tables in a document to an extraction. It replaces the warnings by those about the
// rows, because the comparison already has the other warnings.
func (s *Service) withRows(
	ctx context.Context, e answers.Extraction, d *documents.Document, settings answers.ExtractSettings,
) (answers.Extraction, error) {
	if e.Warnings = nil; len(settings.Tables) == 0 {
		return e, nil
	}
	found, err := s.Engine.Extract(ctx, d, settings)
	if err != nil {
		return e, fmt.Errorf("extract: %w", err)
	}
	e.Rows, e.Warnings = found.Checked(d, settings).Rows, found.Warnings
	return e, checkRows(e.Rows, settings.Tables)
}

// addSide adds the evidence, the candidates and the warnings of one file.
func (a *Answer) addSide(found schema.Answer, d *documents.Document, file int, withCandidates bool) {
	byPointer := answers.Extraction{Evidence: found.Evidence, Candidates: found.Candidates}
	a.addQuotes(byPointer, d, file)
	if withCandidates {
		a.addCandidates(byPointer, d, file)
	}
	for _, warning := range found.Warnings {
		a.Warnings = append(a.Warnings, fmt.Sprintf("file%d: %s", file, warning))
	}
}

// isRefused reports whether a value was found but left out of the answer, because it does not fit the schema.
func isRefused(s schema.Single, side answers.Extraction, found schema.Answer) bool {
	return side.Values[s.Variable.Name].Found() && !found.Values[s.Pointer].Found()
}

// comparedSingle returns how a single value differs, with the engine's sentence about it.
func comparedSingle(s schema.Single, sentence string, found [2]schema.Answer) Compared {
	first, second := sideOf(found[0], s.Pointer), sideOf(found[1], s.Pointer)
	return Compared{
		Data: first.Value.Text, DataToCompare: second.Value.Text, Comparison: sentence,
		Difference: newDifference(s.Variable.Type, first, second),
	}
}

// sideOf returns one side of the comparison at a JSON Pointer.
func sideOf(a schema.Answer, pointer string) differences.Side {
	return differences.SideOf(answers.Extraction{Values: a.Values, Evidence: a.Evidence, Candidates: a.Candidates}, pointer)
}
