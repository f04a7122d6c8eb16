package credentialrequests_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentialrequests"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/mail"
	"portside/shared/testkit/liststest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
	"portside/testclient/scale"
)

// company is a customer with a viewer for each request, so that mails name each request by the address of its
// requester.
type company struct {
	id      string
	viewers []principal.Principal
}

func (o *fixture) company(name string, viewers int) company {
	o.tb.Helper()
	c := company{id: uuid.NewString()}
	err := transactions.Write(o.tb.Context(), o.client, []types.TransactWriteItem{
		o.credentials.Customers.Add(c.id, customerstates.State{}),
	})
	if err != nil {
		o.tb.Fatal(err)
	}
	people := usersdynamo.New(o.client, o.usersTable, o.credentials, o.days)
	keys := users.NewKeys(people, people.Keys, o.clock)
	for i := range viewers {
		email := fmt.Sprintf("u%02d@%s.example", i, name)
		created, err := o.users.Create(o.tb.Context(), users.CreateOptions{Caller: principal.Operator()},
			users.NewUser{Email: email, Name: "Ada", Role: principal.Viewer, CustomerID: c.id})
		if err != nil {
			o.tb.Fatal(err)
		}
		key, err := keys.Create(o.tb.Context(), principal.Operator(), created.User.ID, users.NewKey{Name: "test"})
		if err != nil {
			o.tb.Fatal(err)
		}
		c.viewers = append(c.viewers, principal.Principal{
			UserID: created.User.ID, CustomerID: c.id, Role: principal.Viewer, CredentialID: key.Key.ID,
		})
	}
	return c
}

// office is the model of a history of requests and mails. It checks the mails to the approvers when they are sent.
type office struct {
	*fixture

	random    *rand.Rand
	companies []company
	next      []int             // the next viewer of each company
	pending   map[string]bool   // ids of requests without a decision
	waiting   map[string]string // the addresses of requesters without a decision that no mail has named yet, with their request
	told      map[string]int    // how many mails to an approver named a requester
	announced map[string][]time.Time
}

// Send implements credentialrequests.Mailer.
func (o *office) Send(_ context.Context, m mail.Message) error {
	if !strings.Contains(m.Subject, "waiting for your decision") {
		return nil
	}
	text := strings.NewReplacer("\u200c", "", "\n", " ").Replace(m.Text)
	domains := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		address := strings.Trim(word, "()")
		if !strings.HasSuffix(address, ".example") || address == m.To {
			continue
		}
		request, isWaiting := o.waiting[address]
		if !isWaiting || !o.pending[request] {
			o.tb.Errorf("a mail names %s, who has no request without a decision", address)
		}
		_, domain, _ := strings.Cut(address, "@")
		domains[domain] = true
		o.told[m.To+" "+address]++
	}
	if len(domains) != 1 {
		o.tb.Errorf("a mail is about requests of %d customers:\n%s", len(domains), text)
	}
	for domain := range domains {
		o.announced[m.To+" "+domain] = append(o.announced[m.To+" "+domain], o.now)
	}
	return nil
}

// approvers are the addresses of those who decide.
var approvers = []string{"grace@example.com", "joan@example.com"}

// TestApproversGetDigests draws requests of several customers, decisions, and runs of the schedule. A customer's
// request is announced at once if no mail about this customer was sent within the interval, whatever other customers
// do. Each approver gets at most two mails about a customer in an interval. In the end, each pending request was
// announced to each approver once, and no mail named one that was decided before.
//
//proves:docs/security.md
func TestApproversGetDigests(t *testing.T) {
	f := newFixture(t)
	for check := range scale.Of(8) {
		o := &office{
			fixture: f, random: rand.New(rand.NewPCG(scale.Seed(), uint64(check))),
			pending: map[string]bool{}, waiting: map[string]string{}, told: map[string]int{},
			announced: map[string][]time.Time{},
		}
		f.service.Mailer = o
		for n := range 2 {
			o.companies = append(o.companies, f.company(fmt.Sprintf("c%d-%d", check, n), 10))
		}
		o.next = make([]int, len(o.companies))
		for range 5 + o.random.IntN(25) {
			switch o.random.IntN(5) {
			case 0:
				o.decideSome()
			case 1:
				o.run(time.Duration(1+o.random.IntN(50)) * time.Minute)
			default:
				o.ask(o.random.IntN(len(o.companies)))
			}
		}
		o.run(2 * time.Hour)
		o.checkAllAnnounced()
	}
}

