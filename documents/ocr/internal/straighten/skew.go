package straighten

import (
	"image"
	"image/draw"
	"math"
)

// profileSide is the number of pixels to which the longer side of a picture is reduced to find its skew.
const profileSide = 1000

// skewOf returns the clockwise angle between lines of text that run in a direction, in quarter turns, and this
// direction. If the picture has no lines, it is 0.
//
// The rows of pixels through lines of text are dark, and those between them are light. So of all angles, that of the
// lines has the largest differences between neighboring rows.
func skewOf(gray *image.Gray, direction int) float64 {
	skew := inkOf(gray).sharpest(float64(direction) * math.Pi / 2)
	if math.Abs(skew) < minSkew {
		return 0
	}
	return skew
}

// ink has the dark pixels of a reduced picture.
type ink struct {
	points   []image.Point // relative to the center
	diagonal int
}

// inkOf returns the ink of a picture.
func inkOf(gray *image.Gray) ink {
	marks := marksOf(reduce(gray))
	size := marks.Rect.Size()
	found := ink{diagonal: int(math.Hypot(float64(size.X), float64(size.Y))) + 2}
	for i, mark := range marks.Pix {
		if mark != 0 {
			found.points = append(found.points, image.Pt(i%size.X-size.X/2, i/size.X-size.Y/2))
		}
	}
	return found
}

// marksOf marks the pixels that are much darker than their surroundings with 1, so that shadows do not count. It leaves
// out long lines, such as the borders of tables and the edge of the paper, which say nothing about the text.
func marksOf(gray *image.Gray) *image.Gray {
	size := gray.Rect.Size()
	dark := make([]bool, size.X*size.Y)
	sums := sumsOf(gray)
	const radius, darker = 12, 0.8
	for y := range size.Y {
		for x := range size.X {
			around := image.Rect(x-radius, y-radius, x+radius+1, y+radius+1).Intersect(gray.Rect)
			mean := float64(sums.in(around)) / float64(around.Dx()*around.Dy())
			dark[y*size.X+x] = float64(gray.Pix[y*gray.Stride+x]) < darker*mean
		}
	}
	inLine := make([]bool, len(dark))
	for y := range size.Y {
		markRuns(dark, inLine, slots{y * size.X, 1, size.X})
	}
	for x := range size.X {
		markRuns(dark, inLine, slots{x, size.X, size.Y})
	}
	marks := image.NewGray(gray.Rect)
	for i, isDark := range dark {
		if isDark && !inLine[i] {
			marks.Pix[i] = 1
		}
	}
	return marks
}

// DensestPart returns the quarter of a picture that has the most text.
func DensestPart(gray *image.Gray) *image.Gray {
	marks := marksOf(reduce(gray))
	sums := sumsOf(marks)
	size := marks.Rect.Size()
	part := image.Rect(0, 0, (size.X+1)/2, (size.Y+1)/2)
	best, most := part, -1
	const step = 10
	for y := 0; y+part.Dy() <= size.Y; y += step {
		for x := 0; x+part.Dx() <= size.X; x += step {
			if n := sums.in(part.Add(image.Pt(x, y))); n > most {
				best, most = part.Add(image.Pt(x, y)), n
			}
		}
	}
	full := gray.Rect.Size()
	out := image.NewGray(image.Rect(0, 0, best.Dx()*full.X/size.X, best.Dy()*full.Y/size.Y))
	draw.Draw(out, out.Rect, gray, image.Pt(best.Min.X*full.X/size.X, best.Min.Y*full.Y/size.Y), draw.Src)
	return out
}

// maxStroke is the length in pixels of the longest stroke of a letter.
const maxStroke = 30

// slots are the places of the pixels of a row or a column.
type slots struct{ first, step, count int }

// markRuns marks the pixels of dark runs that are longer than maxStroke, in a row or column.
func markRuns(dark, inLine []bool, s slots) {
	run := 0
	for i := range s.count + 1 {
		if i < s.count && dark[s.first+i*s.step] {
			run++
			continue
		}
		for j := i - run; run > maxStroke && j < i; j++ {
			inLine[s.first+j*s.step] = true
		}
		run = 0
	}
}

// sharpest returns the skew with the largest differences between rows, relative to an angle.
func (k ink) sharpest(around float64) float64 {
	const coarse, fine = 0.5 * math.Pi / 180, 0.1 * math.Pi / 180
	skew, sharpness := 0.0, 0.0
	for _, step := range []float64{coarse, fine} {
		center, reach := skew, maxSkew
		if step == fine {
			reach = coarse
		}
		for a := center - reach; a <= center+reach+step/2; a += step {
			if s := k.sharpnessAt(around + a); s > sharpness {
				skew, sharpness = a, s
			}
		}
	}
	return skew
}

// sharpnessAt returns the sum of the squares of the differences between rows, if the lines have this angle.
func (k ink) sharpnessAt(angle float64) float64 {
	sin, cos := math.Sincos(angle)
	rows := make([]int, 2*k.diagonal)
	for _, p := range k.points {
		rows[k.diagonal+int(math.Round(float64(p.Y)*cos-float64(p.X)*sin))]++
	}
	sum := 0.0
	for i := 1; i < len(rows); i++ {
		d := float64(rows[i] - rows[i-1])
		sum += d * d
	}
	return sum
}

// reduce scales a picture down so that its longer side has at most profileSide pixels. A pixel is the mean of those
// that it replaces.
func reduce(gray *image.Gray) *image.Gray {
	size := gray.Rect.Size()
	factor := min((max(size.X, size.Y)+profileSide-1)/profileSide, size.X, size.Y)
	if factor <= 1 {
		return gray
	}
	small := image.NewGray(image.Rect(0, 0, size.X/factor, size.Y/factor))
	for y := range small.Rect.Dy() {
		for x := range small.Rect.Dx() {
			sum := 0
			for dy := range factor {
				row := (y*factor+dy)*gray.Stride + x*factor
				for _, v := range gray.Pix[row : row+factor] {
					sum += int(v)
				}
			}
			small.Pix[y*small.Stride+x] = uint8(sum / (factor * factor))
		}
	}
	return small
}

// areaSums has the sum of all pixels left of and above each pixel.
type areaSums struct {
	sums   []int
	stride int
}

func sumsOf(gray *image.Gray) areaSums {
	size := gray.Rect.Size()
	s := areaSums{make([]int, (size.X+1)*(size.Y+1)), size.X + 1}
	for y := range size.Y {
		row := 0
		for x := range size.X {
			row += int(gray.Pix[y*gray.Stride+x])
			s.sums[(y+1)*s.stride+x+1] = s.sums[y*s.stride+x+1] + row
		}
	}
	return s
}

func (s areaSums) in(r image.Rectangle) int {
	return s.sums[r.Max.Y*s.stride+r.Max.X] - s.sums[r.Min.Y*s.stride+r.Max.X] -
		s.sums[r.Max.Y*s.stride+r.Min.X] + s.sums[r.Min.Y*s.stride+r.Min.X]
}
