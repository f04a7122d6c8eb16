package picture_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"io"
	"runtime"
	"testing"

	"portside/documents"
	"portside/documents/picture"
)

func readInto(tb testing.TB, file []byte, limits documents.Limits) error {
	tb.Helper()
	return picture.Read(tb.Context(), source(file), documents.NewBuilder(documents.Image, limits))
}

// pngHeader returns the beginning of a PNG. format is its bit depth, color type and interlace method.
func pngHeader(w, h uint32, format ...byte) []byte {
	body := binary.BigEndian.AppendUint32(nil, w)
	body = binary.BigEndian.AppendUint32(body, h)
	return append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(body, format[0], format[1], 0, 0, format[2]))...)
}

func deflated(tb testing.TB, size int64) []byte {
	tb.Helper()
	var out bytes.Buffer
	w, err := zlib.NewWriterLevel(&out, zlib.BestSpeed)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := io.CopyN(w, zeros{}, size); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

type zeros struct{}

func (zeros) Read(into []byte) (int, error) {
	clear(into)
	return len(into), nil
}

// frame returns the beginning of a JPEG, with the sampling factors of each component.
func frame(marker byte, w, h uint16, components ...byte) []byte {
	body := binary.BigEndian.AppendUint16([]byte{8}, h)
	body = append(binary.BigEndian.AppendUint16(body, w), byte(len(components)))
	for i, sampling := range components {
		body = append(body, byte(i+1), sampling, 0)
	}
	jfif, scan := segment(0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"), segment(0xda, "\x01\x01\x00\x00\x3f\x00")
	return bytes.Join([][]byte{[]byte("\xff\xd8"), jfif, segment(marker, string(body)), scan}, nil)
}

// web returns a WebP. chunks alternates between names and bodies.
func web(chunks ...string) []byte {
	body := "WEBP"
	for i := 0; i < len(chunks); i += 2 {
		body += chunks[i] + string(binary.LittleEndian.AppendUint32(nil, uint32(len(chunks[i+1])))) + chunks[i+1]
	}
	return []byte("RIFF" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(body)))) + body)
}

// lossless is the header of a VP8L of 16,384 by 16,384 pixels.
const lossless = "\x2f\xff\xff\xff\x0f"

