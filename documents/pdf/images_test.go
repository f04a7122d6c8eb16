package pdf_test

import (
	"bytes"
	"compress/lzw"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"
)

// sketch returns a small asymmetric image in red, green, blue and black.
func sketch() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 4, 4))
	colors := []color.NRGBA{{255, 255, 255, 255}, {255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {0, 0, 0, 255}}
	for i := range 16 {
		img.SetNRGBA(i%4, i/4, colors[i*i%11%5])
	}
	return img
}

// samples returns the samples of an image as a PDF stores them. encode returns the samples of a pixel.
func samples(img image.Image, encode func(r, g, b byte) []byte) string {
	var out []byte
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			c, _ := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			out = append(out, encode(c.R, c.G, c.B)...)
		}
	}
	return string(out)
}

func rgb(r, g, b byte) []byte { return []byte{r, g, b} }

// scan returns a file with one page whose content paints images.
func scan(content, entries string, images ...string) []byte {
	var named strings.Builder
	for i := range images {
		fmt.Fprintf(&named, "/I%d %d 0 R", i, 5+i)
	}
	return pageWith(content, "/Font<<"+helvetica+">>/XObject<<"+named.String()+">>", entries, images...)
}

const (
	wholePage  = "q 595 0 0 842 0 0 cm /I0 Do Q "
	fourByFour = "/Subtype/Image/Width 4/Height 4"
	levels     = "/BitsPerComponent 8/ColorSpace/DeviceRGB"
	gray       = "/BitsPerComponent 8/ColorSpace/DeviceGray"
)

func TestImageFormats(t *testing.T) {
	img := sketch()
	plain := samples(img, rgb)
	wide := samples(img, func(r, g, b byte) []byte { return []byte{r, 7, g, 7, b, 7} })
	inks := samples(img, func(r, g, b byte) []byte { return []byte{255 - r, 255 - g, 255 - b, 0} })
	numbers := samples(img, func(r, g, b byte) []byte { return []byte{r & 1, g & 2, b & 4} })
	packed := ""
	for i := 0; i < len(numbers); i += 6 {
		at := func(i int) byte { return numbers[i] | numbers[i+1] | numbers[i+2] }
		packed += string([]byte{at(i)<<4 | at(i+3)})
	}
	palette := "<000000 ff0000 00ff00 ffff00 0000ff ff00ff 00ffff ffffff>"
	top, bottom := plain[:24], plain[24:]
	for name, file := range map[string][]byte{
		"RGB":    scan(wholePage, "", stream(fourByFour+levels, plain)),
		"CalRGB": scan(wholePage, "", stream(fourByFour+"/BitsPerComponent 8/ColorSpace[/CalRGB<<>>]", plain)),
		"ICC profile": scan(wholePage, "", stream(fourByFour+"/BitsPerComponent 8/ColorSpace[/ICCBased 6 0 R]", plain),
			stream("/N 3", "")),
		"16 bits": scan(wholePage, "", stream(fourByFour+"/BitsPerComponent 16/ColorSpace/DeviceRGB", wide)),
		"CMYK":    scan(wholePage, "", stream(fourByFour+"/BitsPerComponent 8/ColorSpace/DeviceCMYK", inks)),
		"palette": scan(wholePage, "",
			stream(fourByFour+"/BitsPerComponent 4/ColorSpace[/Indexed/DeviceRGB 7 "+palette+"]", packed)),
		"inverted": scan(wholePage, "", stream(fourByFour+levels+"/Decode[1 0 1 0 1 0]", inverse(plain))),
		"Flate": scan(wholePage, "", stream(fourByFour+levels+"/Filter/FlateDecode"+
			"/DecodeParms<</Predictor 2/Colors 3/Columns 4>>", deflated(t, differences(plain)))),
		"LZW": scan(wholePage, "", stream(fourByFour+levels+"/Filter/LZWDecode"+
			"/DecodeParms<</EarlyChange 0>>", lzwPacked(t, plain))),
		"run length": scan(wholePage, "", stream(fourByFour+levels+"/Filter/RunLengthDecode",
			"\x2f"+plain+"\x80")),
		"hexadecimal": scan(wholePage, "", stream(fourByFour+levels+"/Filter[/ASCIIHexDecode/FlateDecode]",
			fmt.Sprintf("%x>", deflated(t, plain)))),
		"mirrored":              scan("q 595 0 0 -842 0 842 cm /I0 Do Q", "", stream(fourByFour+levels, reverseRows(plain))),
		"rotated by 90 degrees": scan("q 0 842 -595 0 595 0 cm /I0 Do Q", "/Rotate 90", stream(fourByFour+levels, plain)),
		"rotated by 180 degrees": scan("q -595 0 0 -842 595 842 cm /I0 Do Q", "/Rotate 180",
			stream(fourByFour+levels, plain)),
		"rotated by 270 degrees": scan("q 0 -842 595 0 0 842 cm /I0 Do Q", "/Rotate 270", stream(fourByFour+levels, plain)),
		"in a form": scan("/I1 Do", "", stream(fourByFour+levels, plain),
			stream("/Subtype/Form/Resources<</XObject<</I0 5 0 R>>>>", wholePage)),
		"in strips": scan("q 595 0 0 421 0 0 cm /I1 Do Q q 595 0 0 421 0 421 cm /I0 Do Q", "",
			stream("/Subtype/Image/Width 4/Height 2/BitsPerComponent 8/ColorSpace/DeviceRGB", top),
			stream("/Subtype/Image/Width 4/Height 2/BitsPerComponent 8/ColorSpace/DeviceRGB", bottom)),
		"over a coarse background": scan("q 595 0 0 842 0 0 cm /I1 Do Q "+wholePage, "", stream(fourByFour+levels, plain),
			stream("/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray", "\xff")),
		"with little text": scan(wholePage+at(500, 20, "Page 7"), "", stream(fourByFour+levels, plain)),
	} {
		t.Run(name, func(t *testing.T) {
			pictures, _ := view(t, file)
			if len(pictures) != 1 {
				t.Fatalf("%d pictures", len(pictures))
			}
			assertEqualImages(t, decode(t, pictures[0].Data), img)
		})
	}
}

