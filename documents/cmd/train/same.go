package main

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// isSame reports whether a value is the wanted one. The match says how exact it must be: number, date, term, company,
// contains, or the type of the variable.
func isSame(match, got, want string) bool {
	switch match {
	case "number":
		return isSameNumber(got, want)
	case "date":
		return strings.HasPrefix(got, want)
	case "term":
		a, b := daysOf(got), daysOf(want)
		const tolerance = 5
		return a > 0 && b > 0 && math.Abs(a-b) <= tolerance
	case "company":
		return overlaps(squeeze(legalForm.ReplaceAllString(got, " ")), squeeze(legalForm.ReplaceAllString(want, " ")), 4)
	case "words":
		return hasSameWords(got, want)
	case "contains":
		return overlaps(squeeze(got), squeeze(want), 2)
	}
	a, b := squeeze(got), squeeze(want)
	const least, most = 4, 3
	return a == b || strings.Contains(a, b) && len(b) >= least && len(a) <= len(b)+most
}

// hasSameWords reports whether two texts have most of their words in common, or one has most of the letters of the other.
func hasSameWords(got, want string) bool {
	const leastShare, leastWords = 0.6, 0.8
	a, b := squeeze(got), squeeze(want)
	if a == "" || b == "" || a == b {
		return a != "" && a == b
	}
	if strings.Contains(a, b) || strings.Contains(b, a) {
		return float64(min(len(a), len(b))) >= leastShare*float64(max(len(a), len(b)))
	}
	words := map[string]int{}
	wanted, found := strings.Fields(strings.ToLower(want)), strings.Fields(strings.ToLower(got))
	for _, w := range wanted {
		words[squeeze(w)]++
	}
	same := 0
	for _, w := range found {
		if words[squeeze(w)] > 0 {
			words[squeeze(w)]--
			same++
		}
	}
	return float64(2*same) >= leastWords*float64(len(wanted)+len(found))
}

func isSameNumber(got, want string) bool {
	a, err := strconv.ParseFloat(got, 64)
	if err != nil {
		return false
	}
	b, err := strconv.ParseFloat(want, 64)
	const tolerance = 0.006
	return err == nil && math.Abs(a-b) < tolerance
}

// overlaps reports whether one text contains the other. A part of the wanted text must have the least length.
func overlaps(got, want string, least int) bool {
	if got == "" || want == "" {
		return false
	}
	return strings.Contains(got, want) || strings.Contains(want, got) && len(got) >= min(least, len(want))
}

var legalForm = regexp.MustCompile(`(?i)\b(gmbh|ag|kg|ug|co|inc|llc|ltd|limited|corp|corporation|company|plc|bv|gbr|sa|sas|sarl|the)\b\.?` +
	`|&`)

// squeeze returns the letters and digits of a text, without accents and in lower case.
func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(strings.ReplaceAll(text, "ß", "ss")))
}

var (
	duration     = regexp.MustCompile(`(\d+)\)?[\s_-]*(year|month|week|day)`)
	writtenCount = strings.NewReplacer("twenty-four", "24", "eighteen", "18", "twelve", "12", "ten", "10", "six", "6",
		"five", "5",
		"four", "4", "three", "3", "two", "2", "one", "1")
	daysOfUnit = map[string]float64{"year": 365, "month": 365.0 / 12, "week": 7, "day": 1}
)

// daysOf returns the length of a term such as "three (3) years", or -1.
func daysOf(text string) float64 {
	text = strings.ToLower(text)
	found := duration.FindStringSubmatch(text)
	if found == nil {
		found = duration.FindStringSubmatch(writtenCount.Replace(text))
	}
	if found == nil {
		return -1
	}
	n, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		return -1
	}
	return n * daysOfUnit[found[2]]
}
