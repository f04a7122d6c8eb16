package invariants

import (
	"slices"
	"strings"
	"time"

	"portside/shared/testkit/liststest"
)

// maxLineLive is how many tokens of one line may work at the same time.
const maxLineLive = 5

// credentialKinds are the kinds of items of the credentials table.
var credentialKinds = []string{
	"credential", "owner", "expires", "made", "notices", "notice", "count", "once", "line", "request", "requests", "requests-due",
	"requests-announced", "sign-in", "sign-ins-unsent", "known-browser", "passkey", "challenge", "revocations", "list", "rank", "expirynotices", "walks",
	"customer", "trust",
}

// table is the credentials table by kind of item.
type table struct {
	records  map[string]row // by id
	listings map[string]row
	expiries map[string]row
	tallies  map[string]row // by owner
}

// working reports whether nothing but the state of its owner keeps the credential from working.
func (r row) working(now time.Time) bool {
	return r.Revoked == 0 && (r.Expires == 0 || r.Expires > now.UnixMilli())
}

// staysListed reports whether the credential is a token or a password.
func (r row) staysListed() bool { return r.Kind == "pst" || r.Kind == "psp" }

func checkCredentials(broken *report, all []row, known owners, now time.Time) {
	read := table{map[string]row{}, map[string]row{}, map[string]row{}, map[string]row{}}
	ends := endsOf(all)
	for _, item := range all {
		item = item.endedBy(ends)
		if !slices.Contains(credentialKinds, item.kind()) {
			broken.add("credentials: %s has an unknown kind", item.PK)
		}
		read.addItem(item)
	}
	for _, record := range read.records {
		read.checkRecord(broken, record)
		checkOwner(broken, record, known, now)
	}
	read.checkLists(broken)
	read.checkTallies(broken, now)
	read.checkLines(broken, known, now)
	for _, item := range all {
		if _, exists := read.records[item.SK]; item.kind() == "made" && !exists {
			broken.add("credentials: %s says that it made %s, which does not exist", item.PK, item.SK)
		}
	}
}

// end is the last end of all credentials of a customer.
type end struct{ generation, at int64 }

// endsOf returns the ends of customers.
func endsOf(all []row) map[string]end {
	ends := map[string]end{}
	for _, item := range all {
		if item.isState() {
			ends[item.after()] = end{liststest.Number(item.raw, "generation"), liststest.Number(item.raw, "ended")}
		}
	}
	return ends
}

// endedBy returns the item as revoked if it is a record that has ended with all of its customer.
func (r row) endedBy(ends map[string]end) row {
	isInvitation := r.Kind == "psl" && r.Name == "activation"
	last := ends[customerOf(r)]
	if hasEnded := r.Generation < last.generation; hasEnded && r.kind() == "credential" && r.Revoked == 0 &&
		!isInvitation {
		r.Revoked = last.at
	}
	return r
}

func (t table) addItem(item row) {
	switch {
	case item.kind() == "credential" && !item.isExchanged(): // see checkPolicies
		t.records[item.ID] = item
	case item.kind() == "owner" && item.SK == "credentials":
		t.tallies[item.after()] = item
	case item.kind() == "owner" && strings.HasPrefix(item.SK, "credentials#"):
		t.listings[item.ID] = item
	case item.kind() == "expires":
		t.expiries[item.SK] = item
	}
}

// checkRecord checks the pointers to a credential.
func (t table) checkRecord(broken *report, record row) {
	listing, isListed := t.listings[record.ID]
	if wanted := record.Revoked == 0 || record.staysListed(); wanted && !isListed {
		broken.add("credentials: %s is not in the list of its owner", record.ID)
	}
	if isListed && (listing.after() != record.Owner || listing.Kind != record.Kind || listing.Expires != record.Expires) {
		broken.add("credentials: %s differs from its listing", record.ID)
	}
	day := time.UnixMilli(record.Expires).UTC().Format(time.DateOnly)
	if record.staysListed() && record.Expires > 0 && t.expiries[record.ID].after() != day {
		broken.add("credentials: %s expires on %s, but is listed under %q", record.ID, day, t.expiries[record.ID].after())
	}
	if record.Line != "" && record.Expires > record.LineEnds {
		broken.add("credentials: %s works longer than its line", record.ID)
	}
}

// checkOwner compares the owner's state on a credential with the owner. A closing says that the state is still on its
// way.
func checkOwner(broken *report, record row, known owners, now time.Time) {
	if !record.working(now) || known.closings[record.Owner] {
		return
	}
	user, exists := known.users[record.Owner]
	switch {
	case !exists:
		broken.add("credentials: %s is not revoked, but its owner %s does not exist", record.ID, record.Owner)
	case record.Kind != "psk" && !record.staysListed():
		return // a link works for a pending user, and an idle session is not changed
	case customerOf(record) != customerOf(user):
		broken.add("credentials: %s is of the customer %q, but its owner of %q", record.ID, customerOf(record),
			customerOf(user))
	case record.Active != (user.Status == "active"):
		broken.add("credentials: %s has active=%v, but its owner is %s", record.ID, record.Active, user.Status)
	case record.Kind == "psk" && record.Role != user.Role: // tokens and passwords have a role, but do not use it
		broken.add("credentials: %s has the role %s, but its owner is %s", record.ID, record.Role, user.Role)
	}
}

// checkLists checks that all pointers have a credential.
func (t table) checkLists(broken *report) {
	for id := range t.listings {
		if _, exists := t.records[id]; !exists {
			broken.add("credentials: %s is listed, but does not exist", id)
		}
	}
	for id := range t.expiries {
		if _, exists := t.records[id]; !exists {
			broken.add("credentials: %s has a day of expiry, but does not exist", id)
		}
	}
}

// checkTallies checks that tallies never count less than there is. They may count more, until the next credential is
// issued.
func (t table) checkTallies(broken *report, now time.Time) {
	working, issued := map[string]int64{}, map[string]int64{}
	for _, record := range t.records {
		issued[record.Owner]++
		if record.Kind != "pss" && record.working(now) {
			working[record.Owner]++
		}
	}
	for owner, count := range issued {
		tally := t.tallies[owner]
		if tally.Issued < count {
			broken.add("credentials: the tally of %s has %d issued, want at least %d", owner, tally.Issued, count)
		}
		if tally.Live < working[owner] {
			broken.add("credentials: the tally of %s has %d live, want at least %d", owner, tally.Live, working[owner])
		}
	}
}

// checkLines counts the working tokens of each line.
func (t table) checkLines(broken *report, known owners, now time.Time) {
	working := map[string]int{}
	for _, record := range t.records {
		if record.Line != "" && record.working(now) && !known.closings[record.Owner] {
			working[record.Line]++
		}
	}
	for line, count := range working {
		if count > maxLineLive {
			broken.add("credentials: the line %s has %d working tokens, want at most %d", line, count, maxLineLive)
		}
	}
}
