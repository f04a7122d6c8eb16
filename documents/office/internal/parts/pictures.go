package parts

import (
	"bytes"
	"context"
	"io"
	"path"
	"slices"

	"portside/documents"
	"portside/documents/picture"
)

// Limits of the pictures of an archive.
const (
	maxPictureParts  = 200       // parts that are inspected
	pictureHeadBytes = 256 << 10 // bytes that are read to find the size of a picture; photographs begin with a preview
)

const (
	lostPictures    = "Some pictures are damaged or in a format that is not supported. They were left out."
	endlessPictures = "Preparing the pictures takes too long. Some were left out."
)

// Picture adds the picture in a part of the archive at the current end of the document. It leaves out decorations, and
// pictures that the document already has, because a logo can be on every page. If the document takes no more pictures,
// picture adds a warning and reads no further pictures.
func (a *Archive) Picture(part string) {
	name := Fold(part)
	if a.leftOut || a.pictures[name] || !a.Has(name) || len(a.pictures) >= maxPictureParts || isVector(name) {
		return
	}
	a.pictures[name] = true
	from, err := a.openPicture(part)
	if err != nil {
		return
	}
	defer from.Close()
	head, err := io.ReadAll(io.LimitReader(from, pictureHeadBytes))
	width, height, isKnown := picture.Size(head)
	switch {
	case !isKnown || err != nil:
		a.warnOfLostPicture()
	case isDecoration(width, height):
	case !a.Into.TakesPictures():
		a.Into.LeaveOutPicture()
		a.leftOut = true
	default:
		a.addPicture(head, from)
	}
}

// openPicture opens a part that is a picture. Pictures have a separate limit of inflated bytes, so that text after
// large pictures can still be read.
func (a *Archive) openPicture(part string) (io.ReadCloser, error) {
	left := pictureHeadBytes + a.pictureBytes
	return a.openWithin(part, &left)
}

// addPicture adds a picture whose first bytes have been read.
func (a *Archive) addPicture(head []byte, rest io.Reader) {
	data, err := io.ReadAll(io.LimitReader(io.MultiReader(bytes.NewReader(head), rest), a.pictureBytes+1))
	switch size := int64(len(data)); {
	case size > a.pictureBytes:
		a.Into.LeaveOutPicture()
	case err != nil:
		a.warnOfLostPicture()
	default:
		a.pictureBytes -= size
		a.Into.Picture(documents.Picture{Data: data})
	}
}

// warnOfLostPicture adds a warning, unless the document takes no pictures at all.
func (a *Archive) warnOfLostPicture() {
	if a.Into.Limits.Pictures > 0 {
		a.Into.Warn(lostPictures)
	}
}

// isVector reports whether a part is a drawing in a vector format. Most vector drawings are redundant: they are
// previews of tables, charts and objects, or the document also has the same picture in pixels.
func isVector(name string) bool {
	return slices.Contains([]string{".emf", ".emz", ".wmf", ".wmz", ".svg", ".svm", ".pct", ".pict"}, path.Ext(name))
}

// isDecoration reports whether a picture is too small for text that matters, such as an icon, a bullet or a line.
func isDecoration(width, height int) bool {
	const minSide, minPixels = 24, 10_000
	return min(width, height) < minSide || width*height < minPixels
}

// preparePictures converts the pictures of a document so that viewers accept them. It runs after the text was read,
// because it can take most of the time for a file.
func preparePictures(ctx context.Context, into *documents.Builder) {
	into.ReplacePictures(func(raw documents.Picture) (documents.Picture, bool) {
		p, err := picture.ForViewers(ctx, raw.Data)
		switch {
		case err == nil:
			return p, true
		case ctx.Err() != nil:
			into.Warn(endlessPictures)
			into.MarkIncomplete()
		default:
			into.Warn(lostPictures)
		}
		return documents.Picture{}, false
	})
}
