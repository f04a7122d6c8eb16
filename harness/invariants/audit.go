package invariants

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/testkit/liststest"
)

// event is an event of the audit log, as far as the checks need it.
type event struct {
	ID     string `json:"id"`
	Action string `json:"action"`
	Actor  struct {
		Kind string `json:"kind"`
	} `json:"actor"`
	Target struct {
		Kind string `json:"kind"`
		ID   string `json:"id"`
	} `json:"target"`
	CustomerID string                     `json:"customerId"`
	Before     map[string]json.RawMessage `json:"before"`
	After      map[string]json.RawMessage `json:"after"`
}

func (e event) target() string { return e.Target.Kind + "#" + e.Target.ID }

func (e event) verb() string {
	_, verb, _ := strings.Cut(e.Action, ".")
	return verb
}

// place orders the events of one target: its creation is the first, and its deletion the last. Between them, the
// version counts, because several events can have the same time. The times of credentials, which have no version,
// ascend.
func (e event) place() int64 {
	switch {
	case len(e.Before) == 0 && len(e.After) > 0:
		return -1
	case len(e.After) == 0 && len(e.Before) > 0:
		return 1 << 62
	}
	var version int64
	_ = json.Unmarshal(e.After["version"], &version) //nolint:errchkjson // credentials have none
	return version
}

// checkAudit replays the audit log: each event must continue the one before, and what results must be what the tables
// have.
func checkAudit(broken *report, log, secrets []row, others ...[]row) {
	byTarget := map[string][]event{}
	for _, item := range log {
		var e event
		if err := json.Unmarshal([]byte(liststest.Text(item.raw, "event")), &e); err != nil {
			if item.kind() == "day" {
				broken.add("audit: %s is not an event: %v", item.SK, err)
			}
			continue
		}
		if e.ID != item.SK || e.Actor.Kind == "" || liststest.Text(item.raw, "target") != e.target() {
			broken.add("audit: the item %s differs from its event %s", item.SK, e.ID)
		}
		byTarget[e.target()] = append(byTarget[e.target()], e)
	}
	checkSecrets(broken, byTarget, secrets)
	for _, events := range byTarget {
		slices.SortFunc(events, func(a, b event) int { return cmp.Or(cmp.Compare(a.place(), b.place()), cmp.Compare(a.ID, b.ID)) })
	}
	replayed := map[string]map[string]string{}
	for target, events := range byTarget {
		if endsWithAnother(target, events[0], byTarget) {
			continue
		}
		if state := replay(broken, target, events); state != nil {
			replayed[target] = state
		}
	}
	compare(broken, "audit", flat(replayed), flat(existing(slices.Concat(append(others, secrets)...))))
}

// endsWithAnother reports whether a target can have ended with its customer or its user, whose event is the only one
// then. The passkeys of a user end when the user is deleted, moved, suspended or signed out.
func endsWithAnother(target string, first event, byTarget map[string][]event) bool {
	switch kind, _, _ := strings.Cut(target, "#"); kind {
	case "entitlement", "trust_policy":
		return slices.ContainsFunc(byTarget["customer#"+first.CustomerID], func(e event) bool { return e.verb() == "delete" })
	case "passkey":
		var user string
		_ = json.Unmarshal(first.After["userId"], &user) //nolint:errchkjson // replay reports a missing user
		return slices.ContainsFunc(byTarget["user#"+user], endsPasskeys)
	}
	return false
}

func endsPasskeys(e event) bool {
	switch e.verb() {
	case "delete", "sign_out", "end_credentials":
		return true
	case "update":
		return e.Before["status"] != nil || string(e.Before["customerId"]) != string(e.After["customerId"])
	}
	return false
}

// checkSecrets checks that each credential but the mailed links was created by an event, and that those with the event
// of a revocation do not work. Credentials also end with their user or customer, which has a separate event.
func checkSecrets(broken *report, events map[string][]event, secrets []row) {
	for _, item := range secrets {
		if item.kind() != "credential" || item.Kind == "psl" {
			continue
		}
		all := slices.Concat(events["credential#"+item.after()], events["session#"+item.after()])
		isCreation := func(e event) bool { return len(e.Before) == 0 && len(e.After) > 0 && e.verb() != "refuse" }
		if !slices.ContainsFunc(all, isCreation) {
			broken.add("audit: no event has created the credential %s of kind %s", item.after(), item.Kind)
		}
		isRevoked := func(e event) bool { return e.verb() == "revoke" || e.verb() == "end" }
		if item.Revoked == 0 && slices.ContainsFunc(all, isRevoked) {
			broken.add("audit: the credential %s was revoked by an event, but works", item.after())
		}
	}
}

