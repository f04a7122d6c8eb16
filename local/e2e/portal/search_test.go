package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// searched is what a person searches: users, projects and customers whose words begin as no others do. 25 of the users
// and of the projects have the same first word.
type searched struct {
	*e2etest.Stack

	page                    *browser.Page // of an admin
	ada, jose, engine, cafe string        // names
}

func newSearched(t *testing.T) searched {
	t.Helper()
	p := e2etest.Shared(t)
	s := searched{Stack: p, page: p.Portal.VisitAsNew(t, "boss", "admin"), ada: p.Word("Ada") + " " + p.Word("Byron"),
		jose: p.Word("José") + " " + p.Word("Álvarez"), engine: p.Word("Difference") + " " + p.Word("Engine"),
		cafe: p.Word("Café") + " " + p.Word("Noir")}
	return s
}

func (s searched) fillUsers(t *testing.T) {
	t.Helper()
	var file strings.Builder
	fmt.Fprintf(&file, "email,name,role\n%s,%s,user\n%s,%s,viewer\n", s.Email(s.Word("ada")), s.ada,
		s.Email(s.Word("jose")), s.jose)
	for i := range 25 {
		fmt.Fprintf(&file, "%s,%s Number %d,user\n", s.Email(fmt.Sprint("m", i)), s.Word("Maria"), i)
	}
	body := fmt.Sprintf(`{"format":"csv","sendActivationEmail":false,"text":%s}`, e2etest.QuoteJS(t, file.String()))
	s.Admin(t).Post("/v1/users/imports", body).WantStatus(http.StatusOK)
}

// fillProjects creates projects of a customer and returns the customer's ID.
func (s searched) fillProjects(t *testing.T) (customerID string) {
	t.Helper()
	customerID = s.CreateCustomer(t, "Acme Shipping", "acme")
	projects := []string{s.engine, s.cafe + `","status":"active`}
	for i := range 25 {
		projects = append(projects, fmt.Sprint(s.Word("Rollout"), " ", i))
	}
	for _, name := range projects {
		s.Admin(t).Post("/v1/projects", `{"customerId":"`+customerID+`","name":"`+name+`"}`).WantStatus(http.StatusCreated)
	}
	return customerID
}

func (s searched) fillCustomers(t *testing.T) {
	t.Helper()
	s.CreateCustomer(t, s.ada, s.Word("ship"), `"externalId":"`+s.Word("C-1815")+`"`)
	s.CreateCustomer(t, s.cafe, s.Word("noir-gmbh"))
}

func TestSearchUsers(t *testing.T) {
	s := newSearched(t)
	s.fillUsers(t)
	s.page.Open("/portal/users")
	for _, search := range []struct{ text, name string }{ // each with another result than the one before, so that the test sees the change
		{s.Word("byr"), s.ada}, {s.Word("JOSE ") + s.Word("A"), s.jose}, {" " + s.Word("ada ") + s.Word("b "), s.ada},
		{s.Word("alvarez"), s.jose}, {s.Word("ada@"), s.ada}, {s.Word("jose@te"), s.jose},
	} {
		t.Run(search.text, func(t *testing.T) {
			s.page.Fill(e2etest.SearchUsers, search.text)
			wantOneResult(t, s.page, search.name)
			s.page.WaitURL("/portal/users?q=" + url.QueryEscape(strings.TrimSpace(search.text)))
			if typed := s.page.Value(e2etest.SearchUsers); typed != search.text {
				t.Errorf("the field has %q, want %q", typed, search.text)
			}
		})
	}
	s.page.WaitGone(browser.Role("combobox", "Role"))
	s.page.Axe()
	s.page.Fill(e2etest.SearchUsers, s.Word("byron"))
	s.page.WaitURL("/portal/users?q=" + s.Word("byron"))
	s.page.Reload()
	wantOneResult(t, s.page, s.ada)
	if typed := s.page.Value(e2etest.SearchUsers); typed != s.Word("byron") {
		t.Errorf("after a reload, the field has %q", typed)
	}
	s.page.Click(browser.Link(s.ada))
	s.page.WaitFor(browser.Heading(s.ada))
}

func TestSearchProjects(t *testing.T) {
	s := newSearched(t)
	s.fillProjects(t)
	s.page.Open("/portal/projects")
	for _, search := range []struct{ text, name string }{{s.Word("cafe"), s.cafe}, {s.Word("eng"), s.engine},
		{s.Word("noir"), s.cafe}} {
		t.Run(search.text, func(t *testing.T) {
			s.page.Fill(e2etest.SearchProjects, search.text)
			wantOneResult(t, s.page, search.name)
		})
	}
	s.page.WaitGone(browser.Role("combobox", "Status"))
	s.page.Within(browser.Row(s.cafe)).WaitText("Administrator") // the owner
	s.page.Axe()
	s.page.Fill(e2etest.SearchProjects, s.Word("engine"))
	s.page.WaitURL("/portal/projects?q=" + s.Word("engine"))
	s.page.Reload()
	wantOneResult(t, s.page, s.engine)
	s.page.Click(browser.Link(s.engine))
	s.page.WaitFor(browser.Heading(s.engine))
}

