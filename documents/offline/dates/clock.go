package dates

import (
	"strings"

	"portside/documents/offline/scan"
)

// timeSize is how long the time is that a text begins with; 0 if it does not.
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
