package documents

import "math"

// Turn is a rotation of the page around a point. Lines on a scan can be skewed, or run upwards. The boxes of their
// blocks are in the coordinates of the page when it is turned so that the lines are horizontal, because engines compare
// boxes to find columns and labels. The zero Turn does not rotate.
type Turn struct {
	X, Y  float64 // the point, in points
	Angle float64 // of the lines on the page as it is shown, clockwise, in radians
}

// Shown returns the smallest box around the place of b on the page as it is shown.
func (t Turn) Shown(b Box) Box {
	if t.Angle == 0 || b == (Box{}) {
		return b
	}
	sin, cos := math.Sincos(t.Angle)
	around := Box{Left: math.Inf(1), Top: math.Inf(1), Right: math.Inf(-1), Bottom: math.Inf(-1)}
	for _, corner := range [4][2]float64{{b.Left, b.Top}, {b.Right, b.Top}, {b.Right, b.Bottom}, {b.Left, b.Bottom}} {
		dx, dy := corner[0]-t.X, corner[1]-t.Y
		x, y := t.X+dx*cos-dy*sin, t.Y+dx*sin+dy*cos
		around.Left, around.Right = min(around.Left, x), max(around.Right, x)
		around.Top, around.Bottom = min(around.Top, y), max(around.Bottom, y)
	}
	return around
}