func TestSearchCustomers(t *testing.T) {
	s := newSearched(t)
	s.fillCustomers(t)
	s.page.Open("/portal/customers")
	for _, search := range []struct{ text, name string }{
		{s.Word("cafe"), s.cafe}, {s.Word("c-18"), s.ada}, {s.Word("noir-g"), s.cafe}, {s.Word("ship"), s.ada},
	} {
		t.Run(search.text, func(t *testing.T) {
			s.page.Fill(e2etest.SearchCustomers, search.text)
			wantOneResult(t, s.page, search.name)
		})
	}
	s.page.WaitGone(browser.Role("combobox", "Status"))
	s.page.Axe()
}

// wantOneResult waits until the only row of the table has a link with the name, and its number is announced.
func wantOneResult(t *testing.T, page *browser.Page, name string) {
	t.Helper()
	page.WaitUntil("the result "+name, `document.querySelectorAll("main tbody tr").length === 1 &&
		document.querySelector("main tbody a").innerText === `+e2etest.QuoteJS(t, name))
	wantAnnounced(t, page, "1 result")
}

// wantAnnounced waits until screen readers have read the text.
func wantAnnounced(t *testing.T, page *browser.Page, text string) {
	t.Helper()
	page.WaitUntil("the announcement "+text,
		`document.querySelector("main [role=status]")?.innerText === `+e2etest.QuoteJS(t, text))
}

func TestSearchWithoutResult(t *testing.T) {
	page := e2etest.Shared(t).Portal.VisitAsNew(t, "boss", "admin")
	for _, list := range []struct{ path, label, hint string }{
		{"/portal/users", e2etest.SearchUsers, "The search finds users by the beginning of their email address"},
		{"/portal/projects", e2etest.SearchProjects, "The search finds projects by the beginning of their name"},
		{"/portal/customers", e2etest.SearchCustomers, "The search finds customers by the beginning of their slug"},
	} {
		t.Run(list.path, func(t *testing.T) {
			page.Open(list.path)
			page.Fill(list.label, "xyzzy")
			wantAnnounced(t, page, "No results")
			page.WaitText(list.hint)
			page.Axe()
		})
	}
}

// TestEndSearch ends a search by Escape, by an empty field, and by going back. The list, which has only projects of the
// customer, has its filter again.
func TestEndSearch(t *testing.T) {
	s := newSearched(t)
	s.Users.CreateOf(t, s.fillProjects(t), "clerk", "viewer")
	page := s.Portal.VisitAs(t, "clerk")
	page.Open("/portal/projects")
	page.Select("Status", "Active")
	page.WaitURL("/portal/projects?status=active")
	page.Fill(e2etest.SearchProjects, s.Word("rollout 2"))
	wantAnnounced(t, page, "6 results")
	page.Press("Escape")
	page.WaitURL("/portal/projects?status=active")
	page.WaitFor(browser.Link(s.cafe))
	page.WaitGone(browser.Link(s.Word("Rollout 2")))
	if typed, status := page.Value(e2etest.SearchProjects), page.Value("Status"); typed != "" || status != "active" {
		t.Errorf("after Escape, the fields have %q and %q", typed, status)
	}
	page.Fill(e2etest.SearchProjects, s.Word("engine"))
	wantOneResult(t, page, s.engine)
	page.Fill(e2etest.SearchProjects, s.Word("rollout 24"))
	wantOneResult(t, page, s.Word("Rollout 24"))
	page.Back() // to the list, and not to the first text
	page.WaitURL("/portal/projects?status=active")
	page.WaitUntil("the empty field", `document.querySelector("main input[type=search]").value === ""`)
	page.Fill(e2etest.SearchProjects, s.Word("engine"))
	wantOneResult(t, page, s.engine)
	page.Fill(e2etest.SearchProjects, "")
	page.WaitFor(browser.Link(s.cafe))
	page.WaitGone(browser.Link(s.engine))
}

func TestMoreResults(t *testing.T) {
	s := newSearched(t)
	s.fillUsers(t)
	s.fillProjects(t)
	page := s.page
	for _, search := range []struct{ path, text, label string }{
		{"/portal/users", s.Word("maria"), e2etest.SearchUsers}, {"/portal/projects", s.Word("rollout"), e2etest.SearchProjects},
	} {
		t.Run(search.path, func(t *testing.T) {
			page.Open(search.path + "?q=" + search.text)
			wantAnnounced(t, page, "The first 20 results")
			page.Axe()
			page.Click(browser.Button("Show more"))
			wantAnnounced(t, page, "25 results")
			page.WaitGone(browser.Button("Show more"))
			wantDifferentRows(t, page, 25)
			page.Fill(search.label, "nothing")
			wantAnnounced(t, page, "No results")
			page.Fill(search.label, search.text) // begins again
			wantAnnounced(t, page, "The first 20 results")
		})
	}
}

