package documents

// Picture is an image that may show text: a photograph, a scan, or a scanned page of a PDF.
type Picture struct {
	Page      int    // page of the document, from 1; 0 if the format has no pages
	MediaType string // image/png, image/jpeg, image/gif, image/webp; or application/pdf, if the viewer accepts whole files
	Data      []byte
	// Place is where the upright picture is on its page, in points. If the page is the picture, a pixel of the file is
	// a point. The zero Box means unknown.
	Place Box
}
