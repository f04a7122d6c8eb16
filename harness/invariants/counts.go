package invariants

import (
	"strconv"
	"strings"

	"portside/shared/testkit/liststest"
)

// checkCounts compares the counters by day in the analytics table with the histories of users and projects, also of
// deleted ones.
func checkCounts(broken *report, people, projects, analytics []row) {
	wanted, found := map[string]string{}, map[string]string{}
	days := liststest.Counts{}
	for _, all := range [][]row{people, projects} {
		for _, item := range all {
			if kind := item.kind(); kind == "user" || kind == "project" || kind == "gone" {
				addHistory(broken, days, item)
			}
		}
	}
	stored := liststest.Counts{}
	for _, item := range analytics {
		for name := range item.raw {
			if n := liststest.Number(item.raw, name); item.PK == "counts" && n != 0 && name != "version" {
				stored[item.PK+" "+item.SK+" "+name] = n
			}
		}
	}
	days.AddTo(wanted)
	stored.AddTo(found)
	compare(broken, "counts", wanted, found)
}

// addHistory adds the history of a user or project to the counts by day. Each line has a day, the events of the day,
// and the counters that include the user or project at its end.
func addHistory(broken *report, days liststest.Counts, item row) {
	var before []string
	for line := range strings.Lines(liststest.Text(item.raw, "life")) {
		words := strings.Fields(line)
		var after []string
		for _, word := range words[1:] {
			event, isEvent := strings.CutPrefix(word, "+")
			if !isEvent {
				after = append(after, word)
				continue
			}
			event, times, _ := strings.Cut(event, "*")
			n, _ := strconv.ParseInt(times, 10, 64) // 0 without a number
			addDay(days, words[0], event, max(n, 1))
		}
		for _, counter := range after {
			addDay(days, words[0], counter, 1)
		}
		for _, counter := range before {
			addDay(days, words[0], counter, -1)
		}
		before = after
	}
	if (len(before) == 0) != (item.kind() == "gone") {
		broken.add("counts: the history of %s ends with the counters %v", item.PK, before)
	}
}

func addDay(days liststest.Counts, day, counter string, n int64) {
	for _, name := range []string{"counts " + day + " " + counter, "counts total " + counter} {
		if days[name] += n; days[name] == 0 {
			delete(days, name)
		}
	}
}
