package picture

import (
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"slices"

	"golang.org/x/image/webp"
)

// format is a format of pictures.
type format struct {
	mediaType    string
	magic        string // the first bytes of a file; "?" stands for any byte
	decodeConfig func(io.Reader) (image.Config, error)
	decode       func(io.Reader) (image.Image, error)
	// split splits the beginning of a file into chunks. isComplete means that they reach the end of the
	// picture. A format without split is always drawn anew.
	split func(data []byte) (chunks []chunk, isComplete bool)
	// bytesPerPixel estimates the memory for decoding.
	bytesPerPixel func(header) float64
}

func formats() []format {
	return []format{
		{"image/png", "\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode, splitPNG, bytesPerPixelPNG},
		{"image/jpeg", "\xff\xd8\xff", jpeg.DecodeConfig, jpeg.Decode, splitJPEG, bytesPerPixelJPEG},
		{"image/gif", "GIF8?a", gif.DecodeConfig, gif.Decode, nil, bytesPerPixelGIF},
		{"image/webp", webpMagic, webp.DecodeConfig, webp.Decode, splitWebP, bytesPerPixelWebP},
	}
}

const webpMagic = "RIFF????WEBP"

// Supports reports whether a media type is that of a supported format.
func Supports(mediaType string) bool {
	return slices.ContainsFunc(formats(), func(f format) bool { return f.mediaType == mediaType })
}

func detectFormat(data []byte) (format, bool) {
	for _, f := range formats() {
		if hasMagic(data, f.magic) {
			return f, true
		}
	}
	return format{}, false
}

func hasMagic(data []byte, magic string) bool {
	if len(data) < len(magic) {
		return false
	}
	for i := range magic {
		if magic[i] != '?' && magic[i] != data[i] {
			return false
		}
	}
	return true
}

// bytesPerPixelGIF is 1, because gif.Decode decodes the first frame only, which has a palette.
func bytesPerPixelGIF(header) float64 { return 1 }
