package invariants

import (
	"fmt"
	"strconv"
	"strings"

	"portside/shared/testkit/liststest"
)

// checkRequests compares what the credentials table derives from credential requests with the requests: the lists by
// user and status, the numbers of open requests, and the next steps.
func checkRequests(broken *report, all []row) {
	wanted, found := map[string]string{}, map[string]string{}
	open, holders, effects := map[string]int64{}, map[string]string{}, map[string]string{}
	for _, item := range all {
		switch {
		case item.kind() == "request":
			item.addPlaces(wanted)
			if item.Status == "pending" {
				open[item.User]++
			}
			checkCollected(broken, item, holders)
		case item.kind() == "requests" && item.SK == "open":
			if item.N != 0 {
				found[item.PK+" open"] = strconv.FormatInt(item.N, 10)
			}
		case item.madeEntitlement() || item.madePolicy():
			continue
		case item.kind() == "once" && nested(item.raw, "made") != nil: // keys of credentials have a sealed secret instead
			checkEffect(broken, "requests", effects, item)
		case item.kind() == "requests" || item.kind() == "requests-due":
			found[item.PK+" "+item.SK] = listedRequest
		}
	}
	for user, n := range open {
		wanted["requests#"+user+" open"] = strconv.FormatInt(n, 10)
	}
	compare(broken, "requests", wanted, found)
}

// listedRequest stands for an item of a list, which has only its key.
const listedRequest = "listed"

// addPlaces adds the items that lists of requests and of next steps have for a request.
func (r row) addPlaces(wanted map[string]string) {
	for _, list := range []string{"requests", "requests#" + r.User, "requests#" + r.Status,
		"requests#" + r.User + "#" + r.Status} {
		wanted[list+" "+r.ID] = listedRequest
	}
	if next := nested(r.raw, "next"); liststest.Number(next, "due") > 0 {
		wanted[fmt.Sprintf("requests-due %013d#%s", liststest.Number(next, "due"), r.ID)] = listedRequest
	}
}

// checkCollected checks that a collected request has one credential that no other request has.
func checkCollected(broken *report, request row, holders map[string]string) {
	credential := liststest.Text(request.raw, "credential")
	if request.Status == "collected" && credential == "" {
		broken.add("requests: %s is collected, but has no credential", request.ID)
	}
	if credential == "" {
		return
	}
	if other := holders[credential]; other != "" {
		broken.add("requests: %s and %s have the same credential %s", other, request.ID, credential)
	}
	holders[credential] = request.ID
	if by := liststest.Text(request.raw, "decidedBy"); by == "" || strings.EqualFold(by, request.User) {
		broken.add("requests: %s has a credential, but %q decided", request.ID, by)
	}
}
