package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/core/calendar"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit"
	"portside/shared/testkit/awstest"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestPullsAreCountedOnce(t *testing.T) {
	client := awstest.DynamoDB(t)
	analytics := awstest.Table(t, client, "AnalyticsTable")
	store, out := pullsdynamo.New(client, awstest.Table(t, client, "PullsTable"), analytics), testkit.CaptureLogs(t)
	image := pulls.Pull{At: noon, Kind: pulls.Image, Repository: "acme/api", Reference: "1", CredentialID: "a",
		OwnerID: "ada"}
	chart := image
	chart.Kind = pulls.Chart
	if _, err := store.Record(t.Context(), []pulls.Pull{image, chart}); err != nil {
		t.Fatal(err)
	}
	for _, event := range []string{"schedule", "by-hand"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "events", "countpulls", event+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := count(store)(t.Context(), json.RawMessage(text)); err != nil {
			t.Errorf("%s: %v", event, err)
		}
	}
	day := calendar.DayOf(noon)
	used, err := analyticsdynamo.New(client, analytics).Usage(t.Context(), day, day)
	if err != nil || used[day] == nil || used[day].Charts != 1 || used[day].Images != 1 {
		t.Errorf("usage %+v, %v", used[day], err)
	}
	if logged := out.String(); strings.Count(logged, "\n") != 1 || !strings.Contains(logged, `"pulls":2`) {
		t.Errorf("the function logged %s", logged)
	}
}

type failingCounter struct{}

func (failingCounter) CountPending(context.Context) (int, error) { return 0, errAway }

var errAway = errors.New("away")

func TestErrorsFailTheInvocation(t *testing.T) {
	if err := count(failingCounter{})(t.Context(), nil); !errors.Is(err, errAway) {
		t.Errorf("error %v, want the store's", err)
	}
}
