package mediatranscribe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"portside/documents"
)

func word(text, from, to string) string {
	return fmt.Sprintf(`{"type":"pronunciation","alternatives":[{"content":%s}],"start_time":%s,"end_time":%s}`, quoted(text), from, to)
}

func sign(text string) string {
	return fmt.Sprintf(`{"type":"punctuation","alternatives":[{"content":%s}]}`, quoted(text))
}

func quoted(text string) string {
	out, _ := json.Marshal(text) // texts always can be
	return string(out)
}

func items(all ...string) string {
	return `{"results":{"items":[` + strings.Join(all, ",") + `]}}`
}

func caption(text string, from, to float64) documents.Block {
	return documents.Block{Kind: documents.Caption, Text: text, Time: documents.Span{From: from, To: to}}
}

func TestReadTranscript(t *testing.T) {
	long := strings.Repeat("abcdefghi ", 19) + "abcdefghi"
	for name, test := range map[string]struct {
		text string
		want []documents.Block
		end  float64
	}{
		"sentences": {items(word("Yes", `"0"`, `"1"`), sign("."), word("No", `"1"`, `"2"`), sign("?")),
			[]documents.Block{caption("Yes.", 0, 1), caption("No?", 1, 2)}, 2},
		"numbers for times": {items(word("Yes", `0.5`, `1`)), []documents.Block{caption("Yes", 0.5, 1)}, 1},
		"Spanish": {items(word("Sí", `"0"`, `"1"`), sign("."), sign("¿"), word("Qué", `"1"`, `"2"`), sign("?")),
			[]documents.Block{caption("Sí.", 0, 1), caption("¿Qué?", 1, 2)}, 2},
		"a pause": {items(word("well", `"0"`, `"1"`), word("then", `"2.6"`, `"3"`)),
			[]documents.Block{caption("well", 0, 1), caption("then", 2.6, 3)}, 3},
		"no pause": {items(word("well", `"0"`, `"1"`), word("then", `"2.5"`, `"3"`)), []documents.Block{caption("well then", 0, 3)}, 3},
		"times that cannot be": {items(word("a", `"-1"`, `"2"`), sign("."), word("b", `"5"`, `"4"`), sign("."), word("c", `"7"`, `"8"`),
			sign("."), word("d", `"6"`, `"9"`), sign("."), word("e", `"NaN"`, `"Inf"`), sign("."), word("f", `"1e300"`, `"2e300"`),
			sign("."), word("g", `{}`, `null`)),
			[]documents.Block{caption("a.", 0, 0), caption("b.", 0, 0), caption("c.", 7, 8), caption("d.", 0, 0), caption("e.", 0, 0),
				caption("f.", 0, 0), caption("g", 0, 0)}, 8},
		"dirt": {items(word("a\x00\u200b b", `"0"`, `"1"`), word("\u200b", `"1"`, `"2"`), sign(".")),
			[]documents.Block{caption("a b.", 0, 1)}, 1},
		"signs only":      {items(sign("."), sign(","), sign("¿")), nil, 0},
		"no alternatives": {`{"results":{"items":[{"type":"pronunciation"},{}]}}`, nil, 0},
		"segments only": {`{"results":{"audio_segments":[{"transcript":"One. Two three.","start_time":"1","end_time":"4"}]}}`,
			[]documents.Block{caption("One.", 1, 4), caption("Two three.", 1, 4)}, 4},
		"text only": {`{"results":{"transcripts":[{"transcript":"One! Two"}]}}`,
			[]documents.Block{caption("One!", 0, 0), caption("Two", 0, 0)}, 0},
		"items are best": {`{"results":{"transcripts":[{"transcript":"x"}],"items":[` + word("y", `"0"`, `"1"`) +
			`],"audio_segments":[{"transcript":"z","start_time":"0","end_time":"9"}]}}`, []documents.Block{caption("y", 0, 1)}, 9},
		"long without an end": {`{"results":{"transcripts":[{"transcript":"` + long + ` more"}]}}`,
			[]documents.Block{caption(long, 0, 0), caption("more", 0, 0)}, 0},
		"nobody speaks": {`{"results":{"transcripts":[{"transcript":""}],"items":[]}}`, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readTranscript(strings.NewReader(test.text), maxResultBytes)
			if err != nil || !reflect.DeepEqual(got.blocks, test.want) || got.seconds != test.end {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestCommaEndsLongCaption(t *testing.T) {
	var all []string
	for range 16 {
		all = append(all, word("abcdefghi", "null", "null"))
	}
	all = append(all, sign(","), word("more", "null", "null"))
	got, err := readTranscript(strings.NewReader(items(all...)), maxResultBytes)
	if err != nil || len(got.blocks) != 2 || got.blocks[1].Text != "more" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// endless is a result without an end.
type endless struct {
	head string
	body string
	at   int
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if e.at < len(e.head) {
			k := copy(p[n:], e.head[e.at:])
			e.at, n = e.at+k, n+k
			continue
		}
		k := copy(p[n:], e.body[(e.at-len(e.head))%len(e.body):])
		e.at, n = e.at+k, n+k
	}
	e.read += n
	return n, nil
}

func TestResultLimits(t *testing.T) {
	const most = 8 << 20
	for name, e := range map[string]*endless{
		"spaces":   {body: " "},
		"text":     {head: `{"results":{"transcripts":[{"transcript":"`, body: "a"},
		"items":    {head: `{"results":{"items":[{}`, body: ",{}"},
		"depth":    {head: `{"x":`, body: "["},
		"depth in": {head: `{"results":{"items":[{"x":`, body: "["},
		"members":  {head: `{"results":{"items":[]`, body: `,"items":[]`},
	} {
		got, err := readTranscript(e, most)
		if !errors.Is(err, ErrJunk) || len(got.blocks) > 0 || e.read > 2*most {
			t.Errorf("%s: %d blocks, %v after %d bytes", name, len(got.blocks), err, e.read)
		}
	}
	padded := io.MultiReader(strings.NewReader(`{"results":{}}`), strings.NewReader(strings.Repeat(" ", most)))
	if _, err := readTranscript(padded, most); !errors.Is(err, ErrJunk) {
		t.Errorf("more than may be: %v", err)
	}
}

func FuzzTranscript(f *testing.F) {
	f.Add(items(word("Yes", `"0"`, `"1"`), sign("."), sign("¿"), word("x", `5`, `"4"`)))
	f.Add(`{"results":{"audio_segments":[{"transcript":"One. Two","start_time":"1","end_time":"4"}],"x":[[{}]]}}`)
	f.Add(`{"jobName":"x","results":{"transcripts":[{"transcript":"One"}]},"status":"COMPLETED"}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readTranscript(strings.NewReader(text), maxResultBytes)
		if err != nil && !errors.Is(err, ErrJunk) {
			t.Fatal(err)
		}
		for _, b := range got.blocks {
			if b.Text == "" || !utf8.ValidString(b.Text) || b.Text != documents.Clean(b.Text) || b.Kind != documents.Caption {
				t.Fatalf("%+v", b)
			}
			if b.Time.From < 0 || b.Time.To < b.Time.From || b.Time.To > maxSeconds || b.Time.From > got.seconds {
				t.Fatalf("%+v of %v", b, got.seconds)
			}
		}
	})
}
