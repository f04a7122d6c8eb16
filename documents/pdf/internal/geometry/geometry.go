// Package geometry has the coordinates of PDF: transformation matrices and boxes.
package geometry

import (
	"math"

	"portside/documents"
)

// Matrix is a transformation matrix [a b c d e f] as PDF writes it (ISO 32000-1, 8.3.3).
type Matrix [6]float64

// Identity maps every point to itself.
var Identity = Matrix{1, 0, 0, 1, 0, 0}

// Translate returns the matrix that moves points by x and y.
func Translate(x, y float64) Matrix { return Matrix{1, 0, 0, 1, x, y} }

// Times returns the matrix that applies m first, then n.
func (m Matrix) Times(n Matrix) Matrix {
	return Matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// Apply transforms a point.
func (m Matrix) Apply(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// IsUsable reports whether the elements are numbers and small enough to multiply further.
func (m Matrix) IsUsable() bool {
	for _, v := range m {
		if math.IsNaN(v) || math.Abs(v) > 1e7 {
			return false
		}
	}
	return true
}

// BoxOf returns the box with two opposite corners.
func BoxOf(x1, y1, x2, y2 float64) documents.Box {
	return documents.Box{Left: min(x1, x2), Top: min(y1, y2), Right: max(x1, x2), Bottom: max(y1, y2)}
}

// OverlapX returns the width that two boxes share. It is negative if a gap separates them.
func OverlapX(a, b documents.Box) float64 { return min(a.Right, b.Right) - max(a.Left, b.Left) }

// OverlapY returns the height that two boxes share. It is negative if a gap separates them.
func OverlapY(a, b documents.Box) float64 { return min(a.Bottom, b.Bottom) - max(a.Top, b.Top) }
