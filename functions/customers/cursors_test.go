package main

import (
	"fmt"
	"net/http"
	"testing"

	"pgregory.net/rapid"

	"portside/shared/core/principal"
	"portside/shared/testkit/pagetest"
	"portside/testclient/scale"
)

// TestCursorsSurviveChanges follows the cursors of the lists of a customer, while items are created and deleted.
func TestCursorsSurviveChanges(t *testing.T) {
	o, customers := newFixture(t), 0
	root := o.asAdmin()
	for kind, body := range map[string]string{"/entitlements": `{"artifact":"chart","repository":"*"}`,
		"/trust-policies": builds} {
		rapid.Check(scale.ChecksOf(t, 10), func(r *rapid.T) {
			customers++
			list := o.create(fmt.Sprintf(`{"name":"C","slug":"c%d"}`, customers)) + kind
			var ids []string
			pagetest.Check(r, pagetest.List{
				Items: func() []string { return ids },
				Change: func(r *rapid.T) {
					if i := rapid.IntRange(-1, len(ids)-1).Draw(r, "which"); i >= 0 && rapid.Bool().Draw(r, "delete") {
						root.Delete(list + "/" + ids[i]).WantStatus(http.StatusNoContent)
						ids = append(ids[:i:i], ids[i+1:]...)
					} else if len(ids) < 20 { // a customer has at most 20 trust policies
						ids = append(ids, root.Post(list, body).WantStatus(http.StatusCreated).Text("data.id"))
					}
				},
				Page: func(limit int, cursor string) (page []string, next string) {
					target := fmt.Sprintf("%s?limit=%d", list, limit)
					if cursor != "" {
						target += "&cursor=" + cursor
					}
					response := root.Get(target).WantStatus(http.StatusOK).WantValue("pagination.total", len(ids))
					for i := range response.List("data") {
						page = append(page, response.Text(fmt.Sprintf("data.%d.id", i)))
					}
					next, _ = response.JSON("pagination.next").(string)
					return page, next
				},
			})
		})
	}
}

// TestCursorsOfCustomersGiveNothingToOthers forges cursors from those of a list that the caller may see.
//
//proves:docs/security.md
func TestCursorsOfCustomersGiveNothingToOthers(t *testing.T) {
	o := newFixture(t)
	acme, bolt := o.entitled("acme"), o.entitled("bolt")
	var ids []string
	for i := range 3 {
		ids = append(ids, o.asAdmin().Get(o.entitle(acme, fmt.Sprintf(`{"artifact":"chart","repository":"c%d"}`, i))).
			Text("data.id"))
		o.entitle(bolt, fmt.Sprintf(`{"artifact":"chart","repository":"b%d"}`, i))
	}
	member := o.withKey(o.userOf(acme[len("/v1/customers/"):len(acme)-len("/entitlements")], "ada@acme.example",
		principal.Admin))
	staffs := o.asAdmin().Get(acme + "?limit=1").Text("pagination.next")
	own := member.Get(acme + "?limit=1").WantStatus(http.StatusOK).Text("pagination.next")
	member.Get(acme+"?cursor="+own).WantStatus(http.StatusOK).WantValue("data.0.id", ids[1]).WantValue("data.2", nil)
	member.Get(acme+"?cursor="+staffs).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "query/cursor")
	member.Get(bolt + "?cursor=" + own).WantStatus(http.StatusNotFound)
	others := o.asAdmin().Get(bolt + "?limit=2").Text("pagination.next")
	forged := pagetest.Forge(t, own, pagetest.Position(t, others))
	member.Get(acme+"?cursor="+forged).WantStatus(http.StatusOK).WantValue("data.0.id", ids[2]).WantValue("data.1", nil)
	customer := member.Get("/v1/customers?limit=1").WantStatus(http.StatusOK).WantValue("pagination.next", nil)
	customer.WantValue("pagination.total", 1)
	for _, cursor := range []string{own, staffs, pagetest.Forge(t, own, "0")} {
		member.Get("/v1/customers?cursor="+cursor).WantStatus(http.StatusBadRequest).
			WantValue("errors.0.pointer", "query/cursor")
	}
}