func TestHostilePictures(t *testing.T) {
	bomb := deflated(t, 64<<20)
	plain := sample(t, "plain.png")
	long := after(plain, pngHeaderBytes, bytes.Repeat(chunk("zTXt", append([]byte("bomb\x00\x00"), bomb[:60_000]...)), 40))
	unended := append(pngHeader(10, 10, 8, 6, 0), chunk("IDAT", bomb)...)
	// A decoder that skips the restart marker finds the progressive frame. A decoder that takes the marker for a
	// segment finds the harmless frame.
	scans, harmless := frame(0xc2, 5_000, 5_000, 0x11, 0x11, 0x11), frame(0xc0, 5_000, 5_000, 0x22, 0x11, 0x11)[20:39]
	hidden := after(after(scans, 39, segment(0xfe, string(harmless))), 20, []byte("\xff\xd0\x00\x19"))
	for _, test := range []struct {
		name string
		file []byte
		want error
	}{
		{"PNG bomb", append(pngHeader(60_000, 60_000, 8, 2, 0), chunk("IDAT", bomb)...), documents.ErrTooMuch},
		{"PNG with one pixel too many", pngHeader(40_001, 1_000, 1, 0, 0), documents.ErrTooMuch},
		{"PNG with one row", pngHeader(40_000_000, 1, 16, 6, 0), documents.ErrTooMuch},
		{"PNG with one column", pngHeader(1, 40_000_000, 8, 0, 0), documents.ErrTooMuch},
		{"PNG with 16 bits per channel", pngHeader(6_000, 5_000, 16, 6, 0), documents.ErrTooMuch},
		{"interlaced PNG", pngHeader(6_000, 5_500, 8, 6, 1), documents.ErrTooMuch},
		{"PNG with the largest size", pngHeader(1<<31-1, 1<<31-1, 8, 6, 0), picture.ErrKind},
		{"PNG without pixels", pngHeader(0, 0, 8, 6, 0), documents.ErrDamaged},
		{"PNG with more data than its size", unended, documents.ErrDamaged},
		{"PNG with bombs in metadata", long, nil},
		{"GIF bomb", []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00"), documents.ErrTooMuch},
		{"GIF with a frame outside", []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\xff\xff\xff\xff\x00"), documents.ErrDamaged},
		{"GIF without frames", []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), documents.ErrDamaged},
		{"JPEG bomb", frame(0xc0, 65_535, 65_535, 0x11, 0x11, 0x11), documents.ErrTooMuch},
		{"progressive JPEG", frame(0xc2, 5_000, 5_000, 0x11, 0x11, 0x11), documents.ErrTooMuch},
		{"JPEG with four components", frame(0xc0, 6_000, 5_000, 0x11, 0x11, 0x11, 0x11), documents.ErrTooMuch},
		{"JPEG with a hidden frame", hidden, documents.ErrTooMuch},
		{"JPEG with arithmetic coding", after(sample(t, "gray.jpg"), 2, frame(0xc9, 8, 8, 0x11)[2:]), picture.ErrKind},
		{"WebP bomb", web("VP8L", lossless+"\x00"), documents.ErrTooMuch},
		{"WebP with a wrong size", web("VP8X", "\x00\x00\x00\x00\x01\x00\x00\x01\x00\x00", "VP8L", lossless+"\x00"), documents.ErrDamaged},
		{"WebP with a large canvas", web("VP8X", "\x10\x00\x00\x00\xff\xff\x00\xff\xff\x00", "ALPH", "\x01\x00"), documents.ErrDamaged},
		{"WebP with a large alpha channel", web("VP8X", "\x10\x00\x00\x00\xff\x1f\x00\xff\x0f\x00", "ALPH", "\x01\x00"), documents.ErrTooMuch},
		{"animated WebP", sample(t, "moving.webp"), picture.ErrKind},
		{"TIFF", sample(t, "plain.tiff"), picture.ErrKind},
		{"text", []byte("RIFF is a word, and GIF too"), picture.ErrKind},
		{"empty", nil, picture.ErrKind},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := prepared(t.Context(), test.file)
			if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestRejectedPicturesTakeLittleMemory covers pictures that are rejected for their size. Decoding one of 40
// megapixels would take 160 MB.
func TestRejectedPicturesTakeLittleMemory(t *testing.T) {
	for _, file := range [][]byte{
		pngHeader(60_000, 60_000, 8, 2, 0), frame(0xc0, 65_535, 65_535, 0x11, 0x11, 0x11), web("VP8L", lossless+"\x00"),
		[]byte("GIF89a\xff\xff\xff\xff\x00\x00\x00"),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := readInto(t, file, documents.DefaultLimits()); !errors.Is(err, documents.ErrTooMuch) {
			t.Errorf("got %v", err)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
			t.Errorf("%.12q takes %d bytes", file, took)
		}
	}
}

func TestTruncatedPicturesAreDamaged(t *testing.T) {
	for _, name := range []string{
		"plain.png", "interlaced.png", "palette.png", "progressive.jpg", "cmyk.jpg", "gray.jpg", "lossless.webp", "lossy.webp", "alpha.webp",
	} {
		file := sample(t, name)
		for n := 1; n < 12; n++ {
			cut := file[:len(file)*n/12]
			if _, err := prepared(t.Context(), cut); !errors.Is(err, documents.ErrDamaged) {
				t.Errorf("%s: %d bytes of %d: %v", name, len(cut), len(file), err)
			}
		}
	}
}

func TestReadReturnsContextError(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	builder := documents.NewBuilder(documents.Image, documents.DefaultLimits())
	if err := picture.Read(ended, source(sample(t, "plain.png")), builder); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	large := asPNG(t, image.NewGray(image.Rect(0, 0, 5_000, 5_000)))
	during, stop := context.WithCancel(t.Context())
	file := documents.Source{ReaderAt: stopping{bytes.NewReader(large), stop}, Size: int64(len(large))}
	if err := picture.Read(during, file, builder); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// stopping cancels the context when data after the header is read.
type stopping struct {
	io.ReaderAt
	stop func()
}

func (s stopping) ReadAt(into []byte, at int64) (int, error) {
	if at > 0 {
		s.stop()
	}
	return s.ReaderAt.ReadAt(into, at)
}

// broken is a file that fails to be read.
type broken struct{}

var errGone = errors.New("the disk is gone")

func (broken) ReadAt([]byte, int64) (int, error) { return 0, errGone }

func TestReadReturnsErrorOfFile(t *testing.T) {
	file := documents.Source{ReaderAt: broken{}, Size: 9}
	err := picture.Read(t.Context(), file, documents.NewBuilder(documents.Image, documents.DefaultLimits()))
	if !errors.Is(err, errGone) || errors.Is(err, documents.ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

// FuzzRead checks that any file gives an error or a picture that models accept, and that Read accepts its own
// output.
func FuzzRead(f *testing.F) {
	for _, name := range []string{
		"palette.png", "interlaced.png", "progressive.jpg", "cmyk.jpg", "gray.jpg", "lossless.webp", "lossy.webp", "alpha.webp", "moving.webp",
	} {
		f.Add(sample(f, name))
	}
	f.Add(animation(f, 20, 20, 3))
	f.Add(frame(0xc2, 300, 300, 0x22, 0x11, 0x11))
	small := image.NewRGBA(image.Rect(0, 0, 20, 10))
	quarters(small)
	f.Add(after(asJPEG(f, small), 2, segment(0xe1, "Exif\x00\x00"+string(exif(binary.LittleEndian, 6)))))
	f.Add(after(asPNG(f, small), pngHeaderBytes, chunk("eXIf", exif(binary.BigEndian, 7))))
	const maxFuzzedPixels = 100_000 // other tests cover large pictures
	f.Fuzz(func(t *testing.T, file []byte) {
		if config, _, err := image.DecodeConfig(bytes.NewReader(file)); err == nil &&
			config.Width*config.Height > maxFuzzedPixels {
			return
		}
		p, err := prepared(t.Context(), file)
		if err != nil {
			return
		}
		size := decode(t, p.MediaType, p.Data).Bounds().Size()
		if size.X > 8_000 || size.Y > 8_000 || len(p.Data) > 3_750_000 {
			t.Errorf("%s of %v and %d bytes", p.MediaType, size, len(p.Data))
		}
		if again, err := prepared(t.Context(), p.Data); err != nil || p.MediaType != again.MediaType {
			t.Errorf("second time: %s, %v", again.MediaType, err)
		}
	})
}

// TestMalformedPicturesAreRedrawn covers pictures that decoders accept and that cannot be split into
// chunks. Drawing them anew removes hidden data.
func TestMalformedPicturesAreRedrawn(t *testing.T) {
	photo, web := sample(t, "progressive.jpg"), sample(t, "lossy.webp")
	for name, file := range map[string][]byte{
		"JPEG with bytes between segments":           after(photo, 20, []byte("\x00"+secret)),
		"JPEG with a restart marker before the scan": after(photo, 20, []byte("\xff\xd0"), segment(0xfe, secret)),
		"WebP with data after its end":               append(web, secret[:7]...),
	} {
		t.Run(name, func(t *testing.T) {
			p := mustPrepare(t, file)
			if p.MediaType != "image/jpeg" || bytes.Contains(p.Data, []byte(secret[:7])) {
				t.Errorf("%s: %s", name, p.MediaType)
			}
			decode(t, p.MediaType, p.Data)
		})
	}
}
