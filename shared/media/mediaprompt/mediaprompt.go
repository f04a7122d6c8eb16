// Package mediaprompt makes a [media.Engine] of any language model, and a [media.Viewer] of one that sees: it writes the prompts,
// says by a JSON schema what an answer must look like, and believes nothing of an answer that it cannot find in the document.
//
// Three things stay true, whatever the model:
//   - What strangers wrote (documents, names and descriptions of variables, hints) reaches the model as data only, between
//     fences that nobody can guess, since each request draws its own. The rules never contain a stranger's words, nor does
//     the schema, whose keys are numbered.
//   - What a model reads in a picture is a stranger's word as well: it becomes text of the document, and nothing else. Whether it
//     stands in the picture cannot be told here, so a viewer's answer is bounded and cleaned, and evidence quotes it.
//   - A value has the variable's type and a quote that stands in the document, and the value stands in the quote as far as
//     that can be told. Whatever is wrong with an answer makes it "not found", never a guess.
//   - The same question makes the same requests, but for the fences.
//
// Long documents are read in parts: a summary is made of notes on the parts, a value is taken from the part that has the best
// evidence for it.
//
// Every call of a model or a transcriber is noted by a [Ledger], which is the one place that writes such lines. A line has
// the message "model call" and these keys, which subscriptions to the log count on; it never has any content:
//
//   - engine, model, endpoint: what was called: openai or bedrock, the model's own name, and completions, transcriptions or converse
//   - status: of HTTP; 0 where there was no answer. attempt: from 1; more where the one before came to nothing
//   - ms: how long the call took
//   - inputTokens, outputTokens: as the service counts them; 0 where it does not say
//   - audioSeconds: of the recording that was heard, where the service says it
//   - microUSD: what the call cost in millionths of a dollar, rounded up, where prices are set and the service says how much it did
package mediaprompt

import (
	"context"

	"portside/documents"
	"portside/shared/core/fault"
)

// revision changes with every change of the prompts, or of what is believed, that may change an answer; answers are kept by it.
const revision = "3"

// Why a model gives no answer. Text of the model or of the document is in none of them.
var (
	ErrBusy      = fault.New(fault.Unavailable, "The language model is busy or away. Try again later.")
	ErrJunk      = fault.New(fault.Unavailable, "The language model gave an answer that cannot be used. Try again later.")
	ErrRefused   = fault.New(fault.Unprocessable, "The language model refuses to answer about this content.")
	ErrTruncated = fault.New(fault.Unprocessable, "The answer is longer than the language model may write. Ask for less at once.")
	ErrTooLong   = fault.New(fault.Unprocessable, "The document is longer than the language model can read. Send it in parts.")
)

// Request is what a model is asked.
type Request struct {
	Name      string              // what the answer is called where a protocol wants a name: letters and underscores
	Rules     string              // what to do: our words only
	Data      string              // what strangers wrote, between fences, with our words before each
	Pictures  []documents.Picture // that strangers sent, to look at; Data says what they are
	Schema    []byte              // JSON Schema of the answer, strict: an object, nothing optional, nothing more
	MaxTokens int                 // of the answer
}

// Model answers a request with the text of a JSON object. It repeats what may succeed later by itself; see [Retrier]. Its
// errors are those above, or internal ones without any content.
type Model interface {
	Ask(ctx context.Context, r Request) (string, error)
}
