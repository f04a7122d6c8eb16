package rules_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// maxAlarmMetrics is the most metrics of a metric math expression that CloudWatch accepts in an alarm.
const maxAlarmMetrics = 10

// An alarm without instructions wakes people who then do not know what to do.
func TestEachAlarmHasARunbook(t *testing.T) {
	template, err := readTemplate(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile(root + "/docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	conditions := map[string]string{}
	for id, resource := range template.Resources {
		if resource.Type == "AWS::CloudWatch::Alarm" {
			conditions[id] = resource.Condition
		}
	}
	for section := range strings.SplitSeq(string(guide), "\n### ") {
		id, text, _ := strings.Cut(section, "\n")
		condition, isAlarm := conditions[id]
		if strings.HasSuffix(id, "Alarm") && !isAlarm {
			t.Errorf("docs/operations.md describes %s, which template.yaml does not have", id)
		}
		if saysFull := strings.HasPrefix(text, "\nOnly with `Monitoring=full`."); isAlarm &&
			saysFull != (condition == "HasFullMonitoring") {
			t.Errorf("docs/operations.md says %t of whether %s exists only with Monitoring=full", saysFull, id)
		}
		delete(conditions, id)
	}
	for id := range conditions {
		t.Run(id, func(t *testing.T) {
			t.Errorf("docs/operations.md has no section %q", "### "+id)
		})
	}
}

// CloudFormation reports too many metrics only during a deployment.
func TestAlarmsHaveFewEnoughMetrics(t *testing.T) {
	template, err := readTemplate(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	expressions := 0
	for id, resource := range template.Resources {
		if resource.Type != "AWS::CloudWatch::Alarm" {
			continue
		}
		var alarm struct {
			Metrics []struct {
				MetricStat *yaml.Node `yaml:"MetricStat"`
			} `yaml:"Metrics"`
		}
		if err := resource.Properties.Decode(&alarm); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		found := 0
		for _, metric := range alarm.Metrics {
			if metric.MetricStat != nil {
				found++
			}
		}
		if found > maxAlarmMetrics {
			t.Errorf("%s has %d metrics; CloudWatch accepts %d: add a second alarm", id, found, maxAlarmMetrics)
		}
		if found > 0 {
			expressions++
		}
	}
	if expressions == 0 {
		t.Error("found no alarm with an expression")
	}
}

// The lists of alarms and of the dashboard name each function and table, so a new one is easily forgotten.
func TestEachFunctionAndTableIsWatched(t *testing.T) {
	template, err := readTemplate(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for id, resource := range template.Resources {
		for _, watcher := range watchers(t, id, resource.Type, &resource.Properties) {
			text, err := yaml.Marshal(template.Resources[watcher].Properties)
			if err != nil {
				t.Fatal(err)
			}
			if !regexp.MustCompile(`\b` + id + `\b`).Match(text) {
				t.Errorf("%s does not have %s", watcher, id)
			}
		}
	}
}

// The metrics of a table do not include what its indexes refuse, so each index has its own.
func TestEachIndexIsWatched(t *testing.T) {
	template, err := readTemplate(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	var want []string // table and index
	for id, resource := range template.Resources {
		if resource.Type != "AWS::DynamoDB::Table" {
			continue
		}
		var table struct {
			GlobalSecondaryIndexes []struct {
				IndexName string `yaml:"IndexName"`
			} `yaml:"GlobalSecondaryIndexes"`
		}
		if err := resource.Properties.Decode(&table); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		for _, index := range table.GlobalSecondaryIndexes {
			want = append(want, id+" "+index.IndexName)
		}
	}
	slices.Sort(want)
	for alarm, metric := range map[string]string{
		"IndexWritesThrottledAlarm": "WriteThrottleEvents", "IndexReadsThrottledAlarm": "ReadThrottleEvents",
	} {
		var properties struct {
			Metrics []struct {
				MetricStat struct {
					Metric struct {
						MetricName string `yaml:"MetricName"`
						Dimensions []struct {
							Name  string `yaml:"Name"`
							Value string `yaml:"Value"`
						} `yaml:"Dimensions"`
					} `yaml:"Metric"`
				} `yaml:"MetricStat"`
			} `yaml:"Metrics"`
		}
		readProperties(t, alarm, &properties)
		var got []string
		for _, m := range properties.Metrics[1:] {
			values := map[string]string{}
			for _, dimension := range m.MetricStat.Metric.Dimensions {
				values[dimension.Name] = strings.TrimSuffix(strings.TrimPrefix(dimension.Value, "${AWS::StackName}-"),
					"${TableSuffix}")
			}
			if m.MetricStat.Metric.MetricName != metric || len(values) != 2 {
				t.Errorf("%s has the metric %s of %v, want %s of a table and an index", alarm, m.MetricStat.Metric.MetricName,
					values, metric)
			}
			got = append(got, values["TableName"]+" "+values["GlobalSecondaryIndexName"])
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s watches %q, want %q", alarm, got, want)
		}
	}
}

// watchers returns the alarms and the dashboard that must have the metrics of a resource.
func watchers(t *testing.T, id, kind string, properties *yaml.Node) []string {
	t.Helper()
	switch kind {
	case "AWS::DynamoDB::Table":
		return []string{"TableReadsThrottledAlarm", "TableWritesThrottledAlarm", "TransactionConflictsAlarm", "Dashboard"}
	case "AWS::Serverless::Function":
	default:
		return nil
	}
	var function struct {
		EventInvokeConfig *yaml.Node `yaml:"EventInvokeConfig"`
	}
	if err := properties.Decode(&function); err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	switch {
	case function.EventInvokeConfig != nil:
		return []string{"FailedInvocationsAlarm", "LateEventsAlarm", "DroppedEventsAlarm", "Dashboard"}
	case id == "MediaFunction": // its answers may take 25 seconds
		return []string{"ThrottledRequestsAlarm", "Dashboard"}
	case id == "AnonymousFunction": // an alarm has a limited number of metrics
		return []string{"ThrottledStrangersAlarm", "SlowAnswersAlarm", "Dashboard"}
	case id == "ChartsFunction", id == "ImagesFunction":
		return []string{"ThrottledDownloadsAlarm", "SlowDownloadsAlarm", "Dashboard"}
	}
	return []string{"ThrottledRequestsAlarm", "SlowAnswersAlarm", "Dashboard"}
}
