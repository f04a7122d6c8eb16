package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/picture"
)

func TestReadAddsOnePictureOnOnePage(t *testing.T) {
	file, into := sample(t, "palette.png"), documents.NewBuilder(documents.Image, documents.DefaultLimits())
	if err := picture.Read(t.Context(), source(file), into); err != nil {
		t.Fatal(err)
	}
	pictures := into.Pictures()
	text := documents.PictureText{Blocks: []documents.Block{{Kind: documents.Paragraph, Text: "words"}}}
	if err := into.InsertPictures([]documents.PictureText{text}); err != nil {
		t.Fatal(err)
	}
	d, err := into.Finish(nil)
	if err != nil || d.Pages != 1 || len(d.Blocks) != 1 || d.Blocks[0].Page != 1 || d.Text() != "words" ||
		len(d.Warnings) > 0 {
		t.Fatalf("got %+v, %v", d, err)
	}
	if want := mustPrepare(t, file); len(pictures) != 1 || !bytes.Equal(pictures[0].Data, want.Data) {
		t.Errorf("got %d pictures", len(pictures))
	}
}

func TestReadKeepsPicturesThatFit(t *testing.T) {
	for name, mediaType := range map[string]string{
		"plain.png": "image/png", "interlaced.png": "image/png", "palette.png": "image/png",
		"progressive.jpg": "image/jpeg", "cmyk.jpg": "image/jpeg", "gray.jpg": "image/jpeg",
		"lossless.webp": "image/webp", "lossy.webp": "image/webp", "alpha.webp": "image/webp",
	} {
		t.Run(name, func(t *testing.T) {
			file := sample(t, name)
			p := mustPrepare(t, file)
			if p.MediaType != mediaType || len(p.Data) > len(file) {
				t.Errorf("%s: %s of %d bytes", name, p.MediaType, len(p.Data))
			}
			if !reflect.DeepEqual(pixels(decode(t, mediaType, p.Data)), pixels(decode(t, mediaType, file))) {
				t.Errorf("%s: the pixels changed", name)
			}
		})
	}
}

func TestReadRemovesMetadata(t *testing.T) {
	plain, photo, web := sample(t, "plain.png"), sample(t, "progressive.jpg"), sample(t, "alpha.webp")
	gray := asPNG(t, image.NewGray(image.Rect(0, 0, 9, 9)))
	exifChunk := append(binary.LittleEndian.AppendUint32([]byte("EXIF"), uint32(len(secret)+1)), secret+"\x00"...)
	withExif := slices.Concat(web, exifChunk)
	withExif[20] |= 1 << 3 // the Exif flag of VP8X
	binary.LittleEndian.PutUint32(withExif[4:], uint32(len(withExif)-8))
	for name, test := range map[string]struct {
		mediaType   string
		file, plain []byte
	}{
		"PNG": {"image/png", after(plain, pngHeaderBytes,
			chunk("tEXt", []byte("Place\x00"+secret)), chunk("eXIf", exif(binary.BigEndian, 1)), chunk("acTL", make([]byte, 8))),
			plain},
		"PNG with more data": {"image/png", slices.Concat(plain, []byte(secret)), plain},
		"JPEG": {"image/jpeg",
			after(photo, 2, segment(0xe1, "Exif\x00\x00"+string(exif(binary.LittleEndian, 1)))), photo},
		"JPEG with a comment": {"image/jpeg", after(photo, 2, segment(0xfe, secret), segment(0xed, secret)), photo},
		"JPEG with more data": {"image/jpeg", slices.Concat(photo, []byte(secret)), photo},
		"JPEG between scans": {"image/jpeg", after(photo, bytes.LastIndex(photo, []byte("\xff\xda")), segment(0xe1, secret)),
			photo},
		"WebP":     {"image/webp", withExif, web},
		"gray PNG": {"image/png", after(gray, pngHeaderBytes, chunk("tEXt", []byte("Place\x00"+secret))), gray},
	} {
		t.Run(name, func(t *testing.T) {
			p := mustPrepare(t, test.file)
			if bytes.Contains(p.Data, []byte("13.4050")) || !bytes.Contains(test.file, []byte("13.4050")) {
				t.Error("the metadata remain")
			}
			if !reflect.DeepEqual(pixels(decode(t, test.mediaType, p.Data)), pixels(decode(t, test.mediaType, test.plain))) {
				t.Error("the pixels changed")
			}
			if name == "WebP" && !bytes.Equal(p.Data, web) {
				t.Error("the header differs from that of a file without metadata")
			}
		})
	}
}

