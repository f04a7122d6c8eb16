package crashes

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// scheduleFlows returns the flows that a schedule or a log starts.
func scheduleFlows() []flow {
	return []flow{
		{"send due mails", []string{"SendMailFunction"}, sendMails},
		{"count requests", []string{"CountUsageFunction"}, countRequests},
		{"rotate a secret", []string{"RotateTokensFunction"}, rotateSecret},
	}
}

// sendMails sends the mail of an imported user. A crash after SES has accepted the mail and before that is stored sends it again.
func sendMails(s *service) trial {
	email := s.email()
	s.admin().Post("/v1/users/imports", `{"format":"csv","sendActivationEmail":true,"text":"email,name,role\n`+email+`,Ada,user\n"}`).
		WantStatus(http.StatusOK)
	return trial{
		send:     s.invoke("SendMailFunction", "sendmail/schedule.json"),
		promised: mails{to: email, count: 1},
		check: func(last response) {
			s.wantDone(last)
			if n := len(s.mails(email)); n > 2 {
				s.t.Errorf("%d mails to %s", n, email)
			}
		},
	}
}

// served matches the line that the stack prints for each request to a function.
var served = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d\.\d{3}  \d{3}  [A-Z]+ `)

func countRequests(s *service) trial {
	counted := s.countedRequests
	requests := func() int { return len(served.FindAllString(s.log.String(), -1)) }
	return trial{
		send:   request(s.visitor(), http.MethodGet, "/v1/health", ""),
		settle: s.settled("the count of the requests", func() bool { return counted() >= requests() }),
		check: func(last response) {
			last.WantStatus(http.StatusOK)
			s.await("the count of the requests", func() bool { return counted() >= requests() })
			if got, want := counted(), requests(); got != want {
				s.t.Errorf("%d requests are counted, want %d", got, want)
			}
		},
	}
}

func rotateSecret(s *service) trial {
	owner := s.user("manager")
	name := "portside/" + strings.TrimPrefix(owner.at, "/v1/users/")
	s.command("manage-token", "--secret", name, "--owner", owner.email, "--scope", "read:helm-charts")
	s.wantDone(s.rotate(name)) // after the first rotation, which creates the token
	return trial{
		send:   func() response { return s.rotate(name) },
		settle: func() {}, // Secrets Manager itself repeats a step that has failed
		check: func(last response) {
			s.wantDone(last)
			s.bearer(s.secret(name)).Get("/charts/index.yaml").WantStatus(http.StatusOK)
			s.wantTokens(owner, 3)
		},
	}
}

// rotate rotates a secret. It waits while another rotation runs.
func (s *service) rotate(name string) response {
	r := response{Method: "ROTATE", Target: name, Status: http.StatusOK}
	var err error
	s.await("the rotation of "+name, func() bool {
		err = s.info.Rotate(s.t.Context(), name, func(string) {})
		return err == nil || !strings.Contains(err.Error(), "already running")
	})
	if err != nil {
		r.Status, r.Body = http.StatusInternalServerError, []byte(err.Error())
	}
	return r
}

// secret returns the token in the current value of a secret.
func (s *service) secret(name string) string {
	s.t.Helper()
	client := secretsmanager.New(secretsmanager.Options{
		Region: s.info.Region, BaseEndpoint: &s.info.SecretsManager, Credentials: s.keys(),
	})
	out, err := client.GetSecretValue(s.t.Context(), &secretsmanager.GetSecretValueInput{SecretId: &name})
	if err != nil {
		s.t.Fatal(err)
	}
	var value struct{ Token string }
	if err := json.Unmarshal([]byte(*out.SecretString), &value); err != nil {
		s.t.Fatal(err)
	}
	return value.Token
}

// command runs a command of the operator on the stack.
func (s *service) command(name string, args ...string) {
	s.t.Helper()
	operator := filepath.Join(filepath.Dir(s.data), "portside")
	if _, err := os.Stat(operator); err != nil {
		s.run("go", "-C", repository, "build", "-o", operator, "./cmd/portside")
	}
	s.run(operator, append([]string{name, "--local", s.data}, args...)...)
}

func (s *service) run(program string, args ...string) {
	s.t.Helper()
	if out, err := exec.CommandContext(s.t.Context(), program, args...).CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v\n%s", args[0], err, out)
	}
}

// countedRequests returns the number of requests that are counted on all days.
func (s *service) countedRequests() (sum int) {
	s.t.Helper()
	client := dynamodb.New(dynamodb.Options{Region: s.info.Region, BaseEndpoint: &s.info.DynamoDB, Credentials: s.keys()})
	out, err := client.Query(s.t.Context(), &dynamodb.QueryInput{
		TableName: aws.String(s.info.Tables["AnalyticsTable"]), ConsistentRead: aws.Bool(true),
		KeyConditionExpression:    aws.String("pk = :requests"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":requests": &types.AttributeValueMemberS{Value: "requests"}},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, day := range out.Items {
		if calls, isNumber := day["calls"].(*types.AttributeValueMemberN); isNumber {
			n, err := strconv.Atoi(calls.Value)
			if err != nil {
				s.t.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}
