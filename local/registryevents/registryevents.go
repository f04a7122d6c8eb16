// Package registryevents stands for Amazon ECR's events in EventBridge: it receives the notifications of the registry
// engine and invokes the functions whose rules in the template match.
//
// A function that gets an event finds the pushed content in the registry: the engine's process sends notifications
// after the pushes that they are about.
//
// The path of the receiver contains a secret, because any web page can post to a local port. The engine retries a
// failed notification. It loses the unsent ones when it stops.
package registryevents

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"portside/local/async"
	"portside/local/template"
)

// maxBodyBytes is far above the size of the notifications that the engine sends together.
const maxBodyBytes = 1 << 20

// Config holds the parameters of New.
type Config struct {
	Rules             []template.Rule
	Region, AccountID string
	// Deliver receives the events for functions. It must not block.
	Deliver func(async.Event)
}

// Receiver is the HTTP handler to which the registry engine posts notifications.
type Receiver struct {
	config Config
	path   string
	rules  atomic.Pointer[[]template.Rule]
}

// New returns a receiver with the rules.
func New(c Config) *Receiver {
	r := &Receiver{config: c, path: "/" + rand.Text()}
	r.SetRules(c.Rules)
	return r
}

// Path returns the secret path at which the receiver accepts notifications.
func (r *Receiver) Path() string { return r.path }

// SetRules replaces the rules.
func (r *Receiver) SetRules(rules []template.Rule) { r.rules.Store(&rules) }

// notification is what the registry engine posts (distribution.github.io/distribution, "Notifications").
type notification struct {
	Events []struct {
		ID        string    `json:"id"`
		Timestamp time.Time `json:"timestamp"`
		Action    string    `json:"action"`
		Target    struct {
			MediaType  string `json:"mediaType"`
			Repository string `json:"repository"`
			Digest     string `json:"digest"`
			Tag        string `json:"tag"`
		} `json:"target"`
	} `json:"events"`
}

// actions maps the actions of the registry engine to those of Amazon ECR.
var actions = map[string]string{"push": "PUSH", "delete": "DELETE"}

// layers is the media type of layers in notifications. Amazon ECR sends no events about layers.
const layers = "application/octet-stream"

// ServeHTTP accepts notifications.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if subtle.ConstantTimeCompare([]byte(request.URL.Path), []byte(r.path)) != 1 {
		http.NotFound(w, request)
		return
	}
	var n notification
	if err := json.NewDecoder(http.MaxBytesReader(w, request.Body, maxBodyBytes)).Decode(&n); err != nil {
		http.Error(w, "the body is not a notification: "+err.Error(), http.StatusBadRequest)
		return
	}
	for _, e := range n.Events {
		if action := actions[e.Action]; action != "" && e.Target.MediaType != layers {
			r.notify(event{
				Version: "0", ID: e.ID, DetailType: "ECR Image Action", Source: "aws.ecr", Account: r.config.AccountID,
				Region: r.config.Region,
				Time:   e.Timestamp.UTC().Format(time.RFC3339), Resources: []string{},
				Detail: detail{"SUCCESS", e.Target.Repository, e.Target.Digest, action, e.Target.Tag},
			})
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

// event is an event of EventBridge.
type event struct {
	Version    string   `json:"version"`
	ID         string   `json:"id"`
	DetailType string   `json:"detail-type"`
	Source     string   `json:"source"`
	Account    string   `json:"account"`
	Time       string   `json:"time"`
	Region     string   `json:"region"`
	Resources  []string `json:"resources"`
	Detail     detail   `json:"detail"`
}

// detail is an image action of Amazon ECR.
type detail struct {
	Result     string `json:"result"`
	Repository string `json:"repository-name"`
	Digest     string `json:"image-digest,omitempty"`
	Action     string `json:"action-type"`
	Tag        string `json:"image-tag,omitempty"`
}

// notify invokes each function whose rule matches.
func (r *Receiver) notify(e event) {
	for _, rule := range *r.rules.Load() {
		if !slices.Contains(rule.Actions, e.Detail.Action) {
			continue
		}
		payload, err := json.Marshal(e)
		if err != nil {
			panic(err) // a struct of strings always marshals
		}
		r.config.Deliver(async.Event{
			Function: rule.Function, Payload: payload,
			Description: fmt.Sprintf("%s of %s:%s", e.Detail.Action, e.Detail.Repository, e.Detail.Tag),
		})
	}
}
