package resources

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"portside/client"
	"portside/cmd/portside/cli"
)

func (a *app) auditCommand() *cobra.Command {
	return cli.Group("audit", "show who changed what", a.listAuditCommand())
}

// auditFields are the columns of CSV: the same, in the same order, as those of the API.
func auditFields() []cli.Column[client.AuditEvent] {
	return []cli.Column[client.AuditEvent]{
		cli.Field("id", "", func(e client.AuditEvent) any { return e.ID }),
		cli.Field("time", "", func(e client.AuditEvent) any { return e.Time }),
		cli.Field("action", "", func(e client.AuditEvent) any { return e.Action }),
		cli.Field("actorKind", "", func(e client.AuditEvent) any { return string(e.Actor.Kind) }),
		cli.Field("actorId", "", func(e client.AuditEvent) any { return e.Actor.ID }),
		cli.Field("actorCustomerId", "", func(e client.AuditEvent) any { return e.Actor.CustomerID }),
		cli.Field("credentialId", "", func(e client.AuditEvent) any { return e.Actor.CredentialID }),
		cli.Field("actorName", "", func(e client.AuditEvent) any { return e.Actor.Name }),
		cli.Field("address", "", func(e client.AuditEvent) any { return e.Actor.Address }),
		cli.Field("targetKind", "", func(e client.AuditEvent) any { return e.Target.Kind }),
		cli.Field("targetId", "", func(e client.AuditEvent) any { return e.Target.ID }),
		cli.Field("targetName", "", func(e client.AuditEvent) any { return e.Target.Name }),
		cli.Field("customerId", "", func(e client.AuditEvent) any { return e.CustomerID }),
		cli.Field("requestId", "", func(e client.AuditEvent) any { return e.RequestID }),
		cli.Field("before", "", func(e client.AuditEvent) any { return objectText(e.Before) }),
		cli.Field("after", "", func(e client.AuditEvent) any { return objectText(e.After) }),
	}
}

// objectText returns a JSON object. No fields are {}.
func objectText(fields map[string]any) string {
	if len(fields) == 0 {
		return "{}"
	}
	encoded, _ := json.Marshal(fields) // values that come from JSON can be encoded
	return string(encoded)
}

// auditColumns are the columns of a table, for people.
func auditColumns(n *names) []cli.Column[client.AuditEvent] {
	return []cli.Column[client.AuditEvent]{
		cli.Field("", "TIME", func(e client.AuditEvent) any { return e.Time }),
		cli.Field("", "ACTION", func(e client.AuditEvent) any { return e.Action }),
		cli.Field("", "ACTOR", func(e client.AuditEvent) any { return actorOf(e.Actor, n) }),
		cli.Field("", "CUSTOMER", func(e client.AuditEvent) any { return n.customer(e.CustomerID) }),
		cli.Field("", "TARGET", func(e client.AuditEvent) any { return e.Target.Name }),
		cli.Field("", "TARGET ID", func(e client.AuditEvent) any { return e.Target.ID }),
		cli.Field("", "CHANGED", func(e client.AuditEvent) any { return changedFields(e) }),
		cli.Field("", "ADDRESS", func(e client.AuditEvent) any { return e.Actor.Address }),
	}
}

// actorOf returns who made a change: the email address of a user, or the kind of another actor with its name or ID. The
// vendor's people have no ID in the events that users of customers see.
func actorOf(actor client.AuditActor, n *names) string {
	kind := string(actor.Kind)
	switch {
	case actor.Kind == client.AuditActorKindUser && actor.ID != nil:
		return n.user(actor.ID)
	case actor.Name != nil:
		return kind + " " + *actor.Name
	case actor.ID != nil:
		return kind + " " + *actor.ID
	}
	return kind
}

// changedFields returns the names of the fields that an event changed. Those of a creation or deletion are all fields,
// so it has none.
func changedFields(e client.AuditEvent) []string {
	if strings.HasSuffix(e.Action, ".create") || strings.HasSuffix(e.Action, ".delete") {
		return nil
	}
	fields := maps.Clone(e.Before)
	if fields == nil {
		fields = map[string]any{}
	}
	maps.Copy(fields, e.After)
	delete(fields, "version") // which each change increases
	return slices.Sorted(maps.Keys(fields))
}

// printEvents prints events. A table needs the names of the actors and the customers, which are not in the events.
func (a *app) printEvents(ctx context.Context, api *client.Client, events iter.Seq2[client.AuditEvent, error]) error {
	n := a.names(api)
	if !n.isTable {
		return cli.PrintList(a.App, auditFields(), events)
	}
	return cli.PrintList(a.App, auditColumns(n), inPages(ctx, events, func(page []client.AuditEvent) {
		var users, customers []*string
		for _, e := range page {
			if e.Actor.Kind == client.AuditActorKindUser {
				users = append(users, e.Actor.ID)
			}
			customers = append(customers, e.CustomerID)
		}
		n.lookUpUsers(ctx, users...)
		n.lookUpCustomers(ctx, customers...)
	}))
}

