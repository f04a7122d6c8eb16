package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portside/local/browser"
)

const (
	searchUsers     = "Search by name or email address"
	searchProjects  = "Search by name"
	searchCustomers = "Search by name, slug or external ID"
)

// TestPortalSearch searches for users, projects and customers in a browser.
func TestPortalSearch(t *testing.T) {
	p := newTestStack(t)
	p.start(t, noRateLimit())
	fillSearches(t, p)
	page := p.visitAs(t, firstAdmin)
	t.Run("users", func(t *testing.T) { testSearchUsers(t, page) })
	t.Run("projects", func(t *testing.T) { testSearchProjects(t, page) })
	t.Run("customers", func(t *testing.T) { testSearchCustomers(t, page) })
	t.Run("no result", func(t *testing.T) { testSearchWithoutResult(t, page) })
	t.Run("back to the list", func(t *testing.T) { testEndSearch(t, page) })
	t.Run("more results", func(t *testing.T) { testMoreResults(t, page) })
	t.Run("only keys", func(t *testing.T) { testSearchByKeyboard(t, page) })
	t.Run("newer text", func(t *testing.T) { testNewerSearch(t, p, page) })
	t.Run("empty pages", func(t *testing.T) { testEmptyPages(t, page) })
	t.Run("failure", func(t *testing.T) { testFailedSearch(t, page) })
	p.checkNoSecretsLeaked(t)
}

// fillSearches creates users, projects and customers. 25 of the users and of the projects have the same first word.
func fillSearches(t *testing.T, p *testStack) {
	t.Helper()
	root := p.admin(t)
	var file strings.Builder
	file.WriteString("email,name,role\nada@example.com,Ada Byron,user\njose@example.com,José Álvarez,viewer\n")
	for i := range 25 {
		fmt.Fprintf(&file, "m%d@example.com,Maria Number %d,user\n", i, i)
		root.Post("/v1/projects", fmt.Sprintf(`{"name":"Rollout %d"}`, i)).WantStatus(http.StatusCreated)
	}
	body := fmt.Sprintf(`{"format":"csv","sendActivationEmail":false,"text":%s}`, quoteJS(t, file.String()))
	root.Post("/v1/users/imports", body).WantStatus(http.StatusOK)
	p.createCustomer(t, `{"name":"Acme Shipping","slug":"acme","externalId":"C-1815"}`)
	p.createCustomer(t, `{"name":"Café Noir","slug":"noir-gmbh"}`)
	root.Post("/v1/projects", `{"name":"Difference Engine"}`).WantStatus(http.StatusCreated)
	root.Post("/v1/projects", `{"name":"Café Noir","status":"active"}`).WantStatus(http.StatusCreated)
}

func testSearchUsers(t *testing.T, page *browser.Page) {
	page.Open("/portal/users")
	for _, search := range []struct{ text, name string }{ // each with another result than the one before, so that the test sees the change
		{"byr", "Ada Byron"}, {"JOSE A", "José Álvarez"}, {" ada b ", "Ada Byron"}, {"alvarez", "José Álvarez"}, {"ada@", "Ada Byron"},
		{"jose@ex", "José Álvarez"},
	} {
		page.Fill(searchUsers, search.text)
		wantOneResult(t, page, search.name)
		page.WaitURL("/portal/users?q=" + url.QueryEscape(strings.TrimSpace(search.text)))
		if typed := page.Value(searchUsers); typed != search.text {
			t.Errorf("the field has %q, want %q", typed, search.text)
		}
	}
	page.WaitGone(browser.Role("combobox", "Role"))
	page.Axe()
	page.Fill(searchUsers, "byron")
	page.WaitURL("/portal/users?q=byron")
	page.Reload()
	wantOneResult(t, page, "Ada Byron")
	if typed := page.Value(searchUsers); typed != "byron" {
		t.Errorf("after a reload, the field has %q", typed)
	}
	page.Click(browser.Link("Ada Byron"))
	page.WaitFor(browser.Heading("Ada Byron"))
}

