package media

import (
	"encoding/json"

	"portside/documents/answers"
)

// Task is what a request does with its files.
type Task string

// The tasks.
const (
	Summarize Task = "summarize"
	Extract   Task = "extract"
	Compare   Task = "compare"
)

// Limits of the settings of a request.
const (
	MaxHintChars        = 1_000
	MaxPromptChars      = 4_000
	MaxVariables        = 100
	MaxNameChars        = 100 // of a variable
	MaxDescriptionChars = 1_000
	MaxKeywords         = 1_000
	MaxKeywordChars     = 50
)

// maxCandidates is how many candidates of a variable an answer has.
const maxCandidates = 5

// Question is the validated question of a client.
type Question struct {
	Task      Task
	Shape     answers.Shape      // of a summary
	Length    answers.Length     // of a summary
	Hint      string             // of a summary
	Prompt    string             // of a comparison
	Variables []answers.Variable // of an extraction or a comparison
	Lang      answers.Lang       // of the answer; empty: the language of the document
	Keywords  []string           // for the transcription of recordings
	// MinConfidence is the least confidence of a value, more than 0 and at most 1. 0: what the engine finds enough.
	MinConfidence float64 `json:",omitzero"`
	// Schema is a JSON Schema of the answer of an extraction, or of what a comparison extracts from each file, in place
	// of variables.
	Schema         json.RawMessage `json:",omitzero"`
	WithText       bool            `json:",omitzero"` // whether the answer includes the texts of the files
	WithCandidates bool            `json:",omitzero"` // whether the answer includes the likeliest values of each variable
}

// Summary returns the question as settings for [answers.Engine].
func (q Question) Summary() answers.SummarySettings {
	return answers.SummarySettings{Shape: q.Shape, Length: q.Length, Lang: q.Lang, Hint: q.Hint}
}

// Extraction returns the question as settings for [answers.Engine].
func (q Question) Extraction() answers.ExtractSettings {
	s := answers.ExtractSettings{Variables: q.Variables, Lang: q.Lang, MinConfidence: q.MinConfidence}
	if q.WithCandidates {
		s.MaxCandidates = maxCandidates
	}
	return s
}

// Comparison returns the question as settings for [answers.Engine].
func (q Question) Comparison() answers.CompareSettings {
	e := q.Extraction()
	return answers.CompareSettings{
		Variables: q.Variables, Lang: q.Lang, Prompt: q.Prompt, MinConfidence: e.MinConfidence, MaxCandidates: e.MaxCandidates,
	}
}

// Columns returns the names of the values in the answer, in the order of the question.
func (q Question) Columns() []string {
	if q.Task == Summarize {
		return []string{"summary"}
	}
	var names []string
	for _, v := range q.Variables {
		names = append(names, v.Name)
	}
	members, _ := parseObject(q.Schema) // the request was checked, so this fails only without a schema
	for _, m := range members {
		if m.key != "properties" {
			continue
		}
		properties, _ := parseObject(m.value)
		for _, p := range properties {
			names = append(names, p.key)
		}
	}
	return names
}