// auditFilters are the flags that select events.
type auditFilters struct {
	from, to, actor, customer, user, target, action string

	months monthFlags
	oldest bool
}

func (f *auditFilters) add(c *cobra.Command) {
	c.Flags().StringVar(&f.from, "from", "", "first `DAY` in UTC, such as 2026-10-01, or an RFC 3339 time")
	c.Flags().StringVar(&f.to, "to", "", "last `DAY` in UTC, included, or an RFC 3339 time")
	c.Flags().StringVar(&f.actor, "actor", "", "only changes by this `USER`, given by email address or ID")
	c.Flags().StringVar(&f.customer, "customer", "", "only changes of what belongs to this `CUSTOMER`, given by slug or ID")
	c.Flags().StringVar(&f.user, "user", "",
		"only changes of this `USER` itself, given by email address or ID: not those of the user's credentials and sessions")
	c.Flags().StringVar(&f.target, "target", "",
		"only changes of this `TARGET`, as kind:ID; customer: also takes a slug, and user: an email address")
	c.Flags().StringVar(&f.action, "action", "", "only this `ACTION`, such as user.update, or all actions of a kind, such as user.*")
	c.Flags().BoolVar(&f.oldest, "oldest", false, "the oldest changes first")
	f.months.add(c)
}

// params returns the parameters of the list. It looks up the names of users and of the customer.
func (f *auditFilters) params(ctx context.Context, api *client.Client, now time.Time) (*client.ListAuditEventsParams, error) {
	days, isMonth, err := f.months.days(now)
	switch {
	case err != nil:
		return nil, err
	case isMonth && (f.from != "" || f.to != ""):
		return nil, cli.UsageError("give a month, or --from and --to")
	case f.user != "" && f.target != "":
		return nil, cli.UsageError("--user and --target exclude each other")
	case isMonth:
		f.from, f.to = days.first, days.last
	}
	params := &client.ListAuditEventsParams{
		From: cli.Optional[string](f.from), To: cli.Optional[string](f.to),
		Action: cli.Optional[client.ListAuditEventsParamsAction](f.action),
	}
	if f.oldest {
		params.Order = new(client.ListAuditEventsParamsOrderOldest)
	}
	if params.ActorID, err = optionalUserID(ctx, api, f.actor); err != nil {
		return nil, err
	}
	if params.CustomerID, err = optionalCustomerID(ctx, api, f.customer); err != nil {
		return nil, err
	}
	params.Target, err = f.targetID(ctx, api)
	return params, err
}

// targetID returns the target as kind:ID, or nil if no flag names one. It looks up the slug of a customer and the
// address of a user.
func (f *auditFilters) targetID(ctx context.Context, api *client.Client) (*string, error) {
	kind, name, _ := strings.Cut(f.target, ":")
	if f.user != "" {
		kind, name = "user", f.user
	}
	find := map[string]func(context.Context, *client.Client, string) (string, error){"user": userID, "customer": customerID}[kind]
	if find == nil || name == "" {
		return cli.Optional[string](f.target), nil
	}
	id, err := find(ctx, api, name)
	return new(kind + ":" + id), err
}

func (a *app) listAuditCommand() *cobra.Command {
	var filters auditFilters
	var limit cli.MaxItems
	c := &cobra.Command{
		Use: "list", Short: "list the changes of the last 30 days, or of another period, newest first", Args: cli.Exactly(),
		Example: "  portside audit list --user ada@example.com\n  portside audit list --customer acme-shipping --action \"entitlement.*\"\n" +
			"  portside audit list --last-month --oldest --json-lines > audit.jsonl",
		RunE: func(c *cobra.Command, _ []string) error {
			if a.Format.JSONLines && (a.Format.JSON || a.Format.CSV) {
				return cli.UsageError("--json-lines excludes --json and --csv")
			}
			api, err := a.Connect()
			if err != nil {
				return err
			}
			params, err := filters.params(c.Context(), api, a.Now())
			if err != nil {
				return err
			}
			params.Limit = limit.Page()
			return a.printEvents(c.Context(), api, cli.AtMost(limit, api.AllAuditEvents(c.Context(), params)))
		},
	}
	filters.add(c)
	c.Flags().Var(&limit, "limit", "at most `N` changes")
	c.Flags().BoolVar(&a.Format.JSONLines, "json-lines", false, "print the result as JSON Lines: one change per line")
	return a.Printing(c)
}
