// Package mediaopenai calls language models and transcribers with OpenAI's HTTP protocol, which vLLM,
// Ollama, llama.cpp, whisper.cpp and OpenAI support. It is a small client, because the official one is
// larger than the rest of a function.
//
// The server gets documents, but is not trusted otherwise: its responses are limited, it cannot
// redirect a request, and no text of its responses gets into an error or a log, because the text may
// repeat a document. The package learns from the server's first refusal which parameters (strict
// schemas, a temperature) the server does not support.
package mediaopenai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"portside/shared/media/mediaprompt"
)

// KeySource returns the API key for a request. An empty key means that the server needs none.
type KeySource interface {
	Get(ctx context.Context) (string, error)
}

// Options configure the calls of a server.
type Options struct {
	BaseURL string    // including the version, such as https://api.openai.com/v1
	Key     KeySource // nil: the server needs no key
	Model   string    // for chat completions, or for transcriptions
	Prompt  mediaprompt.Settings
	Retrier mediaprompt.Retrier
	Client  *http.Client // nil: a new one
	CallLog mediaprompt.CallLog
}

// New returns an engine that uses chat completions.
func New(o Options) (*mediaprompt.Engine, error) {
	c, err := newCaller(o)
	if err != nil {
		return nil, err
	}
	return mediaprompt.New(&chat{caller: c}, o.prompt(c)), nil
}

// maxPictureBytes is the smallest limit of the services that support the protocol.
const maxPictureBytes = 3_750_000

// NewViewer returns a viewer that uses chat completions about pictures. It does not take PDF files,
// because the API has no standard way to send them.
func NewViewer(o Options) (*mediaprompt.Viewer, error) {
	c, err := newCaller(o)
	if err != nil {
		return nil, err
	}
	return mediaprompt.NewViewer(&chat{caller: c}, o.prompt(c), map[string]int64{
		"image/png": maxPictureBytes, "image/jpeg": maxPictureBytes, "image/gif": maxPictureBytes, "image/webp": maxPictureBytes,
	}), nil
}

// prompt returns the settings of prompts. The default has the names of the model and the server.
func (o Options) prompt(c *caller) mediaprompt.Settings {
	if o.Prompt.Name == "" {
		o.Prompt.Name = "openai " + o.Model + "@" + c.base.Host
	}
	return o.Prompt
}

// newCaller validates the options.
func newCaller(o Options) (*caller, error) {
	base, err := url.Parse(o.BaseURL)
	switch {
	case err != nil:
		return nil, errors.New("the base URL of the model server is not a URL") // err contains the text, which may contain a key
	case base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		return nil, errors.New("the base URL of the model server must begin with https:// or http://")
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("the base URL of the model server must not have a user, a query or a fragment; set the key as the key")
	case o.Model == "":
		return nil, errors.New("the model server needs the name of a model")
	}
	return &caller{base: base, key: o.Key, model: o.Model, client: newClient(o.Client), retrier: o.Retrier, calls: o.CallLog}, nil
}

// newClient returns a client that follows no redirects, because requests contain a key and a document.
func newClient(given *http.Client) *http.Client {
	client := &http.Client{}
	if given != nil {
		*client = *given
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}

// internalError returns an error for the log. Usually a setting is wrong.
func internalError(format string, args ...any) error {
	return fmt.Errorf("the model server: "+format, args...)
}
