package chaos

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// consumers are the functions of template.yaml that get events, each with the types of its events and the tests of
// events that come repeatedly, late, concurrently, or to processes that are killed. A new consumer needs such tests
// before it gets its line here.
var consumers = map[string]struct{ events, tests string }{
	"SendMailFunction":       {"ScheduleV2 ", "harness/chaos.TestSendMail"},
	"RunMediaJobsFunction":   {"S3 ", "harness/chaos.TestRunMediaJobs"},
	"CountUsageFunction":     {"S3 CloudWatchLogs CloudWatchLogs CloudWatchLogs ", "functions/countusage.TestEachLineCountsOnce"},
	"MeasureStorageFunction": {"ScheduleV2 ", "functions/measurestorage.TestConcurrentMeasurementsAreOne"},
	"SealAuditFunction":      {"ScheduleV2 ", "shared/audit/seals.TestConcurrentRunsMakeOneChain shared/audit/seals.TestNextRunContinuesAfterACrash"},
	"IndexChartsFunction":    {"S3 ", "shared/charts.TestConcurrentEvents shared/charts.TestCrashAtEveryCall"},
	"IndexImagesFunction":    {"EventBridgeRule ScheduleV2 ", "functions/indeximages.TestPushes functions/indeximages.TestConcurrentEvents"},
	"RecordPullsFunction":    {"S3 CloudWatchLogs CloudWatchLogs ", pulls + "TestEveryPullIsCountedOnce " + pulls + "TestSlowRecorderLosesNothing"},
	"CountPullsFunction":     {"ScheduleV2 ", pulls + "TestCrashesCountOnce " + pulls + "TestSlowCounterCountsNothingTwice"},
	"RotateTokensFunction": {"ScheduleV2 ", rotation + "TestRotationResumesAfterACrash " + rotation + "TestNoticeIsSentAfterACrash " +
		rotation + "TestSimultaneousAttemptsOfAStepSucceed " + rotation + "TestARunThatLostItsLeaseStops"},
}

const (
	pulls    = "shared/pulls/pullsdynamo."
	rotation = "functions/rotatetokens."
)

var (
	resourceLine = regexp.MustCompile(`(?m)^  (\w+):$`)
	eventLine    = regexp.MustCompile(`(?m)^          Type: (\w+)$`)
)

//proves:docs/security.md
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
	known := map[string]string{}
	for function, consumer := range consumers {
		known[function] = consumer.events
		for name := range strings.FieldsSeq(consumer.tests) {
			wantTest(t, name)
		}
	}
	if !maps.Equal(found, known) {
		t.Errorf("template.yaml has the consumers %v; the tests know %v", found, known)
	}
}

// wantTest looks for a test in a folder of the repository.
func wantTest(t *testing.T, name string) {
	t.Helper()
	folder, function, _ := strings.Cut(name, ".")
	files, err := filepath.Glob(filepath.Join("..", "..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "func "+function+"(t *testing.T)") {
			return
		}
	}
	t.Errorf("%s does not exist", name)
}
