package tracks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// track is what the choice among text tracks depends on.
type track struct {
	number    uint64 // in the container
	language  string
	isDefault bool // players show it unless the viewer chooses another
	isPartial bool // forced subtitles, which only translate foreign words, or a commentary
}

// byPreference returns the indexes of the tracks in the order in which to try them.
func byPreference(tracks []track) []int {
	order := make([]int, len(tracks))
	for i := range order {
		order[i] = i
	}
	rank := func(i int) int {
		switch t := tracks[i]; {
		case t.isPartial:
			return 2
		case !t.isDefault:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	return order
}

// trackWarnings says that there are other tracks than the one that was read, or that it is partial.
func trackWarnings(tracks []track, read int) []string {
	var warnings []string
	if len(tracks) > 1 {
		which := "the first"
		if read > 0 {
			which = fmt.Sprintf("number %d", read+1)
		}
		warnings = append(warnings, fmt.Sprintf("The recording has subtitle tracks in %s; %s was read.", languages(tracks),
			which))
	}
	if tracks[read].isPartial {
		warnings = append(warnings, "The recording's subtitles are marked as ones that have only some of what is said.")
	}
	return warnings
}

func languages(tracks []track) string {
	const maxNamed = 20
	var all []string
	for _, t := range tracks[:min(len(tracks), maxNamed)] {
		all = append(all, language(t.language))
	}
	if len(tracks) > maxNamed {
		all = append(all, "others")
	}
	return strings.Join(all, ", ")
}

// shortCodes are the two-letter codes of languages by the three-letter codes that containers use.
var shortCodes = map[string]string{
	"eng": "en", "spa": "es", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "ita": "it", "por": "pt", "nld": "nl", "dut": "nl",
	"pol": "pl", "ron": "ro", "rum": "ro", "swe": "sv",
}

// language returns the name of a language for a warning. The code comes from the file and may be anything.
func language(code string) string {
	const maxCode = 12
	plain := func(r rune) bool {
		return r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	}
	if code == "" || code == "und" || len(code) > maxCode || strings.ContainsFunc(code, func(r rune) bool { return !plain(r) }) {
		return "an unnamed language"
	}
	return cmp.Or(shortCodes[code], code)
}
