package media

import (
	"context"
	"fmt"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/schema"
)

// extractBySchema answers with the values of the question's schema.
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
	values := plan.Answer(found.Checked(d, settings))
	answer.Extracted = values.Object
	placed := answers.Extraction{Evidence: values.Evidence, Candidates: values.Candidates}
	addQuotes(answer.Evidence, placed, d, 0)
	answer.addCandidates(placed, d, 0)
	answer.Warnings = append(append(answer.Warnings, found.Warnings...), values.Warnings...)
	return nil
}
