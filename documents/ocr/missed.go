package ocr

import (
	"image"
	"slices"

	"portside/documents/ocr/internal/straighten"
	"portside/documents/ocr/internal/tesseract"
)

// maxMissed is the number of parts that are read again. A table has fewer numbers with one digit.
const maxMissed = 80

// missed returns the places of ink that is as high as a word and beside one, but not part of any word. Tesseract takes
// single digits, such as the quantities of an invoice, for noise when it looks for columns.
func missed(gray *image.Gray, words []tesseract.Word) []image.Rectangle {
	heights := make([]int, 0, len(words))
	for _, w := range words {
		heights = append(heights, w.Box.Dy())
	}
	if len(heights) == 0 {
		return nil
	}
	slices.Sort(heights)
	height := heights[len(heights)/2]
	covered := make([]image.Rectangle, len(words))
	for i, w := range words {
		covered[i] = w.Box.Inset(-height / 4)
	}
	var parts []image.Rectangle
	for _, blob := range straighten.Blobs(gray, covered) {
		isLetter := blob.Dy() >= height/2 && blob.Dy() <= 2*height && blob.Dx() <= 3*height && 8*blob.Dx() >= blob.Dy()
		if isLetter && slices.ContainsFunc(words, func(w tesseract.Word) bool { return areLevel(w.Box, blob) }) && len(parts) < maxMissed {
			parts = append(parts, blob.Inset(-height/2).Intersect(gray.Rect))
		}
	}
	return parts
}

// areLevel reports whether most of the height of b is beside a.
func areLevel(a, b image.Rectangle) bool {
	const most = 0.7
	return float64(min(a.Max.Y, b.Max.Y)-max(a.Min.Y, b.Min.Y)) >= most*float64(b.Dy())
}