func (o *office) ask(n int) {
	c := o.companies[n]
	if o.next[n] == len(c.viewers) {
		return
	}
	who, address := c.viewers[o.next[n]], o.address(n, o.next[n])
	o.next[n]++
	_, domain, _ := strings.Cut(address, "@")
	sent := o.announced[approvers[0]+" "+domain]
	o.waiting[address] = ""
	o.pending[""] = true // while its id is not known
	made, err := o.service.Create(o.tb.Context(), who, base, credentialrequests.New{
		Level: credentialrequests.Charts, Justification: "why not",
	})
	if err != nil {
		o.tb.Fatal(err)
	}
	delete(o.pending, "")
	o.pending[made.Request.ID], o.waiting[address] = true, made.Request.ID
	wantMail := len(sent) == 0 || !o.now.Before(sent[len(sent)-1].Add(credentialrequests.DigestInterval))
	for _, approver := range approvers {
		if gotMail := o.told[approver+" "+address] > 0; gotMail != wantMail {
			o.tb.Errorf("%s was mailed about %s at once: %v, want %v", approver, address, gotMail, wantMail)
		}
	}
}

func (o *office) address(company, viewer int) string {
	user, err := o.users.Get(o.tb.Context(), principal.Operator(), o.companies[company].viewers[viewer].UserID)
	if err != nil {
		o.tb.Fatal(err)
	}
	return user.Email
}

func (o *office) decideSome() {
	ids := slices.Sorted(maps.Keys(o.pending))
	if len(ids) == 0 {
		return
	}
	id := ids[o.random.IntN(len(ids))]
	o.decide(id, o.random.IntN(2) > 0)
	delete(o.pending, id)
}

// run lets the time pass minute by minute, with a run of the schedule each.
func (o *office) run(d time.Duration) {
	for range int(d / time.Minute) {
		o.now = o.now.Add(time.Minute)
		if _, err := o.service.TakeDue(o.tb.Context()); err != nil {
			o.tb.Fatal(err)
		}
	}
}

func (o *office) checkAllAnnounced() {
	for address, id := range o.waiting {
		for _, approver := range approvers {
			told := o.told[approver+" "+address]
			if told > 1 || told == 0 && o.pending[id] {
				o.tb.Errorf("%d mails to %s name %s, whose request is pending: %v", told, approver, address, o.pending[id])
			}
		}
	}
	for what, times := range o.announced {
		for i := range len(times) - 2 {
			if times[i+2].Sub(times[i]) < credentialrequests.DigestInterval {
				o.tb.Errorf("three mails to %s at %v", what, times[i:i+3])
			}
		}
	}
}

// The request of a user who was deleted since has no effect on the mails about the requests of the staff and of other
// customers. Those of earlier releases do not name the customer of their user.
//
//proves:docs/security.md
func TestDeletedRequestersDelayNobody(t *testing.T) {
	for _, isOld := range []bool{false, true} {
		f := newFixture(t)
		c, other := f.company("acme", 3), f.company("beta", 1)
		for _, who := range c.viewers {
			f.ask(who)
		}
		if isOld {
			f.forgetCustomers()
		}
		for _, who := range c.viewers[1:] {
			if err := f.users.Delete(t.Context(), principal.Operator(), versions.Target{ID: who.UserID}); err != nil {
				t.Fatal(err)
			}
		}
		mails := len(f.mailer.sent)
		f.wait(credentialrequests.DigestInterval+time.Minute, 2)
		for _, customerID := range []string{"", c.id, other.id} {
			last, err := f.service.Store.Announced(t.Context(), customerID)
			if err != nil || last.After(f.now.Add(-time.Hour)) || len(f.mailer.sent) != mails {
				t.Errorf("customer %q: announced at %v, %d mails, %v", customerID, last, len(f.mailer.sent)-mails, err)
			}
		}
		f.ask(f.ada)
		f.ask(other.viewers[0])
		if got := len(f.mailer.sent) - mails; got != 4 {
			t.Errorf("%d mails at once about two requests to two approvers", got)
		}
	}
}

func (o *fixture) ask(who principal.Principal) {
	o.tb.Helper()
	wanted := credentialrequests.New{Level: credentialrequests.Charts, Justification: "why not"}
	if _, err := o.service.Create(o.tb.Context(), who, base, wanted); err != nil {
		o.tb.Fatal(err)
	}
}

// forgetCustomers makes all requests those of an earlier release.
func (o *fixture) forgetCustomers() {
	o.tb.Helper()
	for _, item := range liststest.Scan(o.tb, o.client, o.table) {
		if liststest.Text(item, "sk") != "request" {
			continue
		}
		_, err := o.client.UpdateItem(o.tb.Context(), &dynamodb.UpdateItemInput{
			TableName: &o.table, Key: items.Key(liststest.Text(item, "pk"), "request"),
			UpdateExpression: aws.String("REMOVE customer"),
		})
		if err != nil {
			o.tb.Fatal(err)
		}
	}
}
