package browser

import (
	"fmt"
	"testing"
)

// addButton adds a button without a name.
const addButton = `document.querySelector("main").append(document.createElement("button"))`

func TestAxe(t *testing.T) {
	page := open(t, site(t))
	page.Axe()
	failures := record(t, func(tb testing.TB) {
		broken := open(tb, page.base.String())
		broken.runScript("add a button without a name", addButton)
		broken.axeInAll([]Size{Phone, Desktop}, []Theme{Light, Dark})
	})
	wantFailures(t, failures, "light, 390 px: button-name", "dark, 390 px: button-name", "light, 1280 px", "dark, 1280 px")
}

// TestAxeChecksAStructureOnce opens a page again and again, and changes it in one way each. Only a structure that no
// page before had is checked.
func TestAxeChecksAStructureOnce(t *testing.T) {
	base := site(t)
	var checked structures
	for _, step := range []struct {
		change    string
		isChecked bool
	}{
		{`0`, true},
		{`0`, false},
		{`document.querySelector("h1").textContent = "Another page"`, false},
		{`document.querySelectorAll("tr")[1].remove()`, false}, // rows are data
		{`document.querySelector("#name").id = document.querySelector("label").htmlFor = "name-2"`, false},
		{`document.querySelector("a").href = "/file?id=7"`, false},
		{`document.querySelector("caption").textContent = ""`, true},
		{`document.querySelector("h1").className = "pale"`, true},
		{`document.querySelector("#save").disabled = true`, true},
		{`document.querySelector("#copy").ariaLabel = "Copy the link"`, true},
		{`document.querySelector("#copy").ariaLabel = "Copy the address"`, false},
		{`document.querySelector("#copy").removeAttribute("aria-label")`, false}, // checked before
		{`document.querySelector("#result").hidden = true`, true},
		{`document.querySelector("#result").role = "alert"`, true},
		{`document.querySelector("a").href = "#form"`, true},
		{`document.querySelector("tr").append(document.createElement("td"))`, true},
	} {
		page := open(t, base)
		page.runScript("change the page", step.change)
		if isChecked := page.axeOnce(&checked); isChecked != step.isChecked {
			t.Errorf("after %s, checked: %v, want %v", step.change, isChecked, step.isChecked)
		}
	}
	label := func(text string) string {
		return fmt.Sprintf(`document.querySelector("#copy").textContent = "", document.querySelector("#copy").ariaLabel = %q`, text)
	}
	failures := record(t, func(tb testing.TB) {
		page := open(tb, base)
		page.runScript("label the button", label("Copy"))
		page.axeOnce(&checked)
		page.runScript("remove the label", label(""))
		page.axeOnce(&checked)
		page.axeOnce(&checked) // a violation fails every test that meets it
	})
	wantFailures(t, failures, "light, 1280 px: button-name", "light, 1280 px: button-name")
}
