package mediatest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// Textract is a server with the operation DetectDocumentText of Amazon Textract, in AWS JSON 1.1. It writes the text
// that the test has set for a picture, in lines from top to bottom; a tab begins another line at the next column, as a
// wide gap does in the real service. A picture without such a text is blank. A malformed request fails the test. A
// picture that the service cannot read gets its exception.
type Textract struct {
	server
	URL string // the endpoint

	confidences map[string]float64 // by word
	seen        []Picture
}

// StartTextract starts a server that stops at the end of the test.
func StartTextract(tb testing.TB) *Textract {
	tb.Helper()
	s := &Textract{server: server{tb: tb}, confidences: map[string]float64{}}
	running := httptest.NewServer(s)
	tb.Cleanup(running.Close)
	s.URL = running.URL
	return s
}

// SetConfidence sets how sure the service is of a word, in percent. The default is 99.5.
func (s *Textract) SetConfidence(word string, percent float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.confidences[word] = percent
}

// Pictures returns the pictures that were read.
func (s *Textract) Pictures() []Picture {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Picture(nil), s.seen...)
}

// ServeHTTP answers one request.
func (s *Textract) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, fails := s.countRequest()
	p, err := checkDetect(r)
	refused, isException := errors.AsType[*serviceError](err)
	switch {
	case err != nil && !isException:
		s.tb.Errorf("mediatest: invalid request: %v", err)
		textractException(w, http.StatusBadRequest, "InvalidParameterException", "mediatest: "+err.Error())
	case fails && b.Drop:
		panic(http.ErrAbortHandler)
	case fails:
		textractException(w, b.Status, b.Code, "slow down, PWNED")
	case isException:
		textractException(w, http.StatusBadRequest, refused.code, refused.message+" PWNED")
	case b.Hang != nil:
		b.Hang()
		<-r.Context().Done()
	default:
		if b.ContentType == "" {
			b.ContentType = "application/x-amz-json-1.1"
		}
		send(w, b, toJSON(s.detect(p)))
	}
}

// textractException sends an error. The protocol has its name in the body.
func textractException(w http.ResponseWriter, status int, name, message string) {
	reply(w, status, toJSON(map[string]any{"__type": name, "Message": message}))
}

