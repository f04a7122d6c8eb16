package invariants

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/pullcounts"
	"portside/shared/testkit/liststest"
)

// checkPulls compares the counts of pulls in the analytics table with the recorded pulls: by artifact and user, by
// kind, and in the rankings. It compares those of update checks, too. It checks nothing while pulls are being counted.
func checkPulls(broken *report, all, analytics []row) error {
	logged, pending := map[string]bool{}, map[string]bool{} // by batch, which is the sort key
	for _, item := range all {
		switch {
		case item.kind() == "log" && item.raw["abandoned"] == nil:
			logged[item.SK] = true
		case item.kind() == "pending":
			pending[item.SK] = true
		case item.kind() == "window" && isCounting(item):
			return nil
		}
	}
	wanted := liststest.Counts{}
	addChecks(broken, wanted, all)
	for _, item := range all {
		batch := liststest.Text(item.raw, "heldBy")
		if item.kind() == "credential" && logged[batch] && !pending[batch] {
			addPull(wanted, item)
		}
	}
	found, err := countedPulls(analytics)
	if err != nil {
		return err
	}
	want, have := map[string]string{}, map[string]string{}
	wanted.AddTo(want)
	found.AddTo(have)
	compare(broken, "pulls", want, have)
	checkRankings(broken, analytics, found)
	return nil
}

// addChecks adds the counted checks of each hour. After a failure, fewer may be counted than stored, until the lines
// arrive again.
func addChecks(broken *report, wanted liststest.Counts, all []row) {
	for _, item := range all {
		if item.kind() != "check" {
			continue
		}
		counted := liststest.Number(item.raw, "counted")
		if counted > 0 {
			wanted["checks "+item.SK[:len(time.DateOnly)]] += counted
		}
		seconds, _ := item.raw["seconds"].(*types.AttributeValueMemberNS)
		if seconds == nil || counted > int64(len(seconds.Value)) {
			broken.add("pulls: %s has fewer checks in %s than the %d that are counted", item.PK, item.SK, counted)
		}
	}
}

// isCounting reports whether a window has batches that are being counted.
func isCounting(window row) bool {
	batches, isList := window.raw["batches"].(*types.AttributeValueMemberL)
	return isList && len(batches.Value) > 0
}

// addPull counts a pull that a client asked for by name.
func addPull(wanted liststest.Counts, pull row) {
	reference, digest := liststest.Text(pull.raw, "reference"), liststest.Text(pull.raw, "digest")
	if reference == digest {
		return
	}
	day := liststest.Text(pull.raw, "position")[:len(time.DateOnly)]
	repository, _, _ := strings.Cut(liststest.Text(pull.raw, "repositoryShard"), "#")
	owner, _, _ := strings.Cut(liststest.Text(pull.raw, "ownerShard"), "#")
	wanted[pull.Kind+"#"+repository+" "+day]++
	wanted["person#"+owner+" "+day]++
	wanted[pull.Kind+"s "+day]++
}

// countedPulls are the counts in the analytics table.
func countedPulls(analytics []row) (liststest.Counts, error) {
	found := liststest.Counts{}
	for _, item := range analytics {
		switch item.kind() {
		case "pulls":
			days, err := pullcounts.UnpackDays(item.raw)
			if err != nil {
				return nil, fmt.Errorf("read %s %s: %w", item.PK, item.SK, err)
			}
			for day, n := range days {
				found[item.after()+" "+day.String()] += n
			}
		case "usage":
			for _, kind := range []string{"charts", "images", "checks"} {
				if n := liststest.Number(item.raw, kind); n != 0 {
					found[kind+" "+item.SK] = n
				}
			}
		}
	}
	return found, nil
}

// checkRankings compares the first places of the rankings of days with the counts. A ranking may lack places.
func checkRankings(broken *report, analytics []row, counted liststest.Counts) {
	for _, item := range analytics {
		_, span, _ := strings.Cut(item.after(), "#")
		if _, err := time.Parse(time.DateOnly, span); item.kind() != "top" || err != nil {
			continue
		}
		places, err := pullcounts.UnpackTop(item.raw)
		if err != nil {
			broken.add("pulls: the ranking %s is damaged", item.PK)
		}
		for _, place := range places {
			if n := counted[place.Name+" "+span]; n != place.Pulls {
				broken.add("pulls: %s has %s pulls in the ranking %s, want %d", place.Name, strconv.FormatInt(place.Pulls, 10),
					item.PK, n)
			}
		}
	}
}
