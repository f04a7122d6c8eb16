package tracks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// track is a text track, as far as choosing among them needs it.
type track struct {
	number   uint64 // as the container counts
	language string
	shown    bool // unless the viewer chooses another
	partial  bool // only what the viewer may not understand, or what somebody says about the recording
}

// byPreference returns the indexes of the tracks, that to be read first.
func byPreference(tracks []track) []int {
	order := make([]int, len(tracks))
	for i := range order {
		order[i] = i
	}
	rank := func(i int) int {
		switch t := tracks[i]; {
		case t.partial:
			return 2
		case !t.shown:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	return order
}

// about says what the track that was read is not.
func about(tracks []track, read int) []string {
	var warnings []string
	if len(tracks) > 1 {
		which := "the first"
		if read > 0 {
			which = fmt.Sprintf("number %d", read+1)
		}
		warnings = append(warnings, fmt.Sprintf("The recording has subtitle tracks in %s; %s was read.", languages(tracks), which))
	}
	if tracks[read].partial {
		warnings = append(warnings, "The recording's subtitles are marked as ones that have only some of what is said.")
	}
	return warnings
}

func languages(tracks []track) string {
	const mostNamed = 20
	var all []string
	for _, t := range tracks[:min(len(tracks), mostNamed)] {
		all = append(all, language(t.language))
	}
	if len(tracks) > mostNamed {
		all = append(all, "others")
	}
	return strings.Join(all, ", ")
}

// shortCodes are those of the languages that the service knows by two letters; containers use three.
var shortCodes = map[string]string{
	"eng": "en", "spa": "es", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "ita": "it", "por": "pt", "nld": "nl", "dut": "nl",
	"pol": "pl", "ron": "ro", "rum": "ro", "swe": "sv",
}

// language is a code fit for a sentence, whatever the file says.
func language(code string) string {
	const longest = 12
	plain := func(r rune) bool {
		return r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	}
	if code == "" || code == "und" || len(code) > longest || strings.ContainsFunc(code, func(r rune) bool { return !plain(r) }) {
		return "an unnamed language"
	}
	return cmp.Or(shortCodes[code], code)
}
