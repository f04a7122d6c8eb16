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

// dialect is the set of parameters that a server supports. The zero dialect uses all of them.
type dialect struct {
	answerForm    answerForm
	newTokenLimit bool // the limit is max_completion_tokens instead of max_tokens
	noTemperature bool // the temperature cannot be set
}

// answerForm is the way in which a request specifies the form of the answer.
type answerForm int

const (
	formSchema answerForm = iota // response_format json_schema, strict
	formObject                   // response_format json_object; the rules contain the schema
	formProse                    // the rules contain the schema
)

// request returns the request in the dialect.
func (d dialect) request(model string, r mediaprompt.Request) completionRequest {
	out := completionRequest{Model: model, Messages: []message{
		{"system", content{text: r.Rules}}, {"user", content{r.Data, r.Pictures}},
	}}
	if d.newTokenLimit {
		out.MaxCompletion = r.MaxTokens
	} else {
		out.MaxTokens = r.MaxTokens
	}
	if !d.noTemperature {
		out.Temperature = new(float64)
	}
	switch d.answerForm {
	case formSchema:
		out.Format = &responseFormat{"json_schema", &jsonSchema{r.Name, true, json.RawMessage(r.Schema)}}
		return out
	case formObject:
		out.Format = &responseFormat{Type: "json_object"}
	case formProse:
	}
	out.Messages[0].Content.text += "\n\nThe JSON schema of the answer:\n" + string(r.Schema)
	return out
}

// formWords are the words for the form of an answer in the errors of servers.
var formWords = []string{"response_format", "json_schema", "json_object", "structured output", "guided", "grammar"}

// simplify returns the dialect to try after an error, or false if the error is not about a parameter.
// It drops one parameter at a time, so the attempts end.
func (d dialect) simplify(err error) (dialect, bool) {
	r, ok := errors.AsType[*errorResponse](err)
	if !ok || fault.As(err) != nil || r.status != http.StatusBadRequest && r.status != http.StatusUnprocessableEntity {
		return d, false
	}
	switch {
	case !d.newTokenLimit && r.isAbout("max_tokens"):
		d.newTokenLimit = true
	case !d.noTemperature && r.isAbout("temperature"):
		d.noTemperature = true
	case d.answerForm < formProse && slices.ContainsFunc(formWords, r.isAbout):
		d.answerForm++
	default:
		return d, false
	}
	return d, true
}

// isAbout reports whether the error names a parameter.
func (r *errorResponse) isAbout(name string) bool {
	if r.param != "" {
		return r.param == name || strings.HasPrefix(r.param, name+".")
	}
	return strings.Contains(r.message, name)
}