func TestReadAppliesOrientation(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 320, 160))
	quarters(m)
	for i, want := range []string{"rgbk", "grkb", "kbgr", "bkrg", "rbgk", "brkg", "kgbr", "gkrb"} {
		orientation := uint16(i + 1)
		photo := after(asJPEG(t, m), 2, segment(0xe1, "Exif\x00\x00"+string(exif(binary.LittleEndian, orientation))))
		drawing := after(asPNG(t, m), pngHeaderBytes, chunk("eXIf", exif(binary.BigEndian, orientation)))
		for _, file := range [][]byte{photo, drawing} {
			p := mustPrepare(t, file)
			got := decode(t, p.MediaType, p.Data)
			if size := got.Bounds().Size(); corners(got) != want || (size == image.Pt(160, 320)) != (i >= 4) {
				t.Errorf("%d: %s, %v", orientation, corners(got), size)
			}
			if want := image.Pt(int(p.Place.Right), int(p.Place.Bottom)); got.Bounds().Size() != want || p.Place.Left != 0 ||
				p.Place.Top != 0 {
				t.Errorf("%d: the place is %v, want the size %v", orientation, p.Place, got.Bounds().Size())
			}
		}
	}
}

func TestInvalidOrientationIsIgnored(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 32, 32))
	quarters(m)
	whole := string(exif(binary.LittleEndian, 6))
	for _, broken := range []string{
		"", "II", "II*\x00", "II*\x00\xff\xff\xff\xff", "II*\x00\x08\x00\x00\x00\xff\xff",
		strings.Replace(whole, "II*", "II+", 1),
		whole[:15], string(exif(binary.LittleEndian, 0)), string(exif(binary.LittleEndian, 9)),
		string(exif(binary.LittleEndian, 60_000)),
	} {
		p := mustPrepare(t, after(asJPEG(t, m), 2, segment(0xe1, "Exif\x00\x00"+broken)))
		if got := corners(decode(t, p.MediaType, p.Data)); got != "rgbk" {
			t.Errorf("%q: %s", broken, got)
		}
	}
}

// noise returns a picture that cannot be compressed.
func noise(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	_, _ = rand.NewChaCha8([32]byte{}).Read(m.Pix) // never fails
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 255
	}
	return m
}

func TestReadShrinksLargePictures(t *testing.T) {
	wide, palette := image.NewGray(image.Rect(0, 0, 9_000, 70)),
		image.NewPaletted(image.Rect(0, 0, 9_000, 90), color.Palette{
			color.White, color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 255, 0, 255}, color.NRGBA{0, 0, 255, 255}, color.Black,
		})
	quarters(wide)
	quarters(palette)
	deep, many := image.NewNRGBA64(image.Rect(0, 0, 8_100, 60)),
		image.NewPaletted(image.Rect(0, 0, 4_200, 4_000), palette.Palette)
	quarters(deep)
	quarters(many)
	rotated := after(asPNG(t, many), pngHeaderBytes, chunk("eXIf", exif(binary.BigEndian, 3)))
	for _, test := range []struct {
		name    string
		file    []byte
		want    image.Point
		corners string
	}{
		{"wide", asPNG(t, wide), image.Pt(4_500, 35), ""},
		{"wide, with a palette", asPNG(t, palette), image.Pt(4_500, 45), "rgbk"},
		{"16 bits per channel", asPNG(t, deep), image.Pt(4_050, 30), "rgbk"},
		{"incompressible", asPNG(t, noise(1_800, 1_000)), image.Pt(1_800, 1_000), ""},
		{"incompressible and larger", asPNG(t, noise(2_601, 2_040)), image.Pt(1_301, 1_020), ""},
		{"large and rotated", rotated, image.Pt(2_100, 2_000), "kbgr"},
		{"very long", asPNG(t, image.NewPaletted(image.Rect(0, 0, 90_000, 3), color.Palette{color.White})), image.Pt(5_625, 1), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := mustPrepare(t, test.file)
			got := decode(t, p.MediaType, p.Data)
			if p.MediaType != "image/jpeg" || len(p.Data) > 3_750_000 || got.Bounds().Size() != test.want {
				t.Errorf("%s: %s of %d bytes and %v", test.name, p.MediaType, len(p.Data), got.Bounds())
			}
			original := decode(t, "image/png", test.file).Bounds().Size()
			if p.Place != (documents.Box{Right: float64(original.X), Bottom: float64(original.Y)}) {
				t.Errorf("%s: the place is %v, want pixels of the file, which has %v", test.name, p.Place, original)
			}
			if test.corners != "" && corners(got) != test.corners {
				t.Errorf("%s: %s", test.name, corners(got))
			}
		})
	}
}