// replay returns the fields of a target after its events, or nil if it does not exist any more.
func replay(broken *report, target string, events []event) map[string]string {
	state := map[string]string{}
	for _, e := range events {
		for name, was := range e.Before {
			if name != "version" && state[name] != string(was) { // a new link changes the version of a user, but no field
				broken.add("audit: before %s of %s, %s was %s, but %q in the events before", e.Action, target, name, was,
					state[name])
			}
			delete(state, name)
		}
		for name, is := range e.After {
			state[name] = string(is)
		}
	}
	if last := events[len(events)-1]; len(last.After) == 0 && len(last.Before) > 0 {
		return nil
	}
	return state
}

// audited are the attributes of items, by the kind of their target and the field of events.
var audited = map[string]map[string]string{
	"user":         {"email": "email", "name": "name", "role": "role", "status": "status", "customerId": "customer", "department": "department"},
	"project":      {"name": "name", "status": "status", "ownerId": "owner", "customerId": "customer"},
	"customer":     {"name": "name", "slug": "slug", "status": "status", "externalId": "externalId"},
	"trust_policy": {"name": "name", "issuer": "issuer", "audience": "audience"},
	"entitlement":  {"artifact": "artifact", "repository": "repository", "versions": "versions"},
	"passkey":      {"name": "name"},
	"credential_request": {
		"userId": "user", "level": "level", "status": "status", "decidedBy": "decidedBy", "credentialId": "credential",
	},
}

// kindsOfItems are the kinds of targets that are stored as one item each, by the first part of its key.
var kindsOfItems = map[string]string{
	"user": "user", "project": "project", "customer": "customer", "trust": "trust_policy", "request": "credential_request",
}

// existing returns the audited fields of everything that exists, by target. Credentials are not in it: they end in too
// many ways.
func existing(items []row) map[string]map[string]string {
	found := map[string]map[string]string{}
	for _, item := range items {
		kind := kindsOfItems[item.kind()]
		switch {
		case kind == "customer" && item.SK == "entitlements":
			addElements(found, "entitlement", item)
		case item.kind() == "owner" && item.SK == "passkeys":
			addElements(found, "passkey", item)
		case kind == "customer" && liststest.Text(item.raw, "slug") == "":
			continue // its state for the authentication, or one of its lists
		case kind != "":
			found[kind+"#"+item.after()] = fieldsOf(kind, item.raw)
		}
	}
	return found
}

// addElements adds the targets that the list of an item has. The list has the name of the sort key.
func addElements(found map[string]map[string]string, kind string, item row) {
	list, _ := item.raw[item.SK].(*types.AttributeValueMemberL)
	if list == nil {
		return // see checkEntitled
	}
	for _, element := range list.Value {
		if one, isMap := element.(*types.AttributeValueMemberM); isMap {
			found[kind+"#"+liststest.Text(one.Value, "id")] = fieldsOf(kind, one.Value)
		}
	}
}

func fieldsOf(kind string, item liststest.Item) map[string]string {
	fields := map[string]string{}
	for field, attribute := range audited[kind] {
		if value := liststest.Text(item, attribute); value != "" {
			fields[field] = quoted(value)
		}
	}
	return fields
}

// quoted returns a text in JSON, with <, > and & as they are.
func quoted(value string) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) //nolint:errchkjson // a string
	return strings.TrimSuffix(text.String(), "\n")
}

// flat returns the audited fields of all targets, so that two sets of targets can be compared field by field.
func flat(targets map[string]map[string]string) map[string]string {
	all := map[string]string{}
	for target, state := range targets {
		kind, _, _ := strings.Cut(target, "#")
		if audited[kind] == nil {
			continue
		}
		all[target] = "exists"
		maps.Copy(all, named(target, kind, state))
	}
	return all
}

func named(target, kind string, state map[string]string) map[string]string {
	fields := map[string]string{}
	for field := range audited[kind] {
		if state[field] != "" {
			fields[target+" "+field] = state[field]
		}
	}
	return fields
}
