package dates

import (
	"strings"

	"portside/documents/offline/scan"
)

// ClockLength returns the length of the time of day that a text begins with, such as 9:15, 9.15 or
// 9h15, or 0.
func ClockLength(text string) int {
	hours := scan.SkipDigits(text, 0)
	if hours == 0 || hours > 2 || hours == len(text) || strings.IndexByte(":.h", text[hours]) < 0 {
		return 0
	}
	end := scan.SkipDigits(text, hours+1)
	const minuteDigits = 2
	if end-hours-1 != minuteDigits || text[:hours] > "24" && hours == 2 || text[hours+1] > '5' {
		return 0
	}
	rest := text[end:]
	goesOn := len(rest) > 1 && strings.IndexByte(".:", rest[0]) >= 0 && scan.IsDigit(rest[1])
	if goesOn || rest != "" && scan.IsLetterOrDigit(rest[0]) {
		return 0
	}
	return end
}
