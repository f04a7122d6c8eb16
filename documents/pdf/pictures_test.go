package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/pdf"
)

// view reads a file, and inserts a text for each picture that names its media type and page.
func view(t *testing.T, file []byte) ([]documents.Picture, *documents.Document) {
	t.Helper()
	into := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
	unread := pdf.Read(t.Context(), sourceOf(file), into)
	pictures := into.Pictures()
	texts := make([]documents.PictureText, len(pictures))
	for i, p := range pictures {
		words := fmt.Sprintf("[%s of page %d]", p.MediaType, p.Page)
		texts[i].Blocks = []documents.Block{{Kind: documents.Paragraph, Text: words}}
	}
	if err := into.InsertPictures(texts); err != nil {
		t.Fatal(err)
	}
	d, err := into.Finish(unread)
	if err != nil {
		t.Fatal(err)
	}
	return pictures, d
}

func sourceOf(file []byte) documents.Source {
	return documents.FromBytes(file)
}

// readWithoutPictures reads a file with a limit of no pictures.
func readWithoutPictures(t *testing.T, file []byte) (*documents.Document, error) {
	t.Helper()
	limits := documents.DefaultLimits()
	limits.Pictures = 0
	into := documents.NewBuilder(documents.PDF, limits)
	return into.Finish(pdf.Read(t.Context(), sourceOf(file), into))
}

func TestScannedPagesArePictures(t *testing.T) {
	for _, test := range []struct {
		pdf, original, mediaType string
		place                    documents.Box
	}{
		{"jpeg.pdf", "jpeg.jpg", "image/jpeg", documents.Box{Right: 300, Bottom: 400}},
		{"flate.pdf", "flate.png", "image/png", documents.Box{Right: 300, Bottom: 400}},
		{"fax.pdf", "fax.png", "image/png", documents.Box{Right: 300, Bottom: 400}},
		{"turned.pdf", "fax.png", "image/png", documents.Box{Right: 400, Bottom: 300}},
	} {
		t.Run(test.pdf, func(t *testing.T) {
			pictures, d := view(t, load(t, "testdata/scans/"+test.pdf))
			if len(pictures) != 1 || pictures[0].MediaType != test.mediaType || pictures[0].Page != 1 {
				t.Fatalf("%d pictures, %+.90v", len(pictures), pictures)
			}
			if place := pictures[0].Place; place != test.place {
				t.Errorf("the place is %+v, want %+v", place, test.place)
			}
			got, want := decode(t, pictures[0].Data), decode(t, load(t, "testdata/scans/"+test.original))
			if test.pdf == "turned.pdf" {
				want = clockwise(want)
			}
			assertEqualImages(t, got, want)
			if d.Text() != "["+test.mediaType+" of page 1]" {
				t.Errorf("the text is %q", d.Text())
			}
		})
	}
}

func load(tb testing.TB, file string) []byte {
	tb.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func decode(t *testing.T, data []byte) image.Image {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func clockwise(img image.Image) image.Image {
	h := img.Bounds().Dy()
	turned := image.NewGray(image.Rect(0, 0, h, img.Bounds().Dx()))
	for y := range turned.Bounds().Dy() {
		for x := range h {
			turned.Set(x, y, img.At(y, h-1-x))
		}
	}
	return turned
}

// assertEqualImages compares two images pixel by pixel.
func assertEqualImages(t *testing.T, got, want image.Image) {
	t.Helper()
	if got.Bounds() != want.Bounds() {
		t.Fatalf("the size is %v, want %v", got.Bounds(), want.Bounds())
	}
	dark := 0
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			a, b := color.NRGBAModel.Convert(got.At(x, y)), color.NRGBAModel.Convert(want.At(x, y))
			if a != b {
				t.Fatalf("the pixel at %d, %d is %v, want %v", x, y, a, b)
			}
			if r, _, _, _ := b.RGBA(); r < 0x8000 {
				dark++
			}
		}
	}
	if dark == 0 {
		t.Error("the picture is blank")
	}
}

func TestLargeImagesAreReduced(t *testing.T) {
	const side = 5000
	dict := fmt.Sprintf("/Subtype/Image/Width %d/Height %d/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/FlateDecode",
		side, side)
	file := scan(wholePage, "", stream(dict, deflated(t, strings.Repeat("\x0f", side/8*side))))
	pictures, _ := view(t, file)
	if len(pictures) != 1 {
		t.Fatalf("%d pictures", len(pictures))
	}
	got := decode(t, pictures[0].Data)
	if got.Bounds().Dx() != side/2 || got.At(0, 0) != (color.Gray{}) || got.At(2, 0) != (color.Gray{Y: 255}) {
		t.Errorf("%v, %v, %v", got.Bounds(), got.At(0, 0), got.At(2, 0))
	}
	noise := make([]byte, 2000*2000)
	seed := uint32(1)
	for i := range noise {
		seed = seed*1664525 + 1013904223
		noise[i] = byte(seed >> 24)
	}
	pictures, _ = view(t, scan(wholePage, "", stream("/Subtype/Image/Width 2000/Height 2000"+gray, string(noise))))
	if len(pictures) != 1 || pictures[0].MediaType != "image/jpeg" || len(pictures[0].Data) > 3_750_000 {
		t.Errorf("%d pictures, %d bytes of %s", len(pictures), len(pictures[0].Data), pictures[0].MediaType)
	}
	if width := decode(t, pictures[0].Data).Bounds().Dx(); width != 2000 && width != 1000 {
		t.Errorf("%d pixels wide", width)
	}
}