func TestTransparencyBecomesWhite(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 9_000, 40))
	p := mustPrepare(t, asPNG(t, m))
	if got := corners(decode(t, p.MediaType, p.Data)); got != "wwww" {
		t.Errorf("the corners are %s, want white", got)
	}
}

// animation returns a GIF. Its first frame has one color in each quarter.
func animation(tb testing.TB, w, h, frames int) []byte {
	tb.Helper()
	palette := color.Palette{
		color.White, color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 255, 0, 255}, color.NRGBA{0, 0, 255, 255}, color.Black,
	}
	first := image.NewPaletted(image.Rect(0, 0, w, h), palette)
	quarters(first)
	all := &gif.GIF{Image: []*image.Paletted{first}, Delay: make([]int, frames)}
	for range frames - 1 {
		all.Image = append(all.Image, image.NewPaletted(image.Rect(0, 0, 1, 1), palette))
	}
	var out bytes.Buffer
	if err := gif.EncodeAll(&out, all); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func TestReadTakesFirstFrameOfGIF(t *testing.T) {
	for _, test := range []struct {
		w, frames int
		want      string
		size      image.Point
	}{
		{40, 1, "image/png", image.Pt(40, 20)},
		{40, 10_000, "image/png", image.Pt(40, 20)},
		{8_400, 2, "image/jpeg", image.Pt(4_200, 10)},
	} {
		t.Run(fmt.Sprintf("%d frames", test.frames), func(t *testing.T) {
			p := mustPrepare(t, animation(t, test.w, 20, test.frames))
			got := decode(t, p.MediaType, p.Data)
			if p.MediaType != test.want || corners(got) != "rgbk" || got.Bounds().Size() != test.size {
				t.Errorf("%s %s %v", p.MediaType, corners(got), got.Bounds())
			}
		})
	}
}

func TestReadReturnsErrPicturesIfDocumentAcceptsNone(t *testing.T) {
	withoutPictures := documents.DefaultLimits()
	withoutPictures.Pictures = 0
	if err := readInto(t, sample(t, "plain.png"), withoutPictures); !errors.Is(err, documents.ErrPictures) {
		t.Errorf("got %v", err)
	}
	none := documents.DefaultLimits()
	none.Pages = 0
	if err := readInto(t, sample(t, "plain.png"), none); err != nil {
		t.Errorf("got %v", err)
	}
}

// Convert changes only formats that some viewers do not accept, and keeps the pixels and the place.
func TestConvert(t *testing.T) {
	for name, want := range map[string]string{
		"plain.png": "image/png", "gray.jpg": "image/jpeg", "lossless.webp": "image/jpeg", "lossy.webp": "image/jpeg",
	} {
		t.Run(name, func(t *testing.T) {
			p := mustPrepare(t, sample(t, name))
			got, err := picture.Convert(t.Context(), p)
			if err != nil || got.MediaType != want || got.Place != p.Place {
				t.Errorf("%s: %s at %v, %v; want %s at %v", name, got.MediaType, got.Place, err, want, p.Place)
				return
			}
			if size := decode(t, p.MediaType, p.Data).Bounds().Size(); decode(t, got.MediaType,
				got.Data).Bounds().Size() != size {
				t.Errorf("%s: the size changed", name)
			}
			if isSame := bytes.Equal(got.Data, p.Data); isSame != (p.MediaType == want) {
				t.Errorf("%s: unchanged is %v", name, isSame)
			}
		})
	}
	damaged := documents.Picture{MediaType: "image/webp", Data: []byte("RIFF1234WEBP")}
	if _, err := picture.Convert(t.Context(), damaged); !errors.Is(err, documents.ErrDamaged) {
		t.Errorf("damaged: %v", err)
	}
}
