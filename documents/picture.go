package documents

// Picture is an image that may hold text: a photograph, a scan, what a page of a PDF is made of.
type Picture struct {
	Page      int    // of its document, from 1; 0 where there are none
	MediaType string // image/png, image/jpeg, image/gif, image/webp; or application/pdf, if the viewer accepts whole files
	Data      []byte
}