func testSearchProjects(t *testing.T, page *browser.Page) {
	page.Open("/portal/projects")
	for _, search := range []struct{ text, name string }{{"cafe", "Café Noir"}, {"eng", "Difference Engine"}, {"noir", "Café Noir"}} {
		page.Fill(searchProjects, search.text)
		wantOneResult(t, page, search.name)
	}
	page.WaitGone(browser.Role("combobox", "Status"))
	page.Within(browser.Row("Café Noir")).WaitText("Administrator") // the owner
	page.Axe()
	page.Fill(searchProjects, "engine")
	page.WaitURL("/portal/projects?q=engine")
	page.Reload()
	wantOneResult(t, page, "Difference Engine")
	page.Click(browser.Link("Difference Engine"))
	page.WaitFor(browser.Heading("Difference Engine"))
}

func testSearchCustomers(t *testing.T, page *browser.Page) {
	page.Open("/portal/customers")
	page.WaitText("2 customers")
	for _, search := range []struct{ text, name string }{
		{"cafe", "Café Noir"}, {"c-18", "Acme Shipping"}, {"noir-g", "Café Noir"}, {"ship", "Acme Shipping"},
	} {
		page.Fill(searchCustomers, search.text)
		wantOneResult(t, page, search.name)
	}
	page.WaitGone(browser.Role("combobox", "Status"))
	page.Axe()
}

// wantOneResult waits until the only row of the table has a link with the name, and its number is announced.
func wantOneResult(t *testing.T, page *browser.Page, name string) {
	t.Helper()
	page.WaitUntil("the result "+name, `document.querySelectorAll("main tbody tr").length === 1 &&
		document.querySelector("main tbody a").innerText === `+quoteJS(t, name))
	wantAnnounced(t, page, "1 result")
}

// wantAnnounced waits until screen readers have read the text.
func wantAnnounced(t *testing.T, page *browser.Page, text string) {
	t.Helper()
	page.WaitUntil("the announcement "+text, `document.querySelector("main [role=status]")?.innerText === `+quoteJS(t, text))
}

func testSearchWithoutResult(t *testing.T, page *browser.Page) {
	for _, list := range []struct{ path, label, hint string }{
		{"/portal/users", searchUsers, "The search finds users by the beginning of their email address"},
		{"/portal/projects", searchProjects, "The search finds projects by the beginning of their name"},
		{"/portal/customers", searchCustomers, "The search finds customers by the beginning of their slug"},
	} {
		page.Open(list.path)
		page.Fill(list.label, "xyzzy")
		wantAnnounced(t, page, "No results")
		page.WaitText(list.hint)
		page.Axe()
	}
}

// testEndSearch ends a search by Escape, by an empty field, and by going back. The list has its filter again.
func testEndSearch(t *testing.T, page *browser.Page) {
	page.Open("/portal/projects")
	page.Select("Status", "Active")
	page.WaitURL("/portal/projects?status=active")
	page.Fill(searchProjects, "rollout 2")
	wantAnnounced(t, page, "6 results")
	page.Press("Escape")
	page.WaitURL("/portal/projects?status=active")
	page.WaitFor(browser.Link("Café Noir"))
	page.WaitGone(browser.Link("Rollout 2"))
	if typed, status := page.Value(searchProjects), page.Value("Status"); typed != "" || status != "active" {
		t.Errorf("after Escape, the fields have %q and %q", typed, status)
	}
	page.Fill(searchProjects, "engine")
	wantOneResult(t, page, "Difference Engine")
	page.Fill(searchProjects, "rollout 24")
	wantOneResult(t, page, "Rollout 24")
	page.Back() // to the list, and not to the first text
	page.WaitURL("/portal/projects?status=active")
	page.WaitUntil("the empty field", `document.querySelector("main input[type=search]").value === ""`)
	page.Fill(searchProjects, "engine")
	wantOneResult(t, page, "Difference Engine")
	page.Fill(searchProjects, "")
	page.WaitFor(browser.Link("Café Noir"))
	page.WaitGone(browser.Link("Difference Engine"))
}

