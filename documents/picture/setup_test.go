package picture_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/webp"

	"portside/documents"
	"portside/documents/picture"
)

func prepared(ctx context.Context, file []byte) (documents.Picture, error) {
	return picture.Prepare(ctx, source(file))
}

func source(file []byte) documents.Source {
	return documents.FromBytes(file)
}

func mustPrepare(tb testing.TB, file []byte) documents.Picture {
	tb.Helper()
	p, err := prepared(tb.Context(), file)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

var decoders = map[string]func(io.Reader) (image.Image, error){
	"image/png": png.Decode, "image/jpeg": jpeg.Decode, "image/gif": gif.Decode, "image/webp": webp.Decode,
}

// decode decodes a picture with the decoder of its media type.
func decode(tb testing.TB, mediaType string, data []byte) image.Image {
	tb.Helper()
	m, err := decoders[mediaType](bytes.NewReader(data))
	if err != nil {
		tb.Fatalf("%s: %v", mediaType, err)
	}
	return m
}

// pixels converts a picture so that equal pixels compare equal.
func pixels(m image.Image) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, m.Bounds().Dx(), m.Bounds().Dy()))
	draw.Draw(out, out.Bounds(), m, m.Bounds().Min, draw.Src)
	return out
}

func sample(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func asPNG(tb testing.TB, m image.Image) []byte {
	tb.Helper()
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, m); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func asJPEG(tb testing.TB, m image.Image) []byte {
	tb.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, m, nil); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// chunk returns a chunk of a PNG.
func chunk(name string, body []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	out = append(append(out, name...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// after inserts data after the first n bytes.
func after(file []byte, n int, more ...[]byte) []byte {
	return bytes.Join([][]byte{file[:n], bytes.Join(more, nil), file[n:]}, nil)
}

const pngHeaderBytes = 33 // signature and IHDR

// exif returns Exif data with an orientation and a place.
func exif(order binary.AppendByteOrder, orientation uint16) []byte {
	out := []byte("MM\x00*")
	if order == binary.LittleEndian {
		out = []byte("II*\x00")
	}
	out = order.AppendUint32(out, 8)
	out = order.AppendUint16(out, 2)
	for _, entry := range [][2]uint16{{0x010f, 9}, {0x0112, orientation}} {
		out = order.AppendUint16(out, entry[0])
		out = order.AppendUint16(out, 3)
		out = order.AppendUint32(out, 1)
		out = order.AppendUint16(out, entry[1])
		out = append(out, 0, 0)
	}
	return append(order.AppendUint32(out, 0), secret...)
}

const secret = "52.5200 N 13.4050 E"

// segment returns a segment of a JPEG.
func segment(marker byte, body string) []byte {
	out := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2))
	return append(out, body...)
}

// quarters fills the quarters of a picture with red, green, blue and black, row by row.
func quarters(m draw.Image) {
	size := m.Bounds().Size()
	for i, c := range []color.Color{color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 255, 0, 255}, color.NRGBA{0, 0, 255, 255},
		color.Black} {
		at := image.Pt(i%2*size.X/2, i/2*size.Y/2)
		draw.Draw(m, image.Rectangle{at, at.Add(image.Pt((size.X+1)/2, (size.Y+1)/2))}, image.NewUniform(c), image.Point{},
			draw.Src)
	}
}

// corners returns the initials of the colors of the quarters.
func corners(m image.Image) string {
	size, initials := m.Bounds().Size(), ""
	for i := range 4 {
		r, g, b, _ := m.At(m.Bounds().Min.X+size.X/4+i%2*size.X/2, m.Bounds().Min.Y+size.Y/4+i/2*size.Y/2).RGBA()
		bright := 0
		for j, channel := range []uint32{r, g, b} {
			if channel > 0x8000 {
				bright |= 1 << j
			}
		}
		initials += string("krg?b??w"[bright])
	}
	return initials
}
