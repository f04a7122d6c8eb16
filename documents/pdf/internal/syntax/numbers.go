package syntax

import "math"

// ParseNumber parses a number as leniently as other readers do, because "--5", "1.2.3" and "5-3" occur
// in real files. The magnitude of the result is at most 1e9.
func ParseNumber(raw []byte) (float64, bool) {
	c := raw[0]
	if c != '+' && c != '-' && c != '.' && (c < '0' || c > '9') {
		return 0, false
	}
	value, scale, sign, digits := 0.0, 0.0, 1.0, 0
	for i, c := range raw {
		switch {
		case c >= '0' && c <= '9':
			digits++
			if scale == 0 {
				value = value*10 + float64(c-'0')
			} else {
				value += float64(c-'0') * scale
				scale /= 10
			}
		case c == '.' && scale == 0:
			scale = 0.1
		case c == '-' && digits == 0:
			sign = -1
		case c == '+' && i == 0:
		case c == '.' || c == '-':
			return sign * min(value, 1e9), digits > 0
		default:
			return 0, false
		}
	}
	return sign * min(value, 1e9), true
}

// IsDigits reports whether raw consists of decimal digits and is not empty.
func IsDigits(raw []byte) bool {
	for _, c := range raw {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(raw) > 0
}

// Integer returns the integer that a numeric object holds. It reports false for other objects, for
// fractions and beyond 2^40.
func Integer(object any) (int, bool) {
	n, ok := object.(float64)
	if !ok || n != math.Trunc(n) || math.Abs(n) > 1<<40 {
		return 0, false
	}
	return int(n), true
}
