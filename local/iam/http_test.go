package iam_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"portside/local/iam"
)

func arn(service, resource string) string {
	return "arn:aws:" + service + ":us-east-1:000000000000:" + resource
}

// send sends a call to a guard whose role allows nothing, and returns the answer and the actions and resources that it
// logs.
func send(t *testing.T, guard func(*iam.Authorizer) http.Handler, call *http.Request) (answer *httptest.ResponseRecorder, denied string) {
	t.Helper()
	a := iam.NewAuthorizer("000000000000", func(line string) { _, denied, _ = strings.Cut(line, "does not allow ") })
	a.SetRoles([]iam.Role{{ID: "WorkRole"}})
	answer = httptest.NewRecorder()
	guard(a).ServeHTTP(answer, call)
	return answer, denied
}

// signed returns a call of WorkRole.
func signed(t *testing.T, target, body string) *http.Request {
	t.Helper()
	session := iam.NewSession("WorkRole")
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Authorization",
		"AWS4-HMAC-SHA256 Credential="+session.AccessKeyID+"/20260101/us-east-1/x/aws4_request, Signature=0")
	r.Header.Set("X-Amz-Security-Token", session.SessionToken)
	r.Header.Set("X-Amz-Target", target)
	return r
}

// echo answers with the call's body, which a guard must leave readable.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })

func dynamoDB(a *iam.Authorizer) http.Handler {
	return iam.DynamoDB{
		Authorizer: a, TableARN: func(table string) string { return arn("dynamodb", "table/"+table) },
		PartitionKey: func(_, index string) string { return map[string]string{"": "pk", "byOwner": "owner"}[index] },
	}.Guard(echo)
}

func TestDynamoDBNamesActionResourceAndKeys(t *testing.T) {
	for name, test := range map[string]struct{ operation, body, want string }{
		"GetItem": {"GetItem", `{"TableName":"T","Key":{"pk":{"S":"a"},"sk":{"S":"b"}}}`, "dynamodb:GetItem on TABLE with dynamodb:LeadingKeys = a"},
		"PutItem": {"PutItem", `{"TableName":"T","Item":{"pk":{"N":"7"}}}`, "dynamodb:PutItem on TABLE with dynamodb:LeadingKeys = 7"},
		"Query": {"Query", `{"TableName":"T","KeyConditionExpression":"#0 = :0 AND sk > :1","ExpressionAttributeNames":{"#0":"pk"},` +
			`"ExpressionAttributeValues":{":0":{"S":"a"},":1":{"S":"b"}}}`, "dynamodb:Query on TABLE with dynamodb:LeadingKeys = a"},
		"Query of an index": {"Query", `{"TableName":"T","IndexName":"byOwner","KeyConditionExpression":"owner=:o",` +
			`"ExpressionAttributeValues":{":o":{"S":"ada"}}}`, "dynamodb:Query on TABLE/index/byOwner with dynamodb:LeadingKeys = ada"},
		"Scan": {"Scan", `{"TableName":"T"}`, "dynamodb:Scan on TABLE"},
		"BatchGetItem": {"BatchGetItem", `{"RequestItems":{"T":{"Keys":[{"pk":{"S":"a"}},{"pk":{"S":"b"}}]}}}`,
			"dynamodb:BatchGetItem on TABLE with dynamodb:LeadingKeys = a, b"},
		"BatchWriteItem": {"BatchWriteItem", `{"RequestItems":{"T":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}},{"DeleteRequest":{"Key":{"pk":{"S":"b"}}}}]}}`,
			"dynamodb:BatchWriteItem on TABLE with dynamodb:LeadingKeys = a, b"},
		"ConditionCheck": {"TransactWriteItems", `{"TransactItems":[{"ConditionCheck":{"TableName":"T","Key":{"pk":{"S":"a"}}}}]}`,
			"dynamodb:ConditionCheckItem on TABLE with dynamodb:LeadingKeys = a"},
		"Update": {"TransactWriteItems", `{"TransactItems":[{"Update":{"TableName":"T","Key":{"pk":{"S":"a"}}}}]}`,
			"dynamodb:UpdateItem on TABLE with dynamodb:LeadingKeys = a"},
		"Get": {"TransactGetItems", `{"TransactItems":[{"Get":{"TableName":"T","Key":{"pk":{"S":"a"}}}}]}`,
			"dynamodb:GetItem on TABLE with dynamodb:LeadingKeys = a"},
		"a transaction with members of a batch": {"TransactWriteItems", `{"RequestItems":{"Free":[]},"TransactItems":[{"Put":{"TableName":"T","Item":{"pk":{"S":"a"}}}}]}`,
			"dynamodb:PutItem on TABLE with dynamodb:LeadingKeys = a"},
		"a write with members of a transaction": {"PutItem", `{"TableName":"T","Item":{"pk":{"S":"a"}},"TransactItems":[{"Get":{"TableName":"Free"}}]}`,
			"dynamodb:PutItem on TABLE with dynamodb:LeadingKeys = a"},
		"a second table in other case": {"PutItem", `{"TableName":"T","tableName":"Free","Item":{"pk":{"S":"a"}},"item":{"pk":{"S":"free"}}}`,
			"dynamodb:PutItem on TABLE with dynamodb:LeadingKeys = a"},
		"a second write in other case": {"BatchWriteItem", `{"RequestItems":{"T":[{"PutRequest":{"Item":{"pk":{"S":"a"}}},"putRequest":{"Item":{"pk":{"S":"free"}}}}]}}`,
			"dynamodb:BatchWriteItem on TABLE with dynamodb:LeadingKeys = a"},
		"table by ARN": {"Scan", `{"TableName":"` + arn("dynamodb", "table/T") + `"}`, "dynamodb:Scan on TABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			answer, denied := send(t, dynamoDB, signed(t, "DynamoDB_20120810."+test.operation, test.body))
			if want := strings.Replace(test.want, "TABLE", arn("dynamodb", "table/T"), 1); denied != want {
				t.Errorf("denied %s, want %s", denied, want)
			}
			if answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), "#AccessDeniedException") {
				t.Errorf("%d %s", answer.Code, answer.Body)
			}
		})
	}
}

