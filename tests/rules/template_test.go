package rules_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"portside/shared/analytics/logs"
)

// fixedNames has, for each type of resource, the properties that set its name. Such a name is unique in an account and
// region, or in all of AWS.
var fixedNames = map[string][]string{
	"AWS::CloudWatch::Alarm":               {"AlarmName"},
	"AWS::CloudWatch::Dashboard":           {"DashboardName"},
	"AWS::DynamoDB::Table":                 {"TableName"},
	"AWS::IAM::ManagedPolicy":              {"ManagedPolicyName"},
	"AWS::IAM::Role":                       {"RoleName"},
	"AWS::KinesisFirehose::DeliveryStream": {"DeliveryStreamName"},
	"AWS::Logs::LogGroup":                  {"LogGroupName"},
	"AWS::Logs::MetricFilter":              {"FilterName"},
	"AWS::S3::Bucket":                      {"BucketName"},
	"AWS::SNS::Topic":                      {"TopicName"},
	"AWS::SQS::Queue":                      {"QueueName"},
	"AWS::Serverless::Function":            {"FunctionName"},
}

// A name that is the same in each stack makes the second stack of an account fail.
func TestTwoStacksFitIntoOneAccount(t *testing.T) {
	template, err := readTemplate(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for id, resource := range template.Resources {
		var properties map[string]yaml.Node
		if resource.Properties.Kind == 0 {
			continue
		}
		if err := resource.Properties.Decode(&properties); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		for name, value := range properties {
			if slices.Contains(fixedNames[resource.Type], name) && !strings.Contains(value.Value, "${AWS::StackName}") {
				t.Errorf("%s has a fixed %s; omit it, or put ${AWS::StackName} into it", id, name)
			}
		}
	}
}

// tablesWithoutValue are the tables that fill themselves again; see template.yaml.
func tablesWithoutValue() []string { return []string{"ImageVersionsTable", "RequestCountsTable"} }

// Tables and buckets stay if the stack is deleted, but not if its first deployment fails.
//
//proves:docs/security.md
func TestDataOutlivesTheStack(t *testing.T) {
	var template struct {
		Resources map[string]struct {
			Type                string `yaml:"Type"`
			DeletionPolicy      string `yaml:"DeletionPolicy"`
			UpdateReplacePolicy string `yaml:"UpdateReplacePolicy"`
		} `yaml:"Resources"`
	}
	source, err := os.ReadFile(root + "/template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(source, &template); err != nil {
		t.Fatal(err)
	}
	found := 0
	for id, r := range template.Resources {
		if r.Type != "AWS::DynamoDB::Table" && r.Type != "AWS::S3::Bucket" {
			continue
		}
		found++
		if slices.Contains(tablesWithoutValue(), id) {
			continue
		}
		if r.DeletionPolicy != "RetainExceptOnCreate" || r.UpdateReplacePolicy != "Retain" {
			t.Errorf("%s: DeletionPolicy %q, UpdateReplacePolicy %q; want RetainExceptOnCreate and Retain",
				id, r.DeletionPolicy, r.UpdateReplacePolicy)
		}
	}
	if found < 8 {
		t.Errorf("found only %d tables and buckets", found)
	}
}

// TestBucketsArePrivate reads who can reach the objects of each bucket, and how long earlier versions live.
//
//proves:docs/security.md
func TestBucketsArePrivate(t *testing.T) {
	versions := map[string]int{"ChartsBucket": 30, "AnalyticsBucket": 30, "AuditBucket": 3650} // days; the other buckets have none
	source, err := os.ReadFile(root + "/template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Resources map[string]bucketResource `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(source, &template); err != nil {
		t.Fatal(err)
	}
	found := 0
	for id, r := range template.Resources {
		if r.Type != "AWS::S3::Bucket" {
			continue
		}
		found++
		if policy := template.Resources[id+"Policy"].Properties.PolicyDocument; !strings.Contains(fmt.Sprint(policy), deniesWithoutTLS) {
			t.Errorf("%s accepts requests without TLS: %v", id, policy)
		}
		p := r.Properties
		if a := p.PublicAccessBlockConfiguration; !a.BlockPublicAcls || !a.BlockPublicPolicy || !a.IgnorePublicAcls ||
			!a.RestrictPublicBuckets {
			t.Errorf("%s can be public: %+v", id, a)
		}
		if len(p.BucketEncryption.ServerSideEncryptionConfiguration) != 1 {
			t.Errorf("%s is not encrypted", id)
		}
		days, isAborting := 0, false
		for _, rule := range p.LifecycleConfiguration.Rules {
			days += rule.NoncurrentVersionExpiration.NoncurrentDays
			isAborting = isAborting || rule.AbortIncompleteMultipartUpload.DaysAfterInitiation == 1
		}
		if days != versions[id] || (p.VersioningConfiguration.Status == "Enabled") != (days > 0) || !isAborting {
			t.Errorf("%s keeps earlier versions for %d days, want %d; incomplete uploads end after a day: %v", id, days,
				versions[id], isAborting)
		}
	}
	if found < 5 {
		t.Errorf("found only %d buckets", found)
	}
}

// Data that grows with requests must expire. A table or bucket without expiry needs a reason in the list below.
func TestStoredDataEnds(t *testing.T) {
	template, err := readTemplate(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	endless := map[string]string{
		"ImageVersionsTable": "an item for each version that the vendor pushed",
		"ChartsBucket":       "what the vendor published",
		"AuditBucket":        "evidence, which may be locked",
	}
	days := map[string]int{
		"MediaBucket": 1, "AnalyticsBucket": logs.KeptDays, "LogsBucket": 30, "FailedEventsBucket": 30, "FailedBatchesBucket": 30,
	}
	for id, resource := range template.Resources {
		if resource.Type != "AWS::DynamoDB::Table" && resource.Type != "AWS::S3::Bucket" {
			continue
		}
		var properties struct {
			TimeToLiveSpecification struct {
				AttributeName string `yaml:"AttributeName"`
				Enabled       bool   `yaml:"Enabled"`
			} `yaml:"TimeToLiveSpecification"`
			LifecycleConfiguration struct {
				Rules []struct {
					Status           string `yaml:"Status"`
					Prefix           string `yaml:"Prefix"`
					ExpirationInDays int    `yaml:"ExpirationInDays"`
				} `yaml:"Rules"`
			} `yaml:"LifecycleConfiguration"`
		}
		if err := resource.Properties.Decode(&properties); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		ends := properties.TimeToLiveSpecification.Enabled && properties.TimeToLiveSpecification.AttributeName == "purgeAt"
		for _, rule := range properties.LifecycleConfiguration.Rules {
			ends = ends || rule.Status == "Enabled" && rule.Prefix == "" && rule.ExpirationInDays > 0 &&
				rule.ExpirationInDays == days[id]
		}
		if (endless[id] == "") != ends {
			t.Errorf("the data of %s ends: %v; the reason to keep it: %q", id, ends, endless[id])
		}
	}
}

// The copies of a night are of all tables with value, and of the same minute, because credentials carry the status of
// their users.
//
//proves:docs/security.md
func TestAllTablesAreCopiedTogether(t *testing.T) {
	template, err := readTemplate(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	permissions, err := os.ReadFile(root + "/.ci/permissions.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, copying, _ := strings.Cut(string(permissions), "\nCopyTablesRole\n")
	copying, _, _ = strings.Cut(copying, "\n\n")
	schedules := map[string]bool{}
	for id, resource := range template.Resources {
		if resource.Type != "AWS::DynamoDB::Table" || slices.Contains(tablesWithoutValue(), id) {
			continue
		}
		var table struct {
			PointInTimeRecoverySpecification struct {
				PointInTimeRecoveryEnabled bool `yaml:"PointInTimeRecoveryEnabled"`
			} `yaml:"PointInTimeRecoverySpecification"`
		}
		if err := resource.Properties.Decode(&table); err != nil ||
			!table.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled {
			t.Errorf("%s has no point-in-time recovery, which an export needs (%v)", id, err)
		}
		var schedule struct {
			ScheduleExpression string `yaml:"ScheduleExpression"`
			FlexibleTimeWindow struct {
				Mode string `yaml:"Mode"`
			} `yaml:"FlexibleTimeWindow"`
			Target struct {
				Input string `yaml:"Input"`
			} `yaml:"Target"`
		}
		readProperties(t, "Copy"+id, &schedule)
		schedules[schedule.ScheduleExpression+" "+schedule.FlexibleTimeWindow.Mode] = true
		var export struct{ TableArn, S3Bucket, S3BucketOwner, S3Prefix string }
		if err := json.Unmarshal([]byte(schedule.Target.Input), &export); err != nil {
			t.Fatalf("Copy%s: %v", id, err)
		}
		if !strings.HasSuffix(export.TableArn, ":table/${AWS::StackName}-"+id+"${TableSuffix}") ||
			export.S3Prefix != "${AWS::StackName}/"+id ||
			export.S3Bucket != "${BackupBucket}" || export.S3BucketOwner != "${BackupBucketOwner}" {
			t.Errorf("Copy%s exports %+v", id, export)
		}
		if !strings.Contains(copying, "    on "+export.TableArn+"\n") {
			t.Errorf("CopyTablesRole must not export %s", id)
		}
	}
	if len(schedules) != 1 {
		t.Errorf("the tables are copied at different times: %v", schedules)
	}
	const adds = "  Allow s3:AbortMultipartUpload, s3:PutObject, s3:PutObjectAcl\n" +
		"    on arn:${AWS::Partition}:s3:::${BackupBucket}/${AWS::StackName}/*\n"
	if strings.Count(copying, "s3:") != strings.Count(adds, "s3:") || !strings.Contains(copying, adds) {
		t.Errorf("CopyTablesRole may do more than add objects:\n%s", copying)
	}
	if n := strings.Count(string(permissions), "ExportTableToPointInTime"); n != 1 {
		t.Errorf("%d roles may start exports, want 1", n)
	}
}

// A budget is useful only if it warns the operator before the money is spent.
func TestBudgetIsAnnouncedBeforeItIsSpent(t *testing.T) {
	var budget struct {
		Budget struct {
			BudgetLimit struct {
				Amount string `yaml:"Amount"`
			} `yaml:"BudgetLimit"`
		} `yaml:"Budget"`
		NotificationsWithSubscribers []struct {
			Notification struct {
				NotificationType string `yaml:"NotificationType"`
				Threshold        int    `yaml:"Threshold"`
			} `yaml:"Notification"`
			Subscribers []struct {
				Address string `yaml:"Address"`
			} `yaml:"Subscribers"`
		} `yaml:"NotificationsWithSubscribers"`
	}
	readProperties(t, "Budget", &budget)
	got := []string{budget.Budget.BudgetLimit.Amount}
	for _, n := range budget.NotificationsWithSubscribers {
		got = append(got, fmt.Sprint(n.Notification, n.Subscribers))
	}
	if want := []string{"MonthlyBudget", "{ACTUAL 80} [{BudgetMail}]",
		"{FORECASTED 100} [{BudgetMail}]"}; !slices.Equal(got, want) {
		t.Errorf("the budget and its notifications are %q, want %q", got, want)
	}
	if off := readParameters(t)["MonthlyBudget"].Default; off == nil || *off != "0" {
		t.Error("the budget is not off by default")
	}
}

// CloudWatch Logs may deliver a line as long as it has it, and an operator may count it again. It must not count twice.
func TestCountedLinesAreKnownLongerThanLogsAreKept(t *testing.T) {
	for _, text := range readParameters(t)["LogRetentionDays"].AllowedValues {
		days, err := strconv.Atoi(text)
		if known := int(logs.Retention.Hours()) / 24; err != nil || known < days+2 {
			t.Errorf("log groups may keep lines for %s days, and counted lines are known for %d (%v)", text, known, err)
		}
	}
}

// deniesWithoutTLS is a printed statement of a policy.
const deniesWithoutTLS = "Action:s3:* Condition:map[Bool:map[aws:SecureTransport:false]] Effect:Deny Principal:*"

// TestNobodyReplacesOrDeletesSeals reads what the policy of the audit bucket denies to everybody.
//
//proves:docs/security.md
func TestNobodyReplacesOrDeletesSeals(t *testing.T) {
	var policy struct {
		PolicyDocument any `yaml:"PolicyDocument"`
	}
	readProperties(t, "AuditBucketPolicy", &policy)
	const everywhere = "Effect:Deny Principal:* Resource:${AuditBucket.Arn}/*]"
	for _, want := range []string{
		"map[Action:s3:PutObject Condition:map[Null:map[s3:if-none-match:true]] " + everywhere,
		"map[Action:[s3:DeleteObject s3:DeleteObjectVersion] " + everywhere,
	} {
		if got := fmt.Sprint(policy.PolicyDocument); !strings.Contains(got, want) {
			t.Errorf("the policy lacks %s: %s", want, got)
		}
	}
}

// bucketResource has the properties of a bucket or of its policy.
type bucketResource struct {
	Type       string `yaml:"Type"`
	Properties struct {
		PolicyDocument   any `yaml:"PolicyDocument"`
		BucketEncryption struct {
			ServerSideEncryptionConfiguration []any `yaml:"ServerSideEncryptionConfiguration"`
		} `yaml:"BucketEncryption"`
		PublicAccessBlockConfiguration struct {
			BlockPublicAcls       bool `yaml:"BlockPublicAcls"`
			BlockPublicPolicy     bool `yaml:"BlockPublicPolicy"`
			IgnorePublicAcls      bool `yaml:"IgnorePublicAcls"`
			RestrictPublicBuckets bool `yaml:"RestrictPublicBuckets"`
		} `yaml:"PublicAccessBlockConfiguration"`
		VersioningConfiguration struct {
			Status string `yaml:"Status"`
		} `yaml:"VersioningConfiguration"`
		LifecycleConfiguration struct {
			Rules []struct {
				NoncurrentVersionExpiration struct {
					NoncurrentDays int `yaml:"NoncurrentDays"`
				} `yaml:"NoncurrentVersionExpiration"`
				AbortIncompleteMultipartUpload struct {
					DaysAfterInitiation int `yaml:"DaysAfterInitiation"`
				} `yaml:"AbortIncompleteMultipartUpload"`
			} `yaml:"Rules"`
		} `yaml:"LifecycleConfiguration"`
	} `yaml:"Properties"`
}
