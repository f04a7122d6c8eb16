package iam

import (
	"fmt"
	"net/http"
	"net/mail"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ARN returns the ARN of a resource of a service.
type ARN func(service, resource string) string

// SES returns the Service that authorizes SES v2's SendEmail, for an identity with a default configuration set: SES
// then also asks for the permission for this set.
func SES(a *Authorizer, arn ARN) Service {
	return Service{Authorizer: a, DeniedStatus: http.StatusForbidden, Requests: func(_ *http.Request, body []byte) ([]Request, error) {
		var call struct {
			FromEmailAddress string
			Content          struct{ Raw *jsontext.Value }
		}
		if err := json.Unmarshal(body, &call); err != nil {
			return nil, fmt.Errorf("decode the call: %w", err)
		}
		action := "ses:SendEmail"
		if call.Content.Raw != nil {
			action = "ses:SendRawEmail"
		}
		from := call.FromEmailAddress
		if parsed, err := mail.ParseAddress(from); err == nil {
			from = parsed.Address
		}
		identity := from[strings.LastIndexByte(from, '@')+1:]
		sender := map[string][]string{"ses:FromAddress": {from}}
		return []Request{
			{Action: action, Resource: arn("ses", "identity/"+identity), Context: sender},
			{Action: action, Resource: arn("ses", "configuration-set/default"), Context: sender},
		}, nil
	}}
}

// SecretsManager returns the Service that authorizes calls of Secrets Manager.
func SecretsManager(a *Authorizer, arn ARN) Service {
	return Service{Authorizer: a, DeniedStatus: http.StatusBadRequest, Requests: func(r *http.Request, body []byte) ([]Request, error) {
		var call struct {
			SecretID string `json:"SecretId"`
			Name     string
		}
		if err := json.Unmarshal(body, &call); err != nil {
			return nil, fmt.Errorf("decode the call: %w", err)
		}
		id := call.SecretID
		if operationOf(r) == "CreateSecret" {
			id = call.Name
		}
		if !strings.HasPrefix(id, "arn:") {
			id = arn("secretsmanager", "secret:"+id+"-??????") // AWS adds six random characters
		}
		return []Request{{Action: "secretsmanager:" + operationOf(r), Resource: id}}, nil
	}}
}

// ECR returns the Service that authorizes calls of ECR that have no resource.
func ECR(a *Authorizer) Service {
	return Service{Authorizer: a, DeniedStatus: http.StatusBadRequest, Requests: func(r *http.Request, _ []byte) ([]Request, error) {
		return []Request{{Action: "ecr:" + operationOf(r), Resource: "*"}}, nil
	}}
}

// operationOf returns the operation of a call in AWS's JSON protocol.
func operationOf(r *http.Request) string {
	target := r.Header.Get("X-Amz-Target")
	return target[strings.LastIndexByte(target, '.')+1:]
}