func wantDifferentRows(t *testing.T, page *browser.Page, want int) {
	t.Helper()
	if links := browser.Eval[int](page,
		`new Set([...document.querySelectorAll("main tbody a")].map(a => a.href)).size`); links != want {
		t.Errorf("the table has links to %d pages, want %d", links, want)
	}
}

// onlyEnterSearches stops the timer of 250 ms after which a search begins.
const onlyEnterSearches = `(() => {
	const later = setTimeout;
	globalThis.setTimeout = (call, delay) => delay === 250 ? 0 : later(call, delay);
	return true;
})()`

func TestSearchByKeyboard(t *testing.T) {
	s := newSearched(t)
	s.fillUsers(t)
	page := s.page
	page.Open("/portal/users")
	e2etest.Ready(page)
	browser.Eval[bool](page, onlyEnterSearches)
	e2etest.TabTo(t, page, e2etest.SearchUsers)
	page.Type(s.Word("maria"))
	page.WaitFor(browser.Role("combobox", "Role"))
	page.Press("Enter")
	wantAnnounced(t, page, "The first 20 results")
	if focus := page.Focused(); focus.Name != e2etest.SearchUsers {
		t.Errorf("the search moves the focus to %+v", focus)
	}
	e2etest.Press(t, page, "Show more")
	wantAnnounced(t, page, "25 results")
	page.WaitUntil("the focus on the first new result",
		`document.activeElement === document.querySelectorAll("main tbody a")[20]`)
	name := page.Focused().Name
	page.Press("Enter")
	page.WaitFor(browser.Heading(name))
}

// TestNewerSearch types another text while the first search runs, whose response must not replace the newer results.
func TestNewerSearch(t *testing.T) {
	s := newSearched(t)
	s.fillUsers(t)
	s.page.Open("/portal/users")
	e2etest.Ready(s.page)
	held := s.page.Network.Hold("*/v1/users/search*")
	for _, text := range []string{s.Word("alvarez"), s.Word("byron")} {
		s.page.Fill(e2etest.SearchUsers, text)
		held.WaitFor([]string{s.Info.Portal + "/v1/users/search?q=" + text + "&limit=20"})
	}
	held.Release("byron")
	wantOneResult(t, s.page, s.ada)
	held.Stop()
	s.page.Settle()
	wantOneResult(t, s.page, s.ada)
}

// TestSearchWithEmptyPages answers with pages that have no result although others follow. The portal loads on.
func TestSearchWithEmptyPages(t *testing.T) {
	const empty, row = `{"data":[],"pagination":{"limit":20,"hasMore":true,"next":"%s"}}`,
		`{"data":[{"id":"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e1%d","name":"Page %d","email":"p@example.com","role":"user",
		"status":"active","createdAt":"2026-03-02T09:15:30.250Z"}],"pagination":{"limit":20,"hasMore":%t,"next":%s}}`
	page := e2etest.Shared(t).Portal.VisitAsNew(t, "boss", "viewer")
	page.Open("/portal/users")
	stop := page.Network.RespondWith(func(address string) (int64, string) {
		parsed, err := url.Parse(address)
		if err != nil {
			return http.StatusBadRequest, "{}"
		}
		pages := map[string]string{
			"": fmt.Sprintf(empty, "b"), "b": fmt.Sprintf(empty, "c"), "c": fmt.Sprintf(row, 1, 1, true, `"d"`),
			"d": fmt.Sprintf(empty, "e"), "e": fmt.Sprintf(row, 2, 2, true, `"f"`), "f": `{"data":[],"pagination":{"limit":20,"hasMore":false,"next":null}}`,
		}
		return http.StatusOK, pages[parsed.Query().Get("cursor")]
	}, "*/v1/users/search*")
	defer stop()
	page.Fill(e2etest.SearchUsers, "page")
	wantAnnounced(t, page, "The first result")
	page.Click(browser.Button("Show more"))
	wantAnnounced(t, page, "The first 2 results")
	page.Click(browser.Button("Show more"))
	wantAnnounced(t, page, "2 results")
	page.WaitUntil("the focus on the last result", `document.activeElement.innerText === "Page 2"`)
}

// TestFailedSearch repeats a search that failed.
func TestFailedSearch(t *testing.T) {
	s := newSearched(t)
	s.fillUsers(t)
	s.page.Open("/portal/users")
	stop := s.page.Network.Respond("*/v1/users/search*", http.StatusServiceUnavailable,
		`{"detail":"Too much to do.","requestId":"r-8"}`)
	s.page.Fill(e2etest.SearchUsers, s.Word("byron"))
	s.page.WaitText("Too much to do.")
	s.page.Axe()
	stop()
	s.page.Click(browser.Button("Try again"))
	wantOneResult(t, s.page, s.ada)
}
