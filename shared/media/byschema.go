package media

import (
	"context"
	"fmt"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/schema"
)

// extractBySchema adds the object of the question's schema to the answer, with its evidence and candidates.
func (s *Service) extractBySchema(ctx context.Context, q Question, d *documents.Document, answer *Answer) error {
	plan, err := schema.NewPlan(q.Schema)
	if err != nil {
		return fmt.Errorf("read the schema of a question: %w", err)
	}
	settings := q.Extraction()
	settings.Variables, settings.Tables = plan.Variables, plan.Tables
	found, err := s.Engine.Extract(ctx, d, settings)
	if err != nil {
		return fmt.Errorf("extract: %w", err)
	}
	checked := found.Checked(d, settings)
	if err := checkRows(checked.Rows, plan.Tables); err != nil {
		return err
	}
	filled := plan.Answer(checked)
	answer.Extracted = filled.Object
	byPointer := answers.Extraction{Evidence: filled.Evidence, Candidates: filled.Candidates}
	answer.addQuotes(byPointer, d, 0)
	answer.addCandidates(byPointer, d, 0)
	for _, warnings := range [][]string{plan.Warnings, found.Warnings, filled.Warnings} {
		answer.Warnings = append(answer.Warnings, warnings...)
	}
	return nil
}
