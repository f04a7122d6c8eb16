package media

import (
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

// FileCount returns the number of files that the task needs.
func (t Task) FileCount() int {
	if t == Compare {
		return 2
	}
	return 1
}

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
	WithText  bool               `json:",omitzero"` // whether the answer includes the texts of the files
}

// Summary returns the question as settings for [answers.Engine].
func (q Question) Summary() answers.SummarySettings {
	return answers.SummarySettings{Shape: q.Shape, Length: q.Length, Lang: q.Lang, Hint: q.Hint}
}

// Extraction returns the question as settings for [answers.Engine].
func (q Question) Extraction() answers.ExtractSettings {
	return answers.ExtractSettings{Variables: q.Variables, Lang: q.Lang}
}

// Comparison returns the question as settings for [answers.Engine].
func (q Question) Comparison() answers.CompareSettings {
	return answers.CompareSettings{Variables: q.Variables, Lang: q.Lang, Prompt: q.Prompt}
}
