package papers

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Layout of the pages.
const (
	lineWidth  = 92 // characters
	pageLines  = 50
	paragraphs = 6 // sentences in each
)

// author writes grammatical sentences without meaning. Reading them costs as much as reading a
// report about a port.
type author struct{ *rand.Rand }

// Prose returns a different text for each seed, the same in every run.
func Prose(seed, pages int) [][]string {
	a := author{rand.New(rand.NewPCG(uint64(seed), 9))} //nolint:gosec // numbers of questions
	var lines []string
	for len(lines) < pages*pageLines {
		var paragraph []string
		for range paragraphs {
			paragraph = append(paragraph, a.sentence())
		}
		lines = append(append(lines, wrapped(strings.Join(paragraph, " "))...), "")
	}
	set := make([][]string, pages)
	for i := range set {
		set[i] = lines[i*pageLines : (i+1)*pageLines]
	}
	return set
}

// CountWords returns how many words the pages have.
func CountWords(pages [][]string) int {
	n := 0
	for _, lines := range pages {
		n += len(strings.Fields(strings.Join(lines, " ")))
	}
	return n
}

// wrapped breaks a paragraph into lines.
func wrapped(text string) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > lineWidth {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

func (a author) sentence() string {
	switch a.IntN(4) {
	case 0:
		return fmt.Sprintf("The %s of %s %s %d %s %s.",
			a.pick(actors), a.name(), a.pick(deeds), 2+a.IntN(900), a.pick(things), a.pick(times))
	case 1:
		return fmt.Sprintf("The %s %s the %s %s of the %s, although the %s %s %s.",
			a.pick(actors), a.pick(deeds), a.pick(qualities), a.pick(things), a.pick(places), a.pick(actors), a.pick(deeds), a.pick(things))
	case 2:
		return fmt.Sprintf("The %s at the %s %s, because the %s from %s %s the %s %s.",
			a.pick(things), a.pick(places), a.pick(fates), a.pick(actors), a.name(), a.pick(deeds), a.pick(qualities), a.pick(things))
	}
	return fmt.Sprintf("The %s %s and the %s %s %s %s.",
		a.pick(qualities), a.pick(things), a.pick(qualities), a.pick(things), a.pick(fates), a.pick(times))
}

// name returns one of a thousand names.
func (a author) name() string {
	return a.pick("Mar Bel Tor Lin Kes Hal Ven Dor Sal Rim") + a.pick("a e o i u an en or il ul") +
		a.pick("by ton dal wick ford mere stad holm burg ley")
}

// pick returns one of the words. An underscore stands for a space.
func (a author) pick(words string) string {
	list := strings.Fields(words)
	return strings.ReplaceAll(list[a.IntN(len(list))], "_", " ")
}

// The vocabulary.
const (
	actors = `board harbour_master customs_office pilot shipping_agent auditor council engineer insurer tenant landlord crew_leader
		ministry surveyor warehouse_keeper union contractor architect treasurer inspector broker fire_brigade owner committee`
	deeds = `approved refused measured counted sold repaired ordered delivered inspected insured rented moved described postponed
		financed weighed photographed replaced registered planned returned paid_for borrowed compared`
	things = `cranes containers invoices permits ropes anchors pumps contracts reports forklifts boilers tickets roofs windows
		generators lamps fences barrels pallets tyres cables maps engines doors batteries valves crates sensors scales ladders`
	qualities = `new damaged northern expensive heavy missing temporary electric foreign annual private narrow second former wooden
		reliable unpaid spare public rusty`
	places = `eastern_quay dry_dock ferry_terminal main_gate old_lighthouse rail_yard fish_market parking_deck weather_station
		canal_bridge cold_store visitor_centre oil_berth workshop training_school ring_road`
	fates = `were_put_into_service were_taken_away cost_more_than_expected passed_the_test were_left_in_the_rain needed_a_second_look
		were_covered_by_the_guarantee arrived_without_papers will_be_replaced were_never_used`
	times = `on_Monday in_the_spring last_year before_the_storm after_the_meeting in_March within_ten_days during_the_night
		at_the_end_of_the_season by_mutual_consent without_further_delay twice_a_month`
)
