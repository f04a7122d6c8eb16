package mediaopenai

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"portside/shared/core/fault"
	"portside/shared/media/mediaprompt"
)

// dialect is what a server takes. The zero dialect asks for all that there is.
type dialect struct {
	form       form
	completion bool // the limit is called max_completion_tokens
	noCool     bool // no temperature may be set
}

// form is how an answer's form is asked for.
type form int

const (
	bySchema form = iota // response_format json_schema, strict
	asObject             // response_format json_object, and the schema in words
	inWords              // the schema in words only
)

// request is in the dialect.
func (d dialect) request(model string, r mediaprompt.Request) completionRequest {
	out := completionRequest{Model: model, Messages: []message{
		{"system", content{text: r.Rules}}, {"user", content{r.Data, r.Pictures}},
	}}
	if d.completion {
		out.MaxCompletion = r.MaxTokens
	} else {
		out.MaxTokens = r.MaxTokens
	}
	if !d.noCool {
		out.Temperature = new(float64)
	}
	switch d.form {
	case bySchema:
		out.Format = &responseFormat{"json_schema", &jsonSchema{r.Name, true, json.RawMessage(r.Schema)}}
		return out
	case asObject:
		out.Format = &responseFormat{Type: "json_object"}
	case inWords:
	}
	out.Messages[0].Content.text += "\n\nThe JSON schema of the answer:\n" + string(r.Schema)
	return out
}

// formWords are how servers call the form of an answer when they refuse it.
var formWords = []string{"response_format", "json_schema", "json_object", "structured output", "guided", "grammar"}

// after is the dialect to try after a refusal; false where the refusal is about something else. It gives up one thing each
// time, so that trying comes to an end.
func (d dialect) after(err error) (dialect, bool) {
	r, ok := errors.AsType[*refusal](err)
	if !ok || fault.As(err) != nil || r.status != http.StatusBadRequest && r.status != http.StatusUnprocessableEntity {
		return d, false
	}
	switch {
	case !d.completion && r.about("max_tokens"):
		d.completion = true
	case !d.noCool && r.about("temperature"):
		d.noCool = true
	case d.form < inWords && slices.ContainsFunc(formWords, r.about):
		d.form++
	default:
		return d, false
	}
	return d, true
}

// about reports whether the refusal names a parameter.
func (r *refusal) about(name string) bool {
	if r.param != "" {
		return r.param == name || strings.HasPrefix(r.param, name+".")
	}
	return strings.Contains(r.message, name)
}