func TestPictureLimits(t *testing.T) {
	img := stream(fourByFour+levels, samples(sketch(), rgb))
	many := &raw{}
	many.add("<</Type/Catalog/Pages 2 0 R>>")
	many.add("<</Type/Pages/Kids[%s]>>", kids(5, 30))
	many.stream("", wholePage)
	many.add("%s", img)
	for range 30 {
		many.add("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 3 0 R/Resources<</XObject<</I0 4 0 R>>>>>>")
	}
	pictures, d := view(t, many.bytes())
	if len(pictures) != documents.DefaultLimits().Pictures || len(d.Warnings) != 1 || d.Pages != 30 {
		t.Errorf("%d pictures of %d pages, warned of %q", len(pictures), d.Pages, d.Warnings)
	}
	bomb := stream("/Subtype/Image/Width 4000/Height 4000/BitsPerComponent 8/ColorSpace/DeviceCMYK/Filter/FlateDecode",
		deflated(t, strings.Repeat("\x00", 4000*4000*4)))
	text := at(50, 800, "A title")
	for name, img := range map[string]string{
		"too many pixels": stream("/Subtype/Image/Width 99999/Height 99999/BitsPerComponent 1/ColorSpace/DeviceGray", "x"),
		"JBIG2":           stream(fourByFour+"/Filter/JBIG2Decode", "x"),
		"pattern":         stream(fourByFour+"/BitsPerComponent 8/ColorSpace/Pattern", "x"),
		"no data":         stream(fourByFour+levels, ""),
		"invalid JPEG":    stream(fourByFour+"/Filter/DCTDecode", "x"),
	} {
		pictures, d := view(t, scan(wholePage+text, "", img))
		if len(pictures) != 0 || d.Text() != "A title" || len(d.Warnings) != 1 {
			t.Errorf("%s: %d pictures, %q, warned of %q", name, len(pictures), d.Text(), d.Warnings)
		}
	}
	pictures, _ = view(t, scan(wholePage+text, "", bomb))
	if len(pictures) != 1 || decode(t, pictures[0].Data).Bounds().Dx() != 2000 {
		t.Errorf("largest image: %d pictures", len(pictures))
	}
}

func TestScanWithTextGivesNoPicture(t *testing.T) {
	img := stream(fourByFour+levels, samples(sketch(), rgb))
	invisible := "3 Tr " + at(50, 700, "The text that a program recognized in the scan of this page, all of it")
	for name, file := range map[string][]byte{
		"recognized text":     scan(wholePage+invisible, "", img),
		"photo with a letter": scan("q 400 0 0 400 50 400 cm /I0 Do Q "+at(50, 300, "A short letter"), "", img),
	} {
		t.Run(name, func(t *testing.T) {
			pictures, d := view(t, file)
			if len(pictures) != 0 || d.Text() == "" || len(d.Warnings) != 0 {
				t.Errorf("%s: %d pictures, %q, warned of %q", name, len(pictures), d.Text(), d.Warnings)
			}
		})
	}
}

func TestReadWithoutPicturesLeavesOutScans(t *testing.T) {
	file := scan(wholePage+at(50, 800, "A title"), "", stream(fourByFour+levels, samples(sketch(), rgb)))
	d, err := readWithoutPictures(t, file)
	if err != nil || d.Text() != "A title" || len(d.Warnings) != 1 {
		t.Errorf("got %q, %q, %v", d.Text(), d.Warnings, err)
	}
	if _, err := readWithoutPictures(t, load(t, "testdata/scans/fax.pdf")); !errors.Is(err, documents.ErrNoText) {
		t.Errorf("file with scans only: got %v, want ErrNoText", err)
	}
	jbig := scan(wholePage, "", stream(fourByFour+"/Filter/JBIG2Decode", "x"))
	into := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
	if err := pdf.Read(t.Context(), sourceOf(jbig), into); err != nil || !into.IsEmpty() {
		t.Errorf("JBIG2 image: empty %v, %v", into.IsEmpty(), err)
	}
}

func TestUnusualJPEGs(t *testing.T) {
	gray := image.NewGray(image.Rect(0, 0, 16, 16))
	for i := range gray.Pix {
		gray.Pix[i] = byte(i)
	}
	var packed bytes.Buffer
	if err := jpeg.Encode(&packed, gray, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	dict := "/Subtype/Image/Width 16/Height 16/BitsPerComponent 8/ColorSpace/DeviceGray"
	plain, _ := view(t, scan(wholePage, "", stream(dict+"/Filter[/FlateDecode/DCTDecode]", deflated(t, packed.String()))))
	if len(plain) != 1 || !bytes.Equal(plain[0].Data, packed.Bytes()) {
		t.Errorf("JPEG in Flate: %d pictures", len(plain))
	}
	turned, _ := view(t, scan(wholePage, "/Rotate 90", stream(dict+"/Filter/DCTDecode", packed.String())))
	if len(turned) != 1 {
		t.Fatalf("rotated page: %d pictures", len(turned))
	}
	assertEqualImages(t, decode(t, turned[0].Data), clockwise(decode(t, packed.Bytes())))
	var check bytes.Buffer
	if err := png.Encode(&check, decode(t, turned[0].Data)); err != nil || turned[0].MediaType != "image/png" {
		t.Errorf("%s, %v", turned[0].MediaType, err)
	}
}
