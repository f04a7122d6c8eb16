package server

import (
	"iter"
	"mime"
	"slices"
	"strconv"
	"strings"
)

// MatchesTag evaluates the lines of If-None-Match (RFC 9110, section 13.1.2). It uses the weak comparison, because
// proxies weaken tags.
func MatchesTag(lines []string, tag string) bool {
	for member := range members(lines) {
		if member == "*" || strings.TrimPrefix(member, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

// AcceptsGzip evaluates the lines of Accept-Encoding (RFC 9110, section 12.5.3). gzip takes precedence over *.
func AcceptsGzip(lines []string) bool {
	gzip, wildcard := -1.0, -1.0
	for member := range members(lines) {
		coding, parameter, _ := strings.Cut(member, ";")
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			gzip = max(gzip, weight(parameter))
		case "*":
			wildcard = max(wildcard, weight(parameter))
		}
	}
	if gzip >= 0 {
		return gzip > 0
	}
	return wildcard > 0
}

// Preferred evaluates the lines of Accept for a response that is available in several media types (RFC 9110, section
// 12.5.1). Among types with the same weight, the one that a more specific range includes is preferred, as CSV in
// "text/csv, */*", and otherwise the earlier one. It is the first type if the client accepts none.
func Preferred(lines, types []string) string {
	best := types[0]
	bestWeight, bestRange := typeWeight(lines, best)
	for _, other := range types[1:] {
		q, specific := typeWeight(lines, other)
		if q > bestWeight || q == bestWeight && q > 0 && specific > bestRange {
			best, bestWeight, bestRange = other, q, specific
		}
	}
	return best
}

// typeWeight returns the weight of a media type. The most specific range that includes the type decides; the more
// specific it is, the greater is the second result.
func typeWeight(lines []string, mediaType string) (q float64, specific int) {
	top, _, _ := strings.Cut(mediaType, "/")
	ranges, specific := []string{"*/*", top + "/*", mediaType}, -1
	for member := range members(lines) {
		name, parameters, err := mime.ParseMediaType(member)
		if n := slices.Index(ranges, name); err == nil && n > specific {
			q, specific = weight(parameters["q"]), n
		}
	}
	return q, specific
}

// weight parses a weight such as "q=0.5" or "0.5". It returns 1 for no weight and 0 for an invalid one.
func weight(parameter string) float64 {
	parameter = strings.ToLower(strings.TrimSpace(parameter))
	if parameter == "" {
		return 1
	}
	q, err := strconv.ParseFloat(strings.TrimPrefix(parameter, "q="), 64)
	if err != nil || !(q >= 0 && q <= 1) {
		return 0
	}
	return q
}

// members returns the members of a list header. It also splits at commas inside tags, which does no harm because our
// tags have none.
func members(lines []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, line := range lines {
			for member := range strings.SplitSeq(line, ",") {
				if member = strings.TrimSpace(member); member != "" && !yield(member) {
					return
				}
			}
		}
	}
}
