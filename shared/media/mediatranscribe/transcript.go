package mediatranscribe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"portside/documents"
)

// Limits of a result. Four hours of fast speech reach at most a quarter of them.
const (
	maxResultBytes = 64 << 20 // bytes
	maxItems       = 500_000  // also counts members and skipped values, so it limits nesting too
	maxSeconds     = 48 * 60 * 60
)

// transcript is the text of a recording.
type transcript struct {
	blocks  []documents.Block
	seconds float64 // end of the last word
}

// readTranscript reads a result of the service with at most maxBytes bytes. It returns ErrJunk for
// anything else. It uses the items, which are words with times. Without items, it uses the
// segments, and otherwise the plain text.
func readTranscript(from io.Reader, maxBytes int64) (transcript, error) {
	limited := &io.LimitedReader{R: from, N: maxBytes + 1}
	r := &resultReader{tokens: json.NewDecoder(limited)}
	err := r.readObject(map[string]func() error{"results": func() error {
		r.found = true
		return r.readObject(map[string]func() error{
			"items":          func() error { return r.readArray(r.readItem) },
			"audio_segments": func() error { return r.readArray(r.readSegment) },
			"transcripts":    func() error { return r.readArray(r.readText) },
		})
	}})
	if _, more := r.tokens.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("there is more text after its end")
	}
	if err != nil || !r.found || limited.N <= 0 {
		return transcript{}, ErrJunk
	}
	return r.transcript(), nil
}

// resultReader reads a result and keeps only the parts that are used.
type resultReader struct {
	tokens   *json.Decoder
	found    bool
	count    int
	words    captionBuilder
	segments []segment
	text     []string
}

// seconds is a time, which the service writes as a number in quotes. Anything else is NaN.
type seconds float64

// UnmarshalJSON implements [json.Unmarshaler].
func (s *seconds) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	if err != nil || n < 0 || n > maxSeconds {
		n = math.NaN()
	}
	*s = seconds(n)
	return nil
}

type segment struct {
	Start *seconds `json:"start_time"`
	End   *seconds `json:"end_time"`
	Text  string   `json:"transcript"`
}

// newSpan returns false for impossible times.
func newSpan(from, to *seconds) (documents.Span, bool) {
	if from != nil && to != nil && *from <= *to {
		return documents.Span{From: float64(*from), To: float64(*to)}, true
	}
	return documents.Span{}, false
}

func (r *resultReader) readItem() error {
	var item struct {
		Start        *seconds `json:"start_time"`
		End          *seconds `json:"end_time"`
		Type         string   `json:"type"`
		Alternatives []struct {
			Content string `json:"content"`
		} `json:"alternatives"`
	}
	if err := r.decode(&item); err != nil || len(item.Alternatives) == 0 {
		return err
	}
	text := documents.Clean(item.Alternatives[0].Content)
	if item.Type == "punctuation" {
		r.words.addPunctuation(text)
		return nil
	}
	time, timed := newSpan(item.Start, item.End)
	r.words.addWord(text, time, timed)
	return nil
}

func (r *resultReader) readSegment() error {
	var s segment
	err := r.decode(&s)
	r.segments = append(r.segments, s)
	return err
}

func (r *resultReader) readText() error {
	var s segment
	err := r.decode(&s)
	r.text = append(r.text, s.Text)
	return err
}

func (r *resultReader) decode(into any) error {
	if err := r.countItem(); err != nil {
		return err
	}
	return r.tokens.Decode(into)
}

// countItem counts the parts of a result and limits them.
func (r *resultReader) countItem() error {
	if r.count++; r.count > maxItems {
		return errors.New("it has too many parts")
	}
	return nil
}

// transcript returns the captions of the best part of the result.
func (r *resultReader) transcript() transcript {
	all := r.words.finish()
	end := r.words.end
	fallback := all == nil
	for _, s := range r.segments {
		time, timed := newSpan(s.Start, s.End)
		if timed {
			end = max(end, time.To)
		}
		if fallback {
			all = append(all, splitSentences(s.Text, time)...)
		}
	}
	if len(all) == 0 {
		for _, text := range r.text {
			all = append(all, splitSentences(text, documents.Span{})...)
		}
	}
	return transcript{all, end}
}

// readObject calls the function for each known member and skips all others.
func (r *resultReader) readObject(members map[string]func() error) error {
	if err := r.expect(json.Delim('{')); err != nil {
		return err
	}
	for r.tokens.More() {
		key, err := r.tokens.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		read, isKnown := members[name]
		if !isKnown {
			read = r.skip
		}
		if err := errors.Join(r.countItem(), read()); err != nil {
			return err
		}
	}
	return r.expect(json.Delim('}'))
}

func (r *resultReader) readArray(each func() error) error {
	if err := r.expect(json.Delim('[')); err != nil {
		return err
	}
	for r.tokens.More() {
		if err := each(); err != nil {
			return err
		}
	}
	return r.expect(json.Delim(']'))
}

func (r *resultReader) expect(want json.Delim) error {
	got, err := r.tokens.Token()
	if err == nil && got != want {
		err = fmt.Errorf("there is no %s", want)
	}
	return err
}

// skip skips a value of any type, without recursion.
func (r *resultReader) skip() error {
	for level := 0; ; {
		token, err := r.tokens.Token()
		if err := errors.Join(err, r.countItem()); err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			level++
		case json.Delim('}'), json.Delim(']'):
			level--
		}
		if level == 0 {
			return nil
		}
	}
}
