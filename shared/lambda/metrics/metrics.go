// Package metrics adds metrics to log records, in CloudWatch's embedded metric format (EMF). CloudWatch Logs extracts
// them from the lines that a function logs, so recording a metric needs no call and no permission.
//
// All metrics are in the namespace [Namespace] and have one dimension, the name of the function, which is unique in an
// account and region. The alarms and the dashboard of template.yaml use them.
package metrics

import (
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// Namespace is the namespace of all metrics in CloudWatch.
const Namespace = "Portside"

// Metric is one value. Its name is also the name of its field in the log record.
type Metric struct {
	name, unit string
	value      any
}

// Count returns a metric that counts something.
func Count(name string, n int) Metric { return Metric{name: name, unit: "Count", value: n} }

// Seconds returns a metric of a duration.
func Seconds(name string, d time.Duration) Metric {
	return Metric{name: name, unit: "Seconds", value: d.Seconds()}
}

// Fields returns the fields that make a log record carry the metrics, for slog's functions. at is the time of the
// metrics.
func Fields(at time.Time, all ...Metric) []any {
	described := make([]description, len(all))
	fields := make([]any, 0, 2*len(all)+4)
	for i, m := range all {
		described[i] = description{Name: m.name, Unit: m.unit}
		fields = append(fields, m.name, m.value)
	}
	return append(fields, "FunctionName", lambdacontext.FunctionName, "_aws", metadata{
		Timestamp: at.UnixMilli(),
		Directives: []directive{{
			Namespace: Namespace, Dimensions: [][]string{{"FunctionName"}}, Metrics: described,
		}},
	})
}

// metadata tells CloudWatch which fields of the record are metrics. Source: the specification of the embedded metric
// format in the user guide of CloudWatch.
type metadata struct {
	Timestamp  int64       `json:"Timestamp"` // Unix milliseconds
	Directives []directive `json:"CloudWatchMetrics"`
}

type directive struct {
	Namespace  string        `json:"Namespace"`
	Dimensions [][]string    `json:"Dimensions"`
	Metrics    []description `json:"Metrics"`
}

type description struct {
	Name string `json:"Name"`
	Unit string `json:"Unit"`
}
