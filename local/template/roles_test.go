package template_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"portside/local/iam"
	"portside/local/template"
)

const rolesSource = `
Conditions: { "No": !Equals [a, b] }
Resources:
  Data: { Type: AWS::S3::Bucket }
  Access:
    Type: AWS::IAM::Policy
    Properties:
      PolicyName: bucket
      Roles: [!Ref WorkRole]
      PolicyDocument:
        Statement: { Effect: Deny, Action: "s3:Delete*", Resource: !Sub "${Data.Arn}/*" }
  WorkRole:
    Type: AWS::IAM::Role
    Properties:
      Policies:
        - PolicyName: access
          PolicyDocument:
            Statement:
              - { Effect: Allow, Action: [s3:GetObject, s3:PutObject], Resource: !Sub "${Data.Arn}/*" }
              - !If ["No", { Effect: Allow, Action: s3:*, Resource: "*" }, !Ref AWS::NoValue]
              - Effect: Allow
                Action: ses:SendEmail
                Resource: "*"
                Condition: { StringEquals: { "ses:FromAddress": [a@b, c@d] } }
  Work: { Type: AWS::Serverless::Function, Properties: { Role: !GetAtt WorkRole.Arn } }
  Other:
    Type: AWS::Serverless::Function
    Properties: { Policies: [{ Statement: [{ Effect: Allow, Action: a:b, Resource: c }] }] }
`

func TestParseReadsRoles(t *testing.T) {
	stack, err := template.Parse("template.yaml", []byte(rolesSource), template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const objects = "arn:aws:s3:::portside-data/*"
	want := []iam.Role{
		{ID: "WorkRole", Statements: []iam.Statement{
			{Actions: []string{"s3:GetObject", "s3:PutObject"}, Resources: []string{objects}},
			{Actions: []string{"ses:SendEmail"}, Resources: []string{"*"}, Conditions: []iam.Condition{
				{Operator: "StringEquals", Key: "ses:FromAddress", Values: []string{"a@b", "c@d"}},
			}},
			{IsDeny: true, Actions: []string{"s3:Delete*"}, Resources: []string{objects}},
		}},
		{ID: "OtherRole", Statements: []iam.Statement{{Actions: []string{"a:b"}, Resources: []string{"c"}}}},
	}
	if diff := cmp.Diff(want, stack.Roles); diff != "" {
		t.Error(diff)
	}
	if stack.Functions[0].Role != "WorkRole" || stack.Functions[1].Role != "OtherRole" {
		t.Errorf("the functions have the roles %s and %s", stack.Functions[0].Role, stack.Functions[1].Role)
	}
}