var textractSignature = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=[^/]+/[0-9]{8}/[a-z0-9-]+/textract/aws4_request, ` +
	`SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*x-amz-target[a-z0-9;-]*, Signature=[0-9a-f]{64}$`)

// Limits of the service for one request.
const (
	maxTextractBytes  = 10 << 20
	maxTextractPixels = 10_000
)

// checkDetect returns the picture of a request. Its error is a serviceError if the service refuses the picture.
func checkDetect(r *http.Request) (Picture, error) {
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/" || r.Header.Get("X-Amz-Target") != "Textract.DetectDocumentText":
		return Picture{}, fmt.Errorf("unexpected %s %s for %q", r.Method, r.URL.Path, r.Header.Get("X-Amz-Target"))
	case r.Header.Get("Content-Type") != "application/x-amz-json-1.1":
		return Picture{}, errors.New("the content type is " + r.Header.Get("Content-Type"))
	case !textractSignature.MatchString(r.Header.Get("Authorization")) || !amzDate.MatchString(r.Header.Get("X-Amz-Date")):
		return Picture{}, errors.New("the request is not signed")
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return Picture{}, err
	}
	var in struct {
		Document struct{ Bytes []byte }
	}
	if err := decodeStrict(body, &in); err != nil {
		return Picture{}, err
	}
	data := in.Document.Bytes
	if len(data) == 0 {
		return Picture{}, errors.New("the document has no bytes")
	}
	return textractPicture(data)
}

func textractPicture(data []byte) (Picture, error) {
	mediaType := http.DetectContentType(data)
	decode := map[string]bool{"image/png": true, "image/jpeg": true}
	switch {
	case len(data) > maxTextractBytes:
		return Picture{}, &serviceError{"DocumentTooLargeException", "Document is too large."}
	case !decode[mediaType]:
		return Picture{}, &serviceError{"UnsupportedDocumentException", "Request has unsupported document format"}
	}
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if mediaType == "image/jpeg" {
		config, err = jpeg.DecodeConfig(bytes.NewReader(data))
	}
	if err != nil || max(config.Width, config.Height) > maxTextractPixels {
		return Picture{}, &serviceError{"BadDocumentException", "Request has bad document"}
	}
	p, err := decodePicture(mediaType, data)
	if err != nil {
		return Picture{}, &serviceError{"BadDocumentException", "Request has bad document"}
	}
	return p, nil
}

// textractBlock is a Block of the service.
type textractBlock struct {
	BlockType     string
	ID            string  `json:"Id"`
	Confidence    float64 `json:",omitempty"`
	Text          string  `json:",omitempty"`
	TextType      string  `json:",omitempty"`
	Geometry      textractGeometry
	Relationships []textractRelationship `json:",omitempty"`
}

type textractGeometry struct {
	BoundingBox textractBox
	Polygon     []map[string]float64
}

type textractBox struct{ Width, Height, Left, Top float64 }

type textractRelationship struct {
	Type string
	IDs  []string `json:"Ids"`
}

func geometryOf(b textractBox) textractGeometry {
	corner := func(x, y float64) map[string]float64 { return map[string]float64{"X": x, "Y": y} }
	return textractGeometry{b, []map[string]float64{
		corner(b.Left, b.Top), corner(b.Left+b.Width, b.Top), corner(b.Left+b.Width, b.Top+b.Height),
		corner(b.Left, b.Top+b.Height),
	}}
}

// detect returns the response for a picture.
func (s *Textract) detect(p Picture) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, p)
	page := textractBlock{BlockType: "PAGE", ID: "page", Geometry: geometryOf(textractBox{Width: 1, Height: 1})}
	var lines, words []textractBlock
	for row, text := range strings.Split(s.textOf(p), "\n") {
		for column, part := range strings.Split(text, "\t") {
			if strings.TrimSpace(part) == "" {
				continue
			}
			line, inLine := s.line(part, row, column)
			lines, words = append(lines, line), append(words, inLine...)
		}
	}
	for _, l := range lines {
		page.addChild(l.ID)
	}
	return map[string]any{
		"DetectDocumentTextModelVersion": "1.0", "DocumentMetadata": map[string]any{"Pages": 1},
		"Blocks": append(append([]textractBlock{page}, lines...), words...),
	}
}

// textOf returns the text that the test has set for a picture.
func (s *Textract) textOf(p Picture) string {
	for _, sum := range p.sums {
		if sum != ([sha256.Size]byte{}) && s.words[sum] != "" {
			return s.words[sum]
		}
	}
	return ""
}

func (b *textractBlock) addChild(id string) {
	if len(b.Relationships) == 0 {
		b.Relationships = []textractRelationship{{Type: "CHILD"}}
	}
	b.Relationships[0].IDs = append(b.Relationships[0].IDs, id)
}

// Places of text in the fractions of a picture.
const (
	letterWidth  = 0.008
	letterHeight = 0.012
	rowDistance  = 0.02
	columnWidth  = 0.3
	textMargin   = 0.05
	sureOfWord   = 99.5
	sureOfLine   = 99.0
)

// line returns a line and its words.
func (s *Textract) line(text string, row, column int) (line textractBlock, words []textractBlock) {
	left, top := textMargin+float64(column)*columnWidth, textMargin+float64(row)*rowDistance
	box := func(from, letters int) textractGeometry {
		return geometryOf(textractBox{float64(letters) * letterWidth, letterHeight, left + float64(from)*letterWidth, top})
	}
	line = textractBlock{
		BlockType: "LINE", ID: fmt.Sprintf("line-%d-%d", row, column), Confidence: sureOfLine, Text: text,
		Geometry: box(0, len(text)),
	}
	at := 0
	for word := range strings.SplitSeq(text, " ") {
		if word != "" {
			confidence, isSet := s.confidences[word]
			if !isSet {
				confidence = sureOfWord
			}
			id := fmt.Sprintf("word-%d-%d-%d", row, column, at)
			words = append(words, textractBlock{
				BlockType: "WORD", ID: id, Confidence: confidence, Text: word, TextType: "PRINTED", Geometry: box(at, len(word)),
			})
			line.addChild(id)
		}
		at += len(word) + 1
	}
	return line, words
}
