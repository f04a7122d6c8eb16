package metrics_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/google/go-cmp/cmp"

	"portside/shared/lambda/metrics"
)

func TestRecordCarriesMetrics(t *testing.T) {
	before := lambdacontext.FunctionName
	lambdacontext.FunctionName = "portside-CountUsageFunction"
	t.Cleanup(func() { lambdacontext.FunctionName = before })
	var out bytes.Buffer
	at := time.Date(2026, 3, 2, 9, 0, 0, 5e6, time.UTC)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("log lines",
		metrics.Fields(at, metrics.Count("RejectedLines", 3), metrics.Seconds("LineDelay", 1500*time.Millisecond))...)
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	delete(got, "time")
	want := map[string]any{
		"level": "INFO", "msg": "log lines", "RejectedLines": 3.0, "LineDelay": 1.5, "FunctionName": "portside-CountUsageFunction",
		"_aws": map[string]any{"Timestamp": 1772442000005.0, "CloudWatchMetrics": []any{map[string]any{
			"Namespace": "Portside", "Dimensions": []any{[]any{"FunctionName"}}, "Metrics": []any{
				map[string]any{"Name": "RejectedLines", "Unit": "Count"}, map[string]any{"Name": "LineDelay", "Unit": "Seconds"},
			},
		}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
