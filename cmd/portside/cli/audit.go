package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"portside/client"
)

func (a *app) auditCommand() *cobra.Command {
	return group("audit", "show who changed what", a.listAuditCommand())
}

func auditColumns() []column[client.AuditEvent] {
	return []column[client.AuditEvent]{
		{"time", "TIME", func(e client.AuditEvent) any { return e.Time }},
		{"action", "ACTION", func(e client.AuditEvent) any { return e.Action }},
		{"actorKind", "ACTOR", func(e client.AuditEvent) any { return string(e.Actor.Kind) }},
		{"actorId", "ACTOR ID", func(e client.AuditEvent) any { return e.Actor.ID }},
		{"targetName", "TARGET", func(e client.AuditEvent) any { return e.Target.Name }},
		{"targetId", "TARGET ID", func(e client.AuditEvent) any { return e.Target.ID }},
		{"address", "ADDRESS", func(e client.AuditEvent) any { return e.Actor.Address }},
		{"actorName", "", func(e client.AuditEvent) any { return e.Actor.Name }},
		{"actorCustomerId", "", func(e client.AuditEvent) any { return e.Actor.CustomerID }},
		{"credentialId", "", func(e client.AuditEvent) any { return e.Actor.CredentialID }},
		{"targetKind", "", func(e client.AuditEvent) any { return e.Target.Kind }},
		{"customerId", "", func(e client.AuditEvent) any { return e.CustomerID }},
		{"requestId", "", func(e client.AuditEvent) any { return e.RequestID }},
		{"before", "", func(e client.AuditEvent) any { return e.Before }},
		{"after", "", func(e client.AuditEvent) any { return e.After }},
		{"id", "", func(e client.AuditEvent) any { return e.ID }},
	}
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
	c.Flags().StringVar(&f.actor, "actor", "", "only changes by this `USER`, given by e-mail address or ID")
	c.Flags().StringVar(&f.customer, "customer", "", "only changes of what belongs to this `CUSTOMER`, given by slug or ID")
	c.Flags().StringVar(&f.user, "user", "", "only changes of this `USER`, given by e-mail address or ID")
	c.Flags().StringVar(&f.target, "target", "", "only changes of this `TARGET`, as kind:ID, such as a project")
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
		return nil, UsageError("give a month, or --from and --to")
	case f.user != "" && f.target != "":
		return nil, UsageError("--user and --target exclude each other")
	case isMonth:
		f.from, f.to = days.first, days.last
	}
	params := &client.ListAuditEventsParams{
		From: optional[string](f.from), To: optional[string](f.to), Target: optional[string](f.target),
		Action: optional[client.ListAuditEventsParamsAction](f.action),
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
	if f.user == "" {
		return params, nil
	}
	id, err := userID(ctx, api, f.user)
	params.Target = new("user:" + id)
	return params, err
}

func (a *app) listAuditCommand() *cobra.Command {
	var filters auditFilters
	var limit maxItems
	c := &cobra.Command{
		Use: "list", Short: "list the changes of the last 30 days, or of another period, newest first", Args: exactly(),
		Example: "  portside audit list --user ada@example.com\n  portside audit list --customer acme-shipping --action \"entitlement.*\"\n" +
			"  portside audit list --last-month --oldest --json-lines > audit.jsonl",
		RunE: func(c *cobra.Command, _ []string) error {
			if a.format.jsonLines && (a.format.json || a.format.csv) {
				return UsageError("--json-lines excludes --json and --csv")
			}
			api, err := a.connect()
			if err != nil {
				return err
			}
			params, err := filters.params(c.Context(), api, a.Now())
			if err != nil {
				return err
			}
			params.Limit = limit.page()
			return printList(a, auditColumns(), atMost(limit, api.AllAuditEvents(c.Context(), params)))
		},
	}
	filters.add(c)
	c.Flags().Var(&limit, "limit", "at most `N` changes")
	c.Flags().BoolVar(&a.format.jsonLines, "json-lines", false, "print the result as JSON Lines: one change per line")
	return a.printing(c)
}
