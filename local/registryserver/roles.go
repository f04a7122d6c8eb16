package main

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/distribution/distribution/v3/registry/api/errcode"

	"portside/local/ecr"
	"portside/local/iam"
)

// roles refuses requests with the login of a role that lacks the permission, as ECR does. A login without a role may do
// everything.
type roles struct {
	url    string // of the iam.Authorizer
	arn    string // prefix of the ARNs of repositories
	client *http.Client

	mu      sync.Mutex
	decided map[request]decision
}

// request is what a role wants to do.
type request struct{ role, action, resource string }

type decision struct {
	allowed bool
	at      time.Time
}

// decisionLife is how long a decision is used again, so that a request seldom waits for another process.
const decisionLife = 2 * time.Second

func newRoles(url, arn string) *roles {
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{}} // uses no proxy
	return &roles{url: url, arn: arn, client: client, decided: map[request]decision{}}
}

// Guard passes the permitted requests to next. Others get the error of ECR.
func (o *roles) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		_, role := ecr.SplitPassword(password)
		action, repository := actionOf(r)
		if role == "" || action == "" {
			next.ServeHTTP(w, r)
			return
		}
		allowed, err := o.allow(r.Context(), request{role, action, o.arn + repository})
		switch {
		case err != nil:
			_ = errcode.ServeJSON(w, errcode.ErrorCodeUnknown.WithMessage(err.Error())) // fails if the client is gone
		case !allowed:
			message := "User: " + role + " is not authorized to perform: " + action + " on resource: " + o.arn + repository
			_ = errcode.ServeJSON(w, errcode.ErrorCodeDenied.WithMessage(message))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func (o *roles) allow(ctx context.Context, r request) (bool, error) {
	o.mu.Lock()
	known, found := o.decided[r]
	o.mu.Unlock()
	if found && time.Since(known.at) < decisionLife {
		return known.allowed, nil
	}
	answer, err := iam.Ask(ctx, o.client, o.url, iam.Question{
		Session: iam.NewSession(r.role), Requests: []iam.Request{{Action: r.action, Resource: r.resource}}, IsUncounted: true,
	})
	if err != nil {
		return false, err
	}
	allowed := answer.Decisions[0] == iam.Allow
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.decided) > 10_000 {
		clear(o.decided)
	}
	o.decided[r] = decision{allowed, time.Now()}
	return allowed, nil
}

// actionOf returns the action that a request needs, and the repository. The action is empty for the request that checks
// the login.
//
// The actions for pulls are those of https://docs.aws.amazon.com/AmazonECR/latest/userguide/ECR_on_EKS.html. The list
// of repositories is not filtered, so it needs the permission for all of them (aws-amplify/amplify-cli#10828).
// AWS does not document the action for referrers.
func actionOf(r *http.Request) (action, repository string) {
	path, found := strings.CutPrefix(r.URL.Path, "/v2/")
	switch {
	case !found || path == "":
		return "", ""
	case path == "_catalog":
		return "ecr:DescribeRepositories", "*"
	}
	for part, action := range map[string]string{
		"/manifests/": "ecr:BatchGetImage", "/blobs/": "ecr:GetDownloadUrlForLayer", "/tags/list": "ecr:ListImages", "/referrers/": "ecr:BatchGetImage",
	} {
		if at := strings.LastIndex(path, part); at > 0 {
			if r.Method != http.MethodGet && r.Method != http.MethodHead {
				action = "ecr:PutImage"
			}
			return action, path[:at]
		}
	}
	return "ecr:PutImage", path
}
