package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"net/http"
	"time"

	"github.com/versity/versitygw/auth"

	"portside/local/iam"
)

// roles is an IAM service with the root account and the sessions of roles. Another process decides what a role permits.
type roles struct {
	auth.IAMService // has only the root account
	root            auth.Account
	url             string // of the iam.Authorizer; empty permits no sessions
	client          *http.Client
}

var (
	_ auth.SigningKeyProvider = (*roles)(nil)
	_ auth.PolicyEvaluator    = (*roles)(nil)
)

// askTimeout bounds the wait for the authorizer. Without its answer, the server refuses a request that the role may
// make.
const askTimeout = 30 * time.Second

func newRoles(root auth.Account, url string) *roles {
	transport := &http.Transport{MaxIdleConnsPerHost: 64} // uses no proxy
	return &roles{
		IAMService: auth.NewIAMServiceSingle(root), root: root, url: url,
		client: &http.Client{Timeout: askTimeout, Transport: transport},
	}
}

// DeriveSigningKey implements auth.SigningKeyProvider. Sessions have the secret of the root account.
//
//nolint:revive // argument-limit: the interface is versitygw's
func (r *roles) DeriveSigningKey(access, token, date, region, service string) ([]byte, auth.Account, error) {
	session := iam.Session{AccessKeyID: access, SessionToken: token}
	_, ok := session.RoleID()
	switch {
	case !iam.IsTemporary(access) && token == "":
		return nil, auth.Account{}, auth.ErrNoSuchUser // the caller handles the root account
	case !ok || r.url == "":
		return nil, auth.Account{}, auth.ErrInvalidSessionToken
	}
	account := auth.Account{Access: access, Role: auth.RoleUser, SessionToken: token, IsSession: true}
	return signingKey(r.root.Secret, date, region, service), account, nil
}

// signingKey derives the key of Signature Version 4.
func signingKey(secret string, scope ...string) []byte {
	key := []byte("AWS4" + secret)
	for _, part := range append(scope, "aws4_request") {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	return key
}

// EvaluatePolicy implements auth.PolicyEvaluator.
//
//nolint:revive // argument-limit: the interface is versitygw's
func (r *roles) EvaluatePolicy(
	access, token string, actions []auth.Action, resources []string, condition map[string][]string,
) (result auth.PolicyEvaluation, err error) {
	question := iam.Question{Session: iam.Session{AccessKeyID: access, SessionToken: token}}
	for _, resource := range resources {
		for _, action := range actions {
			question.Requests = append(question.Requests, iam.Request{
				Action: string(action), Resource: resource, Context: condition,
			})
		}
	}
	answer, err := r.ask(context.Background(), question)
	if err != nil {
		return result, err
	}
	result.PrincipalArn = answer.Principal
	setDecisions(&result.Decisions, answer.Decisions, len(actions))
	return result, nil
}

// ask asks the authorizer, or permits a form: versitygw names the bucket instead of its object, and roleBackend asks
// again with the object.
func (r *roles) ask(ctx context.Context, q iam.Question) (iam.Answer, error) {
	if len(q.Requests) == 1 && q.Requests[0].Action == string(auth.PutObjectAction) && isBucket(q.Requests[0].Resource) {
		return iam.Answer{Decisions: []iam.Decision{iam.Allow}}, nil
	}
	return iam.Ask(ctx, r.client, r.url, q)
}

// setDecisions fills a matrix whose element type versitygw does not export. Its values are those of iam.Decision.
func setDecisions[T ~int](matrix *[][]T, decisions []iam.Decision, columns int) {
	for len(decisions) > 0 {
		row := make([]T, columns)
		for i, decision := range decisions[:columns] {
			row[i] = T(decision)
		}
		*matrix, decisions = append(*matrix, row), decisions[columns:]
	}
}
