package ocr

import (
	"image"
	"slices"
)

// maxMarks is the number of separate marks with which a picture is read. A page of a newspaper has 30,000 letters.
// Tesseract compares each mark with its neighbors, and takes minutes for the grain of a bad scan.
const maxMarks = 40_000

// withoutGrain returns the picture without single pixels that differ from their surroundings, if it has too many marks.
// It returns false if the picture still has too many: then it shows no text.
func withoutGrain(gray *image.Gray) (*image.Gray, bool) {
	if countMarks(gray) <= maxMarks {
		return gray, true
	}
	smooth := median(gray)
	return smooth, countMarks(smooth) <= maxMarks
}

// countMarks returns about the number of connected areas of dark pixels: the number of places where such an area begins
// below light pixels.
func countMarks(gray *image.Gray) int {
	limit := threshold(gray)
	width := gray.Rect.Dx()
	above := make([]bool, width+2) // with a light pixel on each side
	dark := make([]bool, width+2)
	marks := 0
	for y := range gray.Rect.Dy() {
		begins := false
		for x := range width + 1 {
			dark[x+1] = x < width && gray.Pix[y*gray.Stride+x] < limit
			switch {
			case !dark[x+1] && begins:
				marks++
				begins = false
			case dark[x+1]:
				isJoined := above[x] || above[x+1] || x < width && above[x+2]
				begins = !isJoined && (begins || !dark[x])
			}
		}
		above, dark = dark, above
	}
	return marks
}

// threshold returns the gray value that divides the pixels best into dark and light ones, by the method of Otsu: N.
// Otsu, "A Threshold Selection Method from Gray-Level Histograms", IEEE Transactions on Systems, Man, and Cybernetics 9
// (1979).
func threshold(gray *image.Gray) uint8 {
	const levels = 256
	var count [levels]float64
	for y := range gray.Rect.Dy() {
		for _, v := range gray.Pix[y*gray.Stride:][:gray.Rect.Dx()] {
			count[v]++
		}
	}
	total, sum := 0.0, 0.0
	for v, n := range &count {
		total, sum = total+n, sum+n*float64(v)
	}
	best, most := 0, -1.0
	darker, darkerSum := 0.0, 0.0
	for v, n := range &count {
		darker, darkerSum = darker+n, darkerSum+n*float64(v)
		if darker == 0 || darker == total {
			continue
		}
		difference := darkerSum/darker - (sum-darkerSum)/(total-darker)
		if between := darker * (total - darker) * difference * difference; between > most {
			best, most = v, between
		}
	}
	return uint8(min(best+1, levels-1))
}

// median replaces each pixel by the median of it and its eight neighbors.
func median(gray *image.Gray) *image.Gray {
	out := image.NewGray(gray.Rect)
	width, height := gray.Rect.Dx(), gray.Rect.Dy()
	var around [9]uint8
	for y := range height {
		for x := range width {
			n := 0
			for j := max(y-1, 0); j <= min(y+1, height-1); j++ {
				for i := max(x-1, 0); i <= min(x+1, width-1); i++ {
					around[n] = gray.Pix[j*gray.Stride+i]
					n++
				}
			}
			slices.Sort(around[:n])
			out.Pix[y*out.Stride+x] = around[n/2]
		}
	}
	return out
}
