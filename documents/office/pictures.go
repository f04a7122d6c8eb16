package office

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
	maxPictureParts  = 200       // that are looked at
	pictureHeadBytes = 256 << 10 // that are read of a picture to find its size; photographs begin with a preview
)

const (
	lostPictures    = "Some pictures are damaged or in a format that is not supported. They were left out."
	endlessPictures = "Preparing the pictures takes too long. Some were left out."
)

// picture adds the picture in a part of the archive to the document, where the document is now. Decorations are left out, and so is a
// picture that the document has already, because logos are on every page. If the document takes no pictures, it has a warning, and the
// pictures are not read.
func (a *archive) picture(part string) {
	name := fold(part)
	if a.leftOut || a.pictures[name] || !a.has(name) || len(a.pictures) >= maxPictureParts || isVector(name) {
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
	case !a.into.TakesPictures():
		a.into.LeaveOutPicture()
		a.leftOut = true
	default:
		a.addPicture(head, from)
	}
}

// openPicture opens a part that is a picture. Pictures do not count against the limit of inflated bytes, so that the text after large
// pictures is still read.
func (a *archive) openPicture(part string) (*meter, error) {
	left := pictureHeadBytes + a.pictureBytes
	return a.openWithin(part, &left)
}

// addPicture adds a picture whose first bytes have been read.
func (a *archive) addPicture(head []byte, rest io.Reader) {
	data, err := io.ReadAll(io.LimitReader(io.MultiReader(bytes.NewReader(head), rest), a.pictureBytes+1))
	switch size := int64(len(data)); {
	case size > a.pictureBytes:
		a.into.LeaveOutPicture()
	case err != nil:
		a.warnOfLostPicture()
	default:
		a.pictureBytes -= size
		a.into.Picture(documents.Picture{Data: data})
	}
}

// warnOfLostPicture adds a warning, unless the document takes no pictures at all.
func (a *archive) warnOfLostPicture() {
	if a.into.Limits.Pictures > 0 {
		a.into.Warn(lostPictures)
	}
}

// isVector reports whether a part is a drawing in a vector format. Most are previews of tables, charts and objects that the document has
// in another form, or have the same picture beside them in pixels.
func isVector(name string) bool {
	return slices.Contains([]string{".emf", ".emz", ".wmf", ".wmz", ".svg", ".svm", ".pct", ".pict"}, path.Ext(name))
}

// isDecoration reports whether a picture is too small to show text that matters: an icon, a bullet or a line.
func isDecoration(width, height int) bool {
	const minSide, minPixels = 24, 10_000
	return min(width, height) < minSide || width*height < minPixels
}

// preparePictures makes the pictures of a document such that viewers accept them. It comes after the text has been read, because it may
// take most of the time for a file.
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
