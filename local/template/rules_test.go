package template_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"portside/local/template"
)

// The Rules and patterns of template.yaml refuse exactly the settings that cannot work or that send data unencrypted.
//
//proves:docs/security.md
func TestRulesOfProjectTemplateRefuseInvalidSettings(t *testing.T) {
	openai := map[string]string{"MediaEngine": "openai", "MediaModel": "m", "MediaModelUrl": "http://127.0.0.1:1/v1"}
	bedrock := map[string]string{"MediaEngine": "bedrock", "MediaModel": "m"}
	prices := map[string]string{"MediaInputPrice": "1", "MediaOutputPrice": "0"}
	domain := map[string]string{
		"DomainName": "portal.example.com", "CertificateArn": "arn:aws:acm:eu-central-1:123456789012:certificate/0192f3a1-0000",
	}
	const webACL = "arn:aws:wafv2:us-east-1:123456789012:global/webacl/portside/0192f3a1"
	edge := map[string]string{
		"EdgeCertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/0192f3a1-0001", "WebAclArn": webACL,
		"EdgeSecrets": "0123456789abcdefghijklmnop,ponmlkjihgfedcba9876543210",
	}
	vision, textract := map[string]string{"MediaVisionModel": "vision"}, map[string]string{"MediaReader": "textract"}
	checkSettings(t, []settings{
		{},
		{set: []map[string]string{openai}},
		{set: []map[string]string{bedrock}},
		{set: []map[string]string{openai, prices, vision}},
		{set: []map[string]string{bedrock, prices, vision}},
		{set: []map[string]string{prices}},
		{set: []map[string]string{textract}},
		{set: []map[string]string{openai, textract}},
		{set: []map[string]string{openai, textract, vision}, want: "MediaReader textract reads pictures without a MediaVisionModel"},
		{set: []map[string]string{{"MediaReader": "model"}}, want: "MediaReader"},
		{set: []map[string]string{domain}},
		{set: []map[string]string{domain, edge}},
		{set: []map[string]string{domain}, without: "CertificateArn", want: "Only one of DomainName and CertificateArn"},
		{set: []map[string]string{domain, edge}, without: "EdgeSecrets", want: "Only one of EdgeCertificateArn and EdgeSecrets"},
		{set: []map[string]string{domain, edge}, without: "EdgeCertificateArn", want: "Only one of EdgeCertificateArn and EdgeSecrets"},
		{set: []map[string]string{edge}, want: "EdgeCertificateArn needs a DomainName"},
		{set: []map[string]string{domain, {"WebAclArn": webACL}}, want: "WebAclArn needs an EdgeCertificateArn"},
		{set: []map[string]string{domain, edge, {"EdgeSecrets": "short"}}, want: "must be empty, or one or two texts"},
		{set: []map[string]string{{"AlarmTopicArn": "arn:aws:sns:eu-central-1:123456789012:alarms"}}},
		{set: []map[string]string{{"AlarmTopicArn": "alarms"}}, want: "must be empty, or the ARN of an SNS topic"},
		{set: []map[string]string{openai, {"MediaModelUrl": "https://models.example.com/v1"}}},
		{set: []map[string]string{openai, {"MediaModelUrl": "http://192.168.0.5:8080/v1"}}},
		{set: []map[string]string{openai, {"MediaModelUrl": "http://models.example.com/v1"}}, want: "or begin with https://"},
		{set: []map[string]string{openai, {"MediaModelUrl": "http://10.example.com/v1"}}, want: "or begin with https://"},
		{set: []map[string]string{openai, {"MediaModelUrl": "http://127.0.0.1@models.example.com/v1"}}, want: "or begin with https://"},
		{set: []map[string]string{{"BaseUrl": "http://localhost:3000"}}},
		{set: []map[string]string{{"BaseUrl": "http://portal.example.com"}}, want: "must be empty, or https://"},
		{set: []map[string]string{openai}, without: "MediaModel", want: "need a MediaModel;"},
		{set: []map[string]string{bedrock}, without: "MediaModel", want: "need a MediaModel;"},
		{set: []map[string]string{openai}, without: "MediaModelUrl", want: "needs a MediaModelUrl"},
		{set: []map[string]string{prices}, without: "MediaInputPrice", want: "Only one of MediaInputPrice"},
		{set: []map[string]string{openai, prices}, without: "MediaOutputPrice", want: "Only one of MediaInputPrice"},
		{set: []map[string]string{vision}, want: "MediaVisionModel needs MediaEngine bedrock or openai"},
	})
}

// The rules and patterns of copies and budgets refuse exactly what CloudFormation or AWS would refuse, or what would do
// nothing.
func TestRulesOfCopiesAndBudgetsRefuseInvalidSettings(t *testing.T) {
	copies := map[string]string{"BackupBucket": "acme-copies", "BackupBucketOwner": "123456789012"}
	budget := map[string]string{"MonthlyBudget": "50", "BudgetMail": "ops@example.com"}
	checkSettings(t, []settings{
		{set: []map[string]string{copies}},
		{set: []map[string]string{copies}, without: "BackupBucket", want: "Only one of BackupBucket and BackupBucketOwner"},
		{set: []map[string]string{copies}, without: "BackupBucketOwner", want: "Only one of BackupBucket and BackupBucketOwner"},
		{set: []map[string]string{copies, {"BackupBucket": "arn:aws:s3:::x"}}, want: "must be empty, or the name of a bucket"},
		{set: []map[string]string{budget}},
		{set: []map[string]string{budget}, without: "BudgetMail", want: "Only one of MonthlyBudget and BudgetMail"},
		{set: []map[string]string{budget}, without: "MonthlyBudget", want: "Only one of MonthlyBudget and BudgetMail"},
		{set: []map[string]string{budget, {"BudgetMail": "Ops <ops@example.com>"}}, want: "one email address without a name"},
	})
}

// settings are parameters of template.yaml, all of set except the one without.
type settings struct {
	set     []map[string]string
	without string
	want    string // error text; empty if the settings are valid
}

func checkSettings(t *testing.T, cases []settings) {
	t.Helper()
	for _, test := range cases {
		parameters := map[string]string{"ImageRepositories": "acme/*", "CorsAllowOrigins": "*"}
		for _, some := range test.set {
			maps.Copy(parameters, some)
		}
		delete(parameters, test.without)
		_, err := template.Load(filepath.Join("..", "..", "template.yaml"), template.Options{Parameters: parameters})
		if refused := err != nil; refused != (test.want != "") || refused && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", parameters, err, test.want)
		}
	}
}