func inverse(data string) string {
	out := []byte(data)
	for i := range out {
		out[i] = 255 - out[i]
	}
	return string(out)
}

// differences subtracts from each pixel the one to its left, as TIFF's predictor does.
func differences(data string) string {
	out := []byte(data)
	for i := len(out) - 1; i >= 0; i-- {
		if i%12 >= 3 {
			out[i] -= out[i-3]
		}
	}
	return string(out)
}

// reverseRows returns the rows in reverse order.
func reverseRows(data string) string {
	return data[36:48] + data[24:36] + data[12:24] + data[:12]
}

func lzwPacked(t *testing.T, data string) string {
	t.Helper()
	var out bytes.Buffer
	w := lzw.NewWriter(&out, lzw.MSB, 8)
	if _, err := w.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGrayImages(t *testing.T) {
	want := image.NewGray(image.Rect(0, 0, 4, 1))
	copy(want.Pix, []byte{0, 85, 170, 255})
	for name, dict := range map[string][2]string{
		"two bits":   {"/BitsPerComponent 2/ColorSpace/DeviceGray", "\x1b"},
		"four bits":  {"/BitsPerComponent 4/ColorSpace/CalGray", "\x05\xaf"},
		"separation": {"/BitsPerComponent 8/ColorSpace[/Separation/Black/DeviceGray 9 0 R]", "\xff\xaa\x55\x00"},
	} {
		pictures, _ := view(t, scan(wholePage, "", stream("/Subtype/Image/Width 4/Height 1"+dict[0], dict[1])))
		if len(pictures) != 1 {
			t.Fatalf("%s: %d pictures", name, len(pictures))
		}
		assertEqualImages(t, decode(t, pictures[0].Data), want)
	}
	mask := image.NewGray(image.Rect(0, 0, 8, 1))
	copy(mask.Pix, []byte{255, 0, 255, 0, 0, 0, 255, 255})
	pictures, _ := view(t, scan(wholePage, "", stream("/Subtype/Image/ImageMask true/Width 8/Height 1", "\xa3")))
	assertEqualImages(t, decode(t, pictures[0].Data), mask)
	// The example in ISO 32000-1, 7.4.4.2. Its code length grows early, which compress/lzw cannot write.
	early := image.NewGray(image.Rect(0, 0, 9, 1))
	copy(early.Pix, []byte{45, 45, 45, 45, 45, 65, 45, 45, 45})
	pictures, _ = view(t, scan(wholePage, "", stream("/Subtype/Image/Width 9/Height 1/Filter/LZWDecode"+gray,
		"\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01")))
	assertEqualImages(t, decode(t, pictures[0].Data), early)
}