func testMoreResults(t *testing.T, page *browser.Page) {
	for path, label := range map[string]string{"/portal/users?q=maria": searchUsers, "/portal/projects?q=rollout": searchProjects} {
		page.Open(path)
		wantAnnounced(t, page, "The first 20 results")
		page.Axe()
		page.Click(browser.Button("Show more"))
		wantAnnounced(t, page, "25 results")
		page.WaitGone(browser.Button("Show more"))
		wantDifferentRows(t, page, 25)
		page.Fill(label, "nothing")
		wantAnnounced(t, page, "No results")
		page.Fill(label, path[strings.Index(path, "=")+1:]) // begins again
		wantAnnounced(t, page, "The first 20 results")
	}
}

func wantDifferentRows(t *testing.T, page *browser.Page, want int) {
	t.Helper()
	if links := browser.Eval[int](page, `new Set([...document.querySelectorAll("main tbody a")].map(a => a.href)).size`); links != want {
		t.Errorf("the table has links to %d pages, want %d", links, want)
	}
}

// onlyEnterSearches stops the timer of 250 ms after which a search begins.
const onlyEnterSearches = `(() => {
	const later = setTimeout;
	globalThis.setTimeout = (call, delay) => delay === 250 ? 0 : later(call, delay);
	return true;
})()`

func testSearchByKeyboard(t *testing.T, page *browser.Page) {
	page.Open("/portal/users")
	ready(page)
	browser.Eval[bool](page, onlyEnterSearches)
	tabTo(t, page, searchUsers)
	page.Type("maria")
	page.WaitFor(browser.Role("combobox", "Role"))
	page.Press("Enter")
	wantAnnounced(t, page, "The first 20 results")
	if focus := page.Focused(); focus.Name != searchUsers {
		t.Errorf("the search moves the focus to %+v", focus)
	}
	press(t, page, "Show more")
	wantAnnounced(t, page, "25 results")
	page.WaitUntil("the focus on the first new result", `document.activeElement === document.querySelectorAll("main tbody a")[20]`)
	name := page.Focused().Name
	page.Press("Enter")
	page.WaitFor(browser.Heading(name))
}

// testNewerSearch types another text while the first search runs, whose response must not replace the newer results.
func testNewerSearch(t *testing.T, p *testStack, page *browser.Page) {
	page.Open("/portal/users")
	ready(page)
	held := page.Hold("*/v1/users/search*")
	for _, text := range []string{"alvarez", "byron"} {
		page.Fill(searchUsers, text)
		held.WaitFor([]string{p.info.Portal + "/v1/users/search?q=" + text + "&limit=20"})
	}
	held.Release("q=byron")
	wantOneResult(t, page, "Ada Byron")
	held.Stop()
	page.Settle()
	wantOneResult(t, page, "Ada Byron")
}

// testEmptyPages answers with pages that have no result although others follow. The portal loads on.
func testEmptyPages(t *testing.T, page *browser.Page) {
	const empty, row = `{"data":[],"pagination":{"limit":20,"hasMore":true,"next":"%s"}}`,
		`{"data":[{"id":"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e1%d","name":"Page %d","email":"p@example.com","role":"user",
		"status":"active","createdAt":"2026-03-02T09:15:30.250Z"}],"pagination":{"limit":20,"hasMore":%t,"next":%s}}`
	page.Open("/portal/users")
	stop := page.RespondWith(func(address string) (int64, string) {
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
	page.Fill(searchUsers, "page")
	wantAnnounced(t, page, "The first result")
	page.Click(browser.Button("Show more"))
	wantAnnounced(t, page, "The first 2 results")
	page.Click(browser.Button("Show more"))
	wantAnnounced(t, page, "2 results")
	page.WaitUntil("the focus on the last result", `document.activeElement.innerText === "Page 2"`)
}

// testFailedSearch repeats a search that failed.
func testFailedSearch(t *testing.T, page *browser.Page) {
	page.Open("/portal/users")
	stop := page.Respond("*/v1/users/search*", http.StatusServiceUnavailable, `{"detail":"Too much to do.","requestId":"r-8"}`)
	page.Fill(searchUsers, "byron")
	page.WaitText("Too much to do.")
	page.Axe()
	stop()
	page.Click(browser.Button("Try again"))
	wantOneResult(t, page, "Ada Byron")
}
