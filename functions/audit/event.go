package main

import (
	"encoding/json"
	"time"

	"portside/shared/core/audit"
	"portside/shared/web"
)

// AuditEvent is one change.
type AuditEvent struct {
	ID         string       `json:"id" doc:"ID of the event; never changes." example:"0660ca321473f7-mz3qcjv5tqk6yxw2n7l4hgb5ra"`
	Time       time.Time    `json:"time" doc:"UTC." example:"2026-11-21T08:30:00.125431Z"`
	Action     audit.Action `json:"action" doc:"What happened, as kind.verb." example:"user.update"`
	Actor      AuditActor   `json:"actor"`
	Target     AuditTarget  `json:"target"`
	CustomerID *string      `json:"customerId" doc:"ID of the target's customer; null if the target belongs to the vendor's staff." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
	RequestID  *string      `json:"requestId" doc:"The X-Request-Id of the response, or the ID of the function's invocation; null for the operator's command." example:"0HN4bRs0oAMEJ1w="`
	Before     web.Object   `json:"before" doc:"The fields that changed, as they were before. Empty for a creation."`
	After      web.Object   `json:"after" doc:"The fields that changed, as they were afterwards. Empty for a deletion."`
}

// AuditActor is who made a change.
type AuditActor struct {
	Kind         audit.ActorKind `json:"kind" enum:"user,workload,schedule,operator,anonymous" doc:"user: a person; workload: a pipeline or pod that exchanged a token of its platform; schedule: a function of the service; operator: the operator's command; anonymous: a public operation."`
	ID           *string         `json:"id" doc:"ID of the user, or of the trust policy of a workload." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	CustomerID   *string         `json:"customerId" doc:"ID of the actor's customer at that time; null for the vendor's staff."`
	CredentialID *string         `json:"credentialId" doc:"Public ID of the API key, session or token." example:"3vQB7B6MrGQZ"`
	Name         *string         `json:"name" doc:"Name of the function, or of the operator's account."`
	Address      *string         `json:"address" doc:"IP address of the client." example:"203.0.113.9"`
}

// AuditTarget is the changed resource.
type AuditTarget struct {
	Kind audit.Kind `json:"kind" doc:"Kind of the target." example:"user"`
	ID   string     `json:"id" example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
	Name *string    `json:"name" doc:"At the time of the event: the email address of a user, the slug of a customer, the name of a token." example:"ada@example.com"`
}

func encodeEvent(e audit.Event) AuditEvent {
	return AuditEvent{
		ID: e.ID, Time: e.Time, Action: e.Action,
		Actor: AuditActor{
			Kind: e.Actor.Kind, ID: web.NullIfZero(e.Actor.ID), CustomerID: web.NullIfZero(e.Actor.CustomerID),
			CredentialID: web.NullIfZero(e.Actor.CredentialID), Name: web.NullIfZero(e.Actor.Name), Address: web.NullIfZero(e.Actor.Address),
		},
		Target:     AuditTarget{Kind: e.Target.Kind, ID: e.Target.ID, Name: web.NullIfZero(e.Target.Name)},
		CustomerID: web.NullIfZero(e.CustomerID), RequestID: web.NullIfZero(e.RequestID),
		Before: encodeFields(e.Before), After: encodeFields(e.After),
	}
}

// encodeFields returns the fields as a JSON object. They were decoded from JSON, so they can be encoded.
func encodeFields(fields audit.Fields) web.Object {
	if len(fields) == 0 {
		return web.Object("{}")
	}
	text, _ := json.Marshal(fields)
	return text
}

// Events are a page. As CSV, they have a column for each part of the actor and the target.
type Events []AuditEvent

// Table implements web.Tabular.
func (all Events) Table() [][]string {
	records := [][]string{{
		"id", "time", "action", "actorKind", "actorId", "actorCustomerId", "credentialId", "actorName", "address",
		"targetKind", "targetId", "targetName", "customerId", "requestId", "before", "after",
	}}
	for _, e := range all {
		records = append(records, []string{
			e.ID, e.Time.Format(time.RFC3339Nano), string(e.Action), string(e.Actor.Kind), orEmpty(e.Actor.ID),
			orEmpty(e.Actor.CustomerID),
			orEmpty(e.Actor.CredentialID), orEmpty(e.Actor.Name), orEmpty(e.Actor.Address), string(e.Target.Kind), e.Target.ID,
			orEmpty(e.Target.Name), orEmpty(e.CustomerID), orEmpty(e.RequestID), string(e.Before), string(e.After),
		})
	}
	return records
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
