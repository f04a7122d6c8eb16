package portside_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// fixedNames has, for each type of resource, the properties that set its name. Such a name is unique in an account and region, or
// in all of AWS.
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
	template, err := readTemplate(os.DirFS("."))
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
func TestDataOutlivesTheStack(t *testing.T) {
	var template struct {
		Resources map[string]struct {
			Type                string `yaml:"Type"`
			DeletionPolicy      string `yaml:"DeletionPolicy"`
			UpdateReplacePolicy string `yaml:"UpdateReplacePolicy"`
		} `yaml:"Resources"`
	}
	source, err := os.ReadFile("template.yaml")
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
