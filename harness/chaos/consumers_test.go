package chaos

import (
	"maps"
	"os"
	"regexp"
	"testing"
)

// consumers are the functions of template.yaml that get events, each with the types of its events. A new consumer needs a test
// of permutations before it gets its line here.
var consumers = map[string]string{
	"SendMailFunction":       "ScheduleV2 ",
	"RotateTokensFunction":   "ScheduleV2 ",
	"IndexChartsFunction":    "S3 ",
	"RecordPullsFunction":    "S3 CloudWatchLogs CloudWatchLogs ",
	"CountPullsFunction":     "ScheduleV2 ",
	"RunMediaJobsFunction":   "S3 ",
	"CountUsageFunction":     "S3 CloudWatchLogs CloudWatchLogs CloudWatchLogs ",
	"MeasureStorageFunction": "ScheduleV2 ",
	"SealAuditFunction":      "ScheduleV2 ",
}

var (
	resourceLine = regexp.MustCompile(`(?m)^  (\w+):$`)
	eventLine    = regexp.MustCompile(`(?m)^          Type: (\w+)$`)
)

func TestEveryConsumerIsKnown(t *testing.T) {
	text, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found, starts := map[string]string{}, resourceLine.FindAllSubmatchIndex(text, -1)
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		for _, event := range eventLine.FindAllSubmatch(text[at[1]:end], -1) {
			if kind := string(event[1]); kind != "HttpApi" {
				found[string(text[at[2]:at[3]])] += kind + " "
			}
		}
	}
	if !maps.Equal(found, consumers) {
		t.Errorf("template.yaml has the consumers %v; the tests know %v", found, consumers)
	}
}