// TestMailsNeedTheConfigurationSet has a role that may use the identity, but not its default configuration set.
func TestMailsNeedTheConfigurationSet(t *testing.T) {
	a := iam.NewAuthorizer("000000000000", func(string) {})
	a.SetRoles([]iam.Role{{ID: "WorkRole", Statements: []iam.Statement{
		{Actions: []string{"ses:SendEmail"}, Resources: []string{arn("ses", "identity/*")}},
	}}})
	answer := httptest.NewRecorder()
	iam.SES(a, arn).Guard(echo).ServeHTTP(answer,
		signed(t, "", `{"FromEmailAddress":"a@b.example","Content":{"Simple":{}}}`))
	if answer.Code != http.StatusForbidden || !strings.Contains(answer.Body.String(), "configuration-set/default") {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}

func TestServicesNameActionAndResource(t *testing.T) {
	guards := map[string]func(*iam.Authorizer) http.Handler{
		"ses":     func(a *iam.Authorizer) http.Handler { return iam.SES(a, arn).Guard(echo) },
		"secrets": func(a *iam.Authorizer) http.Handler { return iam.SecretsManager(a, arn).Guard(echo) },
		"ecr":     func(a *iam.Authorizer) http.Handler { return iam.ECR(a).Guard(echo) },
	}
	for _, test := range []struct {
		service, target, body, want string
		status                      int
	}{
		{"ses", "", `{"FromEmailAddress":"Portside <a@b.example>","Content":{"Simple":{}}}`,
			"ses:SendEmail on " + arn("ses", "identity/b.example") + " with ses:FromAddress = a@b.example",
			http.StatusForbidden},
		{"ses", "", `{"FromEmailAddress":"a@b.example","Content":{"Raw":{"Data":"eA=="}}}`,
			"ses:SendRawEmail on " + arn("ses", "identity/b.example") + " with ses:FromAddress = a@b.example",
			http.StatusForbidden},
		{"secrets", "secretsmanager.GetSecretValue", `{"SecretId":"portside/acme"}`,
			"secretsmanager:GetSecretValue on " + arn("secretsmanager", "secret:portside/acme-??????"), http.StatusBadRequest},
		{"secrets", "secretsmanager.GetSecretValue", `{"SecretId":"portside/acme","secretId":"free","Name":"free"}`,
			"secretsmanager:GetSecretValue on " + arn("secretsmanager", "secret:portside/acme-??????"), http.StatusBadRequest},
		{"secrets", "secretsmanager.CreateSecret", `{"Name":"portside/acme","name":"free","SecretId":"free"}`,
			"secretsmanager:CreateSecret on " + arn("secretsmanager", "secret:portside/acme-??????"), http.StatusBadRequest},
		{"ses", "", `{"FromEmailAddress":"a@b.example","fromEmailAddress":"a@free.example","Content":{"Simple":{}}}`,
			"ses:SendEmail on " + arn("ses", "identity/b.example") + " with ses:FromAddress = a@b.example",
			http.StatusForbidden},
		{"secrets", "secretsmanager.PutSecretValue", `{"SecretId":"` + arn("secretsmanager", "secret:x-AbCdEf") + `"}`,
			"secretsmanager:PutSecretValue on " + arn("secretsmanager", "secret:x-AbCdEf"), http.StatusBadRequest},
		{"ecr", "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken", `{}`, "ecr:GetAuthorizationToken on *", http.StatusBadRequest},
	} {
		t.Run(test.want, func(t *testing.T) {
			answer, denied := send(t, guards[test.service], signed(t, test.target, test.body))
			if denied != test.want || answer.Code != test.status || answer.Header().
				Get("X-Amzn-Errortype") != "AccessDeniedException" {
				t.Errorf("%s: %d %s, denied %s, want %s", test.service, answer.Code, answer.Body, denied, test.want)
			}
		})
	}
	for _, service := range slices.Sorted(maps.Keys(guards)) {
		developer := signed(t, "", `{"a":1}`)
		developer.Header.Set("Authorization",
			"AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/x/aws4_request, Signature=0")
		if answer, _ := send(t, guards[service], developer); answer.Code/100 != 4 {
			t.Errorf("%s: a token with a permanent key: %d", service, answer.Code)
		}
		developer.Header.Del("X-Amz-Security-Token")
		if answer, _ := send(t, guards[service], developer); answer.Body.String() != `{"a":1}` {
			t.Errorf("%s: the developer gets %d %s", service, answer.Code, answer.Body)
		}
		forged := signed(t, "", `{}`)
		forged.Header.Del("X-Amz-Security-Token")
		answer, _ := send(t, guards[service], forged)
		if answer.Code/100 != 4 || answer.Header().Get("X-Amzn-Errortype") != "UnrecognizedClientException" {
			t.Errorf("%s: without the token: %d %s", service, answer.Code, answer.Body)
		}
	}
}

func TestGuardPassesAllowedCalls(t *testing.T) {
	a := iam.NewAuthorizer("000000000000", func(line string) { t.Error(line) })
	a.SetRoles([]iam.Role{{ID: "WorkRole", Statements: []iam.Statement{{
		Actions: []string{"dynamodb:PutItem"}, Resources: []string{arn("dynamodb", "table/T")},
		Conditions: []iam.Condition{{Operator: "ForAllValues:StringLike", Key: "dynamodb:LeadingKeys",
			Values: []string{"count#*"}}},
	}}}})
	const body = `{"TableName":"T","Item":{"pk":{"S":"count#1"}}}`
	answer := httptest.NewRecorder()
	dynamoDB(a).ServeHTTP(answer, signed(t, "DynamoDB_20120810.PutItem", body))
	if answer.Code != http.StatusOK || answer.Body.String() != body {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}

func FuzzDynamoDBGuard(f *testing.F) {
	f.Add("BatchWriteItem", `{"RequestItems":{"T":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}}]}}`)
	f.Add("TransactWriteItems", `{"TransactItems":[{"Update":null}]}`)
	f.Add("Query", `{"KeyConditionExpression":"a = :b"}`)
	f.Fuzz(func(t *testing.T, operation, body string) {
		if answer, _ := send(t, dynamoDB, signed(t, "DynamoDB_20120810."+operation, body)); answer.Code == http.StatusOK {
			t.Errorf("%s %s passes a role without statements", operation, body)
		}
	})
}
