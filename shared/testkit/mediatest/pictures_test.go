package mediatest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"reflect"
	"strings"
	"testing"
)

// tint returns a PNG.
func tint(tb testing.TB, w, h int) []byte {
	tb.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func frames(tb testing.TB, n int) []byte {
	tb.Helper()
	all := &gif.GIF{Delay: make([]int, n)}
	for range n {
		all.Image = append(all.Image, image.NewPaletted(image.Rect(0, 0, 2, 2), color.Palette{color.White}))
	}
	var out bytes.Buffer
	if err := gif.EncodeAll(&out, all); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func based(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

// replaced replaces a text. It fails the test if the text does not occur.
func replaced(tb testing.TB, text string, change [2]string) string {
	tb.Helper()
	if change[0] == change[1] || !strings.Contains(text, change[0]) {
		tb.Fatalf("%.60s is not in the request", change[0])
	}
	return strings.Replace(text, change[0], change[1], 1)
}

func TestCheckPicturesOfCompletion(t *testing.T) {
	data := "data:image/png;base64," + based(tint(t, 2, 2))
	part := fmt.Sprintf(`{"type":"image_url","image_url":{"url":%q,"detail":"high"}}`, data)
	sound := strings.Replace(soundRequest, `"content":"u"`, `"content":[{"type":"text","text":"u"},`+part+`]`, 1)
	c, err := checkCompletion([]byte(sound), "m")
	if err != nil || len(c.Messages[1].Content.Pictures) != 1 || c.Messages[1].Content.Text != "u" {
		t.Fatalf("the valid request is rejected: %+v, %v", c, err)
	}
	for _, change := range [][2]string{
		{`"detail":"high"`, `"detail":"ultra"`},
		{`"detail":"high"`, `"detail":"high","size":1`},
		{`,"detail":"high"`, ``},
		{`"type":"image_url"`, `"type":"input_image"`},
		{`"type":"image_url",`, `"type":"image_url","text":"x",`},
		{`{"type":"text","text":"u"}`, `{"type":"text"}`},
		{`{"type":"text","text":"u"}`, `{"type":"text","text":""}`},
		{`{"type":"text","text":"u"}`, `{"type":"text","text":"u"},{"type":"text","text":"v"}`},
		{`{"type":"text","text":"u"},`, ``},
		{"data:image/png", "image/png"},
		{"data:image/png", "https://models.example/image/png"},
		{"image/png", "image/gif"},
		{"image/png", "image/tiff"},
		{";base64", ""},
		{based(tint(t, 2, 2)), based(tint(t, 2, 2)[:40])},
		{based(tint(t, 2, 2)), strings.TrimRight(based(tint(t, 2, 2)), "=") + "!"},
		{data, "data:image/gif;base64," + based(frames(t, 2))},
		{data, "data:application/pdf;base64," + based([]byte("%PDF-1.4"))},
		{`"role":"system","content":"JSON"`, `"role":"system","content":[{"type":"text","text":"JSON"},` + part + `]`},
	} {
		if _, err := checkCompletion([]byte(replaced(t, sound, change)), "m"); err == nil {
			t.Errorf("%.80s instead of %.80s is accepted", change[1], change[0])
		}
	}
	still := replaced(t, sound, [2]string{data, "data:image/gif;base64," + based(frames(t, 1))})
	if _, err := checkCompletion([]byte(still), "m"); err != nil {
		t.Errorf("a GIF of one frame is rejected: %v", err)
	}
}

func TestCheckBlocksOfConverse(t *testing.T) {
	dot, pdf := based(tint(t, 2, 2)), based([]byte("%PDF-1.4 and so on"))
	picture := `{"image":{"format":"png","source":{"bytes":"` + dot + `"}}}`
	document := `{"document":{"format":"pdf","name":"document","source":{"bytes":"` + pdf + `"}}}`
	sound := strings.Replace(soundConverse, `{"text":"u"}`, picture+","+document+`,{"text":"u"}`, 1)
	if c, err := checkConverse([]byte(sound)); err != nil || len(c.seen) != 2 || c.text != "u" {
		t.Fatalf("the valid request is rejected: %+v, %v", c, err)
	}
	for _, change := range [][2]string{
		{`"format":"png"`, `"format":"jpeg"`},
		{`"format":"png"`, `"format":"tiff"`},
		{`"format":"png"`, `"format":"image/png"`},
		{`"format":"png"`, `"format":"png","name":"x"`},
		{`"format":"pdf"`, `"format":"odt"`},
		{`"name":"document"`, `"name":"document.pdf"`},
		{`"name":"document"`, `"name":"a  b"`},
		{`"name":"document"`, `"name":""`},
		{`"bytes":"` + dot, `"bytes":"!` + dot},
		{`"bytes":"` + dot, `"data":"` + dot},
		{dot, based(tint(t, 2, 2)[:40])},
		{dot, based(tint(t, 8_001, 1))},
		{dot, based(append(tint(t, 2, 2), make([]byte, 3_750_000)...))},
		{pdf, based([]byte("no PDF"))},
		{pdf, based(append([]byte("%PDF-1.4"), make([]byte, 4_500_000)...))},
		{`{"text":"u"}`, `{"text":""}`},
		{`,{"text":"u"}`, ``},
		{`{"text":"u"}`, `{"text":"u"},{"text":"v"}`},
		{`{"text":"u"}`, `{"text":"u","image":{}}`},
		{`{"text":"u"}`, `{"text":"u"},{}`},
		{picture, strings.Repeat(picture+",", 20) + picture},
		{document, strings.Repeat(document+",", 5) + document},
	} {
		if _, err := checkConverse([]byte(replaced(t, sound, change))); err == nil {
			t.Errorf("%.80s instead of %.80s is accepted", change[1], change[0])
		}
	}
}

// A picture has the text that a test has set for its pixels, whatever the format of the file.
func TestPictureTextBelongsToPixels(t *testing.T) {
	s := &server{tb: t}
	file := tint(t, 3, 2)
	s.SetPictureText("image/png", file, "a text")
	other := append(append([]byte(nil), file[:33]...), "\x00\x00\x00\x00tEXt\x3b\x8f\x6e\x32"...)
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"same file":    {file, "a text"},
		"more chunks":  {append(other, file[33:]...), "a text"},
		"other pixels": {tint(t, 2, 3), "A picture of 2 by 3 pixels."},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := decodePicture("image/png", test.file)
			if err != nil && !strings.Contains(err.Error(), "checksum") {
				t.Fatal(err)
			}
			if got := s.wordsOf(p); err == nil && got != test.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestPicturesMustMatchAttachment(t *testing.T) {
	seen := []Picture{{MediaType: "image/png"}}
	for attachment, want := range map[string]bool{"image/png": true, "image/gif": false, "": false,
		"image/png\nimage/png": false} {
		p := Prompt{Blocks: map[string]string{"attachment": attachment}}
		if _, err := p.withPictures(seen); (err == nil) != want {
			t.Errorf("%q: %v", attachment, err)
		}
	}
	if _, err := (Prompt{}).withPictures(nil); err != nil {
		t.Errorf("without pictures: %v", err)
	}
}

func TestPictureTextBecomesBlocks(t *testing.T) {
	p := Prompt{Pictures: []Picture{{Words: "# a\n- b\nc\td\ne: f"}, {Words: "g"}}}
	want := []pictureBlock{
		{"heading", "a", []string{}}, {"list item", "b", []string{}}, {"row", "", []string{"c", "d"}},
		{"field", "", []string{"e", "f"}}, {"paragraph", "g", []string{}},
	}
	if got := p.pictureBlocks(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}
