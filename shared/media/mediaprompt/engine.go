package mediaprompt

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"portside/documents/answers"
)

// Settings adapt an engine to its model.
type Settings struct {
	Name           string // of the engine and model; part of the key under which answers are cached
	PartTokens     int    // tokens of a document in one request; 0: 24,000
	MaxParts       int    // parts of a document that are read, the rest is left out with a warning; 0: 40
	MaxConcurrent  int    // concurrent requests; 0: 4
	ThinkingTokens int    // tokens that the model writes before the answer, if the service counts them as output
}

func (s Settings) withDefaults() Settings {
	for _, setting := range []struct {
		field        *int
		defaultValue int
	}{{&s.PartTokens, 24_000}, {&s.MaxParts, 40}, {&s.MaxConcurrent, 4}} {
		if *setting.field <= 0 {
			*setting.field = setting.defaultValue
		}
	}
	return s
}

// Engine is an [answers.Engine] that calls a model.
type Engine struct {
	asker
	settings Settings
}

var _ answers.Engine = (*Engine)(nil)

// New returns an Engine. Several goroutines may use it if they may use the model.
func New(model Model, s Settings) *Engine {
	return &Engine{asker{model, s.ThinkingTokens}, s.withDefaults()}
}

// Version identifies the model, the revision of the prompts, and how documents are split.
func (e *Engine) Version() string {
	return fmt.Sprintf("%s prompt %s %dx%d", e.settings.Name, revision, e.settings.PartTokens, e.settings.MaxParts)
}

// forEach calls do with 0 to n-1, some of them concurrently. The first error cancels the other
// calls and is returned.
func (e *Engine) forEach(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var running sync.WaitGroup
	var once sync.Once
	var first error
	fail := func(err error) {
		once.Do(func() { first = err })
		stop()
	}
	slots := make(chan struct{}, e.settings.MaxConcurrent)
	for i := range n {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			if err := ctx.Err(); err != nil {
				fail(asBusy(err))
			} else if err := do(ctx, i); err != nil {
				fail(err)
			}
		})
	}
	running.Wait()
	return first
}

// asBusy turns an exceeded deadline into Busy, because the model was too slow.
func asBusy(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &Busy{Cause: err}
	}
	return err
}

// bytesPerToken is a cautious estimate: for the languages of answers, most tokenizers have longer
// tokens, and one token for a character of three bytes.
const bytesPerToken = 3

func estimateTokens(text string) int { return (len(text) + bytesPerToken - 1) / bytesPerToken }

// part is a part of a document that fits into one request.
type part struct {
	text   string
	start  int // in the document's text
	folded func() folded
}

func newPart(text string, start int) part {
	return part{text, start, sync.OnceValue(func() folded { return fold(text) })}
}

// split splits a text into parts, if possible between blocks. A warning says how much it left out.
func (e *Engine) split(text string) (all []part, warnings []string) {
	maxBytes := max(e.settings.PartTokens*bytesPerToken, utf8.UTFMax)
	for start := 0; start < len(text); {
		if len(all) == e.settings.MaxParts {
			return all, []string{fmt.Sprintf("The document is too long for the language model. Only the first %d %% of its text were read.",
				start*100/len(text))}
		}
		end := start + cutPosition(text[start:], maxBytes)
		all = append(all, newPart(text[start:end], start))
		start = end
	}
	return all, nil
}

// cutPosition returns the position at which to cut a text so that the first part has at most maxBytes
// bytes: after a block, else after a word, else between two characters.
func cutPosition(text string, maxBytes int) int {
	if len(text) <= maxBytes {
		return len(text)
	}
	for _, gap := range []string{"\n", " "} {
		if at := strings.LastIndex(text[:maxBytes], gap); at >= maxBytes/2 {
			return at + len(gap)
		}
	}
	for at := maxBytes; at > maxBytes-utf8.UTFMax; at-- {
		if utf8.RuneStart(text[at]) {
			return at
		}
	}
	return maxBytes // not UTF-8
}
