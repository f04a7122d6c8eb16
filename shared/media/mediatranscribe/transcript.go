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

// Bounds of a result. Four hours of fast speech are a quarter of them at most.
const (
	mostOfResult = 64 << 20 // bytes
	mostItems    = 500_000  // and members, and values in what is passed over; so nesting has a bound as well
	mostSeconds  = 48 * 60 * 60
)

// transcript is what was said.
type transcript struct {
	blocks  []documents.Block
	seconds float64 // until the end of the last word
}

// readTranscript reads a result of the service, of so many bytes at most; ErrJunk where it is none. It takes the items, which are
// words with times. Where there are none, it takes the segments, or at last the bare text.
func readTranscript(from io.Reader, most int64) (transcript, error) {
	limited := &io.LimitedReader{R: from, N: most + 1}
	r := &reader{tokens: json.NewDecoder(limited)}
	err := r.object(map[string]func() error{"results": func() error {
		r.found = true
		return r.object(map[string]func() error{
			"items":          func() error { return r.array(r.item) },
			"audio_segments": func() error { return r.array(r.segment) },
			"transcripts":    func() error { return r.array(r.whole) },
		})
	}})
	if _, more := r.tokens.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("it goes on after its end")
	}
	if err != nil || !r.found || limited.N <= 0 {
		return transcript{}, ErrJunk
	}
	return r.transcript(), nil
}

// reader goes through a result without holding more of it than is used.
type reader struct {
	tokens   *json.Decoder
	found    bool
	count    int
	words    captions
	segments []segment
	text     []string
}

// seconds is a time as the service writes it: a number in quotes. What is none is NaN.
type seconds float64

// UnmarshalJSON implements [json.Unmarshaler].
func (s *seconds) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	if err != nil || n < 0 || n > mostSeconds {
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

// span is false for times that cannot be.
func span(from, to *seconds) (documents.Span, bool) {
	if from != nil && to != nil && *from <= *to {
		return documents.Span{From: float64(*from), To: float64(*to)}, true
	}
	return documents.Span{}, false
}

func (r *reader) item() error {
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
		r.words.punctuate(text)
		return nil
	}
	time, timed := span(item.Start, item.End)
	r.words.say(text, time, timed)
	return nil
}

func (r *reader) segment() error {
	var s segment
	err := r.decode(&s)
	r.segments = append(r.segments, s)
	return err
}

func (r *reader) whole() error {
	var s segment
	err := r.decode(&s)
	r.text = append(r.text, s.Text)
	return err
}

func (r *reader) decode(into any) error {
	if err := r.another(); err != nil {
		return err
	}
	return r.tokens.Decode(into)
}

// another counts all that a result is made of.
func (r *reader) another() error {
	if r.count++; r.count > mostItems {
		return errors.New("it has too many parts")
	}
	return nil
}

// transcript makes captions of the best that there is.
func (r *reader) transcript() transcript {
	all := r.words.done()
	end := r.words.end
	fallback := all == nil
	for _, s := range r.segments {
		time, timed := span(s.Start, s.End)
		if timed {
			end = max(end, time.To)
		}
		if fallback {
			all = append(all, sentences(s.Text, time)...)
		}
	}
	if len(all) == 0 {
		for _, text := range r.text {
			all = append(all, sentences(text, documents.Span{})...)
		}
	}
	return transcript{all, end}
}

// object calls what is there for a member, and passes over all others.
func (r *reader) object(members map[string]func() error) error {
	if err := r.expect(json.Delim('{')); err != nil {
		return err
	}
	for r.tokens.More() {
		key, err := r.tokens.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		read, known := members[name]
		if !known {
			read = r.skip
		}
		if err := errors.Join(r.another(), read()); err != nil {
			return err
		}
	}
	return r.expect(json.Delim('}'))
}

func (r *reader) array(each func() error) error {
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

func (r *reader) expect(want json.Delim) error {
	got, err := r.tokens.Token()
	if err == nil && got != want {
		err = fmt.Errorf("there is no %s", want)
	}
	return err
}

// skip passes over a value, whatever it is, without going down with it.
func (r *reader) skip() error {
	for level := 0; ; {
		token, err := r.tokens.Token()
		if err := errors.Join(err, r.another()); err != nil {
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
