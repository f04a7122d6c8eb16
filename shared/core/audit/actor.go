package audit

import (
	"context"

	"portside/shared/core/principal"
)

// ActorKind says what kind of actor made a change.
type ActorKind string

// The kinds of actors.
const (
	Person    ActorKind = "user"      // with a credential of the user, or with a mailed link
	Workload  ActorKind = "workload"  // with a token of its platform; the ID names the trust policy
	Schedule  ActorKind = "schedule"  // a function of the service that a schedule, a queue or Secrets Manager started
	Operator  ActorKind = "operator"  // the operator's command, which works on the tables without the API
	Anonymous ActorKind = "anonymous" // a public operation, such as the report of a leaked token
)

// Actor is who made a change.
type Actor struct {
	Kind         ActorKind `json:"kind"`
	ID           string    `json:"id,omitempty"`           // of the user, or of the trust policy
	CustomerID   string    `json:"customerId,omitempty"`   // the user's customer; empty for the vendor's staff
	CredentialID string    `json:"credentialId,omitempty"` // public ID
	Name         string    `json:"name,omitempty"`         // of the function, the operator's account or the trust policy
	Address      string    `json:"address,omitempty"`      // from which the request came
}

type contextKey int

const (
	actorKey contextKey = iota
	sourceKey
)

// WithActor returns a context in which the actor makes changes. The actor replaces the caller of the request. For
// example, a person who follows a mailed link is the actor of a public request. The address does not change.
func WithActor(ctx context.Context, actor Actor) context.Context {
	return context.WithValue(ctx, actorKey, actor)
}

// Source is where a change came from.
type Source struct {
	RequestID string
	Address   string // IP address of the client; empty without a client
}

// WithSource returns a context in which changes come from the source.
func WithSource(ctx context.Context, source Source) context.Context {
	return context.WithValue(ctx, sourceKey, source)
}

// SourceIn returns where changes in the context come from.
func SourceIn(ctx context.Context) Source {
	source, _ := ctx.Value(sourceKey).(Source)
	return source
}

// ActorIn returns who makes changes in the context: the actor of WithActor, else the caller of the request, else an
// anonymous one.
func ActorIn(ctx context.Context) Actor {
	actor, isSet := ctx.Value(actorKey).(Actor)
	if !isSet {
		actor = callerIn(ctx)
	}
	if actor.Address == "" {
		actor.Address = SourceIn(ctx).Address
	}
	return actor
}

func callerIn(ctx context.Context) Actor {
	who, isKnown := principal.From(ctx)
	if !isKnown {
		return Actor{Kind: Anonymous}
	}
	return ActorOf(who)
}

// ActorOf returns the actor of requests with a credential.
func ActorOf(who principal.Principal) Actor {
	actor := Actor{Kind: Person, ID: who.UserID, CustomerID: who.CustomerID, CredentialID: who.CredentialID}
	if who.Workload {
		actor.Kind = Workload
	}
	return actor
}
