// Package mediaprompt makes a [media.Engine] of any language model: it writes the prompts, says by a JSON schema what an answer
// must look like, and believes nothing of an answer that it cannot find in the document.
//
// Three things stay true, whatever the model:
//   - What strangers wrote (documents, names and descriptions of variables, hints) reaches the model as data only, between
//     fences that nobody can guess, since each request draws its own. The rules never contain a stranger's words, nor does
//     the schema, whose keys are numbered.
//   - A value has the variable's type and a quote that stands in the document, and the value stands in the quote as far as
//     that can be told. Whatever is wrong with an answer makes it "not found", never a guess.
//   - The same question makes the same requests, but for the fences.
//
// Long documents are read in parts: a summary is made of notes on the parts, a value is taken from the part that has the best
// evidence for it.
package mediaprompt

import (
	"context"

	"portside/shared/fault"
)

// revision changes with every change of the prompts that may change an answer; answers are kept by it.
const revision = "1"

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
	Name      string // what the answer is called where a protocol wants a name: letters and underscores
	Rules     string // what to do: our words only
	Data      string // what strangers wrote, between fences, with our words before each
	Schema    []byte // JSON Schema of the answer, strict: an object, nothing optional, nothing more
	MaxTokens int    // of the answer
}

// Model answers a request with the text of a JSON object. It repeats what may succeed later by itself; see [Retrier]. Its
// errors are those above, or internal ones without any content.
type Model interface {
	Ask(ctx context.Context, r Request) (string, error)
}
