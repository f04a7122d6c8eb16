package story

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestAuditOfTheStory is a story of two customers. The audit log lists every change of it and nothing else, and each
// customer sees only its own part. When the hours are sealed, verify-audit names exactly the event that the test
// changed, removed or added.
func TestAuditOfTheStory(t *testing.T) {
	s := begin(start(t))
	acme, globex := s.addBuyer("acme"), s.addBuyer("globex")
	s.hireUser(acme)
	s.signIn(acme)
	s.requestPassword(acme)
	s.exchangeToken(acme)
	s.changeEntitlement(acme)
	s.hireUser(globex)
	s.checkPart(acme, globex)
	s.suspend(acme)
	s.checkPart(globex, acme)
	log := s.checkChanges()

	l := s.seal(log)
	l.checkNoSecrets()
	l.verify(verified{exit: 0, output: "no event was changed, added or removed"})
	for _, e := range []event{log[0], log[len(log)/2], log[len(log)-1]} {
		l.checkChangedObject(e)
		l.checkChangedItem(e)
		l.checkRemovedItem(e)
		l.checkAddedItem(e)
	}
}

// event is an event in a response. A null field is empty here.
type event struct {
	ID     string
	Time   time.Time
	Action string
	Actor  struct {
		Kind, ID, CustomerID, CredentialID, Name, Address string
	}
	Target struct {
		Kind, ID, Name string
	}
	CustomerID, RequestID string
}

// change returns the event as the story expects it.
func (e event) change() change {
	actor := e.Actor.Kind
	if e.Actor.ID != "" {
		actor += " " + e.Actor.ID + " of " + e.Actor.CustomerID + " with " + e.Actor.CredentialID
	}
	return change{e.RequestID, actor, e.CustomerID, e.Action + " " + e.Target.Kind + " " + e.Target.ID}
}

// list returns all events that a person sees, the oldest first, and the text of all pages.
func (s *story) list(c client) (all []event, text string) {
	s.t.Helper()
	const list = "/v1/audit?order=oldest&limit=7"
	for at := list; ; {
		page := c.Get(at).WantStatus(http.StatusOK)
		var decoded struct {
			Data       []event
			Pagination struct{ Next string }
		}
		if err := json.Unmarshal(page.Body, &decoded); err != nil {
			s.t.Fatal(err)
		}
		all, text = append(all, decoded.Data...), text+string(page.Body)
		if decoded.Pagination.Next == "" {
			return all, text
		}
		at = list + "&cursor=" + decoded.Pagination.Next
	}
}

// checkChanges checks that the log has each change of the story once, and nothing else. It returns the log.
func (s *story) checkChanges() []event {
	s.t.Helper()
	all, _ := s.list(s.root.client)
	got := make([]change, len(all))
	for i, e := range all {
		got[i] = e.change()
		if isKnown := e.Actor.Address == "127.0.0.1"; isKnown != (e.Actor.Kind != "operator") {
			s.t.Errorf("%+v came from %q", got[i], e.Actor.Address)
		}
	}
	s.compare("the vendor", got, s.changes)
	return all
}

// compare compares the changes that a person sees with those of the story.
func (s *story) compare(who string, got, want []change) {
	s.t.Helper()
	for _, c := range want {
		if !slices.Contains(got, c) {
			s.t.Errorf("%s does not see %+v", who, c)
		}
	}
	for _, c := range got {
		if !slices.Contains(want, c) {
			s.t.Errorf("%s sees %+v, which is not in the story", who, c)
		}
	}
	if len(got) != len(want) {
		s.t.Errorf("%s sees %d changes, want %d", who, len(got), len(want))
	}
}

// checkPart checks that a customer sees all changes of what belongs to it, and nothing of the other one or of the
// vendor's people.
func (s *story) checkPart(b, other buyer) {
	s.t.Helper()
	all, text := s.list(b.client)
	var got, want []change
	for _, e := range all {
		got = append(got, e.change())
	}
	for _, c := range s.changes {
		if c.customer != b.customer {
			continue
		}
		if !strings.Contains(c.actor, b.customer) {
			c.actor = "user"
		}
		want = append(want, c)
	}
	s.compare(b.email, got, want)
	for _, hidden := range []string{other.customer, other.id, other.credential, other.email, s.root.id,
		s.root.credential} {
		if strings.Contains(text, hidden) {
			s.t.Errorf("%s sees %s", b.email, hidden)
		}
	}
	for _, filter := range []string{"customerId=" + other.customer, "actorId=" + other.id, "target=user:" + other.id,
		"actorId=" + s.root.id} {
		if a := b.Get("/v1/audit?" + filter); a.Status == http.StatusOK && len(a.List("data")) > 0 {
			s.t.Errorf("%s with %s: %s", b.email, filter, a)
		}
	}
}
