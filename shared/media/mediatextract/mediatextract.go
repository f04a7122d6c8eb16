// Package mediatextract reads pictures and scanned pages with Amazon Textract.
//
// Textract returns each word with its position and a confidence. [recognized.Blocks] lays out the words like those of a
// PDF, so engines get columns, tables and paragraphs, and evidence gets a box. Text from a picture is untrusted, and so
// it goes only into the document. No text from the service goes into an error or a log.
//
// The package sends its only kind of request without the SDK's client, because the client slows down the start of a
// function; see package awsrequest.
package mediatextract

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"portside/documents"
	"portside/documents/pdf/recognized"
	"portside/documents/picture"
	"portside/shared/core/fault"
	"portside/shared/lambda/awsrequest"
	"portside/shared/media"
	"portside/shared/media/mediaprompt"
)

// revision is part of the key under which answers are cached. Increase it with every change that may affect the text of
// a picture.
const revision = "1"

// Limits of the operation DetectDocumentText.
const (
	maxPictureBytes = 10 << 20
	maxSidePixels   = 10_000
)

// callTimeout bounds one call. Textract usually answers within a few seconds.
const callTimeout = 30 * time.Second

// Errors of the service that clients see. The service does not say how long to wait, so RetryAfter is an estimate.
var (
	ErrBusy = &fault.Error{Kind: fault.Unavailable, RetryAfter: 10 * time.Second,
		Detail: "The service that reads pictures is busy or cannot be reached. Try again later."}
	ErrJunk = &fault.Error{Kind: fault.Unavailable, RetryAfter: 30 * time.Second,
		Detail: "The service that reads pictures gave an unusable answer. Try again later."}
)

// Options configure a Viewer.
type Options struct {
	CallLog mediaprompt.CallLog
	Retrier mediaprompt.Retrier
	Timeout time.Duration // of one call; 0: callTimeout
}

// Viewer calls Amazon Textract.
type Viewer struct {
	client  *awsrequest.Client
	options Options
}

var _ media.Viewer = (*Viewer)(nil)

// NewViewer returns a Viewer.
func NewViewer(cfg aws.Config, o Options) *Viewer {
	service := awsrequest.Service{ID: "Textract", Host: "textract", SigningName: "textract"}
	o.Timeout = cmp.Or(o.Timeout, callTimeout)
	return &Viewer{awsrequest.New(cfg, service), o}
}

// Version implements [media.Viewer].
func (*Viewer) Version() string { return "textract " + revision }

// MaxBytes implements [media.Viewer]. It excludes PDF: Textract reads only PDFs with one page, and the caller does not
// know the number of pages.
func (*Viewer) MaxBytes(mediaType string) int64 {
	if picture.Supports(mediaType) {
		return maxPictureBytes
	}
	return 0
}

// View implements [media.Viewer].
func (v *Viewer) View(ctx context.Context, p documents.Picture) ([]documents.Block, error) {
	if err := p.Check(v.MaxBytes(p.MediaType)); err != nil {
		return nil, err
	}
	p, err := picture.Convert(ctx, p) // Textract reads neither GIF nor WebP
	if err != nil {
		return nil, fmt.Errorf("textract: convert a picture: %w", err)
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(p.Data))
	switch {
	case err != nil || size.Width <= 0 || size.Height <= 0:
		return nil, fmt.Errorf("%w (textract: the picture has no size)", documents.ErrDamaged)
	case max(size.Width, size.Height) > maxSidePixels:
		return nil, documents.TooMuch(fmt.Sprintf("The picture has more than %d pixels per side. Make it smaller and send it again.",
			maxSidePixels))
	}
	lines, err := v.detect(ctx, p.Data)
	if err != nil {
		return nil, err
	}
	page := recognized.Page{Width: float64(size.Width), Height: float64(size.Height), Place: p.Place, Lines: lines}
	blocks, err := recognized.Blocks(ctx, page)
	if err != nil {
		return nil, fmt.Errorf("textract: %w", err)
	}
	return blocks, nil
}

// detect returns the lines of a picture. It retries while the service is busy.
func (v *Viewer) detect(ctx context.Context, data []byte) (lines []recognized.Line, err error) {
	body, err := encodeInput(data)
	if err != nil {
		return nil, err
	}
	err = v.options.Retrier.Do(ctx, func(attempt int) error {
		call := mediaprompt.Call{Engine: "textract", Endpoint: "detect-document-text", StartedAt: time.Now(), Attempt: attempt}
		lines, call.Status, err = v.send(ctx, body)
		v.options.CallLog.Record(ctx, call)
		return err
	})
	if busy, ok := errors.AsType[*mediaprompt.Busy](err); ok {
		err = fmt.Errorf("%w (%w)", ErrBusy, busy.Cause) // the message of Busy is about language models
	}
	return lines, err
}

// maxResponseBytes bounds how much of a response is read. The response for a page full of words has a tenth of that.
const maxResponseBytes = 16 << 20

// send sends one request. It also returns the HTTP status, or 0 if there was no response.
func (v *Viewer) send(ctx context.Context, body []byte) (lines []recognized.Line, status int, err error) {
	attempt, cancel := context.WithTimeout(ctx, v.options.Timeout)
	defer cancel()
	r, err := v.client.NewOperation(attempt, "Textract.DetectDocumentText", body)
	if err != nil {
		return nil, 0, fmt.Errorf("textract: the request cannot be sent: %w", err) // wrong credentials or region
	}
	response, err := v.client.Do(r)
	if err != nil {
		return nil, 0, mediaprompt.ConnectionError(ctx, "textract")
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(response.Body, maxResponseBytes))
	switch {
	case err != nil:
		err = mediaprompt.ConnectionError(ctx, "textract")
	case response.StatusCode != http.StatusOK:
		err = newException(response, content).classify()
	default:
		lines, err = decodeOutput(content)
	}
	return lines, response.StatusCode, err
}
