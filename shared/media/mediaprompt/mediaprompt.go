// Package mediaprompt turns any language model into an [answers.Engine], and a vision model into a
// [media.Viewer]. It writes the prompts, describes the form of an answer by a JSON schema, and
// accepts nothing from an answer that it cannot find in the document.
//
// This holds for every model:
//   - The words of strangers (documents, names and descriptions of variables, hints) reach the model
//     as data only, between fences. Nobody can guess a fence, because each request draws a new one at
//     random. Neither the rules nor the schema contain strangers' words; the schema numbers the
//     variables.
//   - The text that a model reads in a picture is the word of a stranger too. It becomes text of the
//     document and nothing else. Nobody can check here whether it is in the picture, so a viewer's
//     answer is limited and cleaned, and evidence quotes it.
//   - A value has the type of its variable and a quote that is in the document, and the quote supports
//     the value as far as that can be checked. Anything wrong with an answer makes the value "not
//     found", never a guess.
//   - The same question makes the same requests, except for the fences.
//
// A long document is split into parts. A summary is made of notes on the parts; a value comes from
// the part with the best evidence.
//
// A [CallLog] logs every call of a model or a transcriber. Subscriptions to the log depend on the
// message, "model call", and on these keys. A line never contains content:
//
//   - engine, model, endpoint: openai, bedrock, textract or transcribe; the name of the model, if the
//     engine has several; and the operation, such as completions, transcriptions or converse
//   - status: the HTTP status; 0 if there was no response
//   - attempt: number of the attempt, starting at 1
//   - ms: duration of the call
//   - inputTokens, outputTokens: as the service counts them; 0 if it does not report them
//   - audioSeconds: length of the recording, if the service reports it
//   - microUSD: cost of the call in millionths of a dollar, rounded up, if prices are set and the
//     service reports the usage
package mediaprompt

import (
	"context"

	"portside/documents"
	"portside/shared/core/fault"
)

// revision is part of the key under which answers are cached. Increase it with every change of the
// prompts or checks that may change an answer.
const revision = "4"

// Errors about calls of a model. None contains text of the model or of the document.
var (
	ErrBusy      = fault.New(fault.Unavailable, "The language model is busy or cannot be reached. Try again later.")
	ErrJunk      = fault.New(fault.Unavailable, "The language model gave an unusable answer. Try again later.")
	ErrRefused   = fault.New(fault.Unprocessable, "The language model refuses to answer about this content.")
	ErrTruncated = fault.New(fault.Unprocessable, "The answer is longer than the language model can write. Ask for less at once.")
	ErrTooLong   = fault.New(fault.Unprocessable, "The document is longer than the language model can read. Send it in parts.")
)

// Request is a request to a model.
type Request struct {
	Name      string              // name of the answer, for protocols that need one: letters and underscores
	Rules     string              // instructions; only our words
	Data      string              // strangers' words between fences, each with a name that we give
	Pictures  []documents.Picture // strangers' pictures to view; Data describes them
	Schema    []byte              // strict JSON schema of the answer: an object without optional or additional properties
	MaxTokens int                 // of the answer
}

// Model answers a request with the text of a JSON object. It retries transient failures; see
// [Retrier]. Its errors are those above, or internal errors without any content.
type Model interface {
	Ask(ctx context.Context, r Request) (string, error)
}
