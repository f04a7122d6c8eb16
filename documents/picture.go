package documents

import "fmt"

// Picture is an image that may show text: a photograph, a scan, or a scanned page of a PDF.
type Picture struct {
	Page      int    // page of the document, from 1; 0 if the format has no pages
	MediaType string // image/png, image/jpeg, image/gif, image/webp; or application/pdf, if the viewer accepts whole files
	Data      []byte
	// Place is where the upright picture is on its page, in points. If the page is the picture, a pixel of the file is
	// a point. The zero Box means unknown.
	Place Box
}

// Check returns why a viewer that accepts pictures of this type with up to maxBytes cannot view the picture: ErrDamaged if
// the picture is empty or maxBytes is 0, and TooLarge if it has more bytes.
func (p Picture) Check(maxBytes int64) error {
	switch {
	case maxBytes == 0 || len(p.Data) == 0:
		return fmt.Errorf("%w (the picture is empty or has an unsupported type)", ErrDamaged)
	case int64(len(p.Data)) > maxBytes:
		return TooLarge(maxBytes)
	}
	return nil
}
