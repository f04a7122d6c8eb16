package entitlements

import (
	"strings"
	"time"

	"portside/shared/core/checks"
	"portside/shared/core/constraints"
	"portside/shared/core/entitlement"
	"portside/shared/core/fault"
)

// New is the input for a new entitlement.
type New struct {
	Artifact   entitlement.Artifact
	Repository string
	Versions   string // empty means all versions
	From       time.Time
	Until      time.Time
}

// Change is the input for changing an entitlement. Nil fields stay unchanged.
type Change struct {
	Artifact   *entitlement.Artifact
	Repository *string
	Versions   *string
	From       *time.Time // zero removes it
	Until      *time.Time // zero removes it
}

// change returns the creation as a change of an empty entitlement, so that both follow the same rules.
func (n New) change() Change {
	c := Change{Artifact: &n.Artifact, Repository: &n.Repository, Versions: &n.Versions, From: &n.From, Until: &n.Until}
	if n.Versions == "" {
		all := entitlement.AllVersions().String()
		c.Versions = &all
	}
	return c
}

// Check returns all validation failures.
func (n New) Check() []fault.Field { return n.change().Check() }

// Apply returns e, an entitlement with default values, with the input applied. The input must be valid.
func (n New) Apply(e entitlement.Entitlement) entitlement.Entitlement { return n.change().Apply(e) }

// Check returns all validation failures.
func (c Change) Check() []fault.Field {
	var failures checks.Failures
	if c.Artifact != nil && !c.Artifact.Known() {
		failures.Add("/artifact", "must be chart or image")
	}
	if c.Repository != nil && !entitlement.IsPattern(strings.TrimSpace(*c.Repository)) {
		failures.Add("/repository", "must be the name of a chart or repository, such as acme/api, a folder with /*, such as acme/*, or * for "+
			"all; at most %d characters", entitlement.MaxPattern)
	}
	if c.Versions != nil {
		if _, err := constraints.Parse(*c.Versions); err != nil {
			failures.Add("/versions", "must be a constraint of semantic versions, such as ^1.2.0 or >=1.2.0 <3.0.0, or * for all; at most %d "+
				"characters, and at most four ||", constraints.MaxChars)
		}
	}
	checkTime(&failures, "/from", c.From)
	checkTime(&failures, "/until", c.Until)
	if c.From != nil && c.Until != nil {
		checkPeriod(&failures, storedTime(*c.From), storedTime(*c.Until))
	}
	return failures.Fields()
}

// checkTime adds the failure of a time that stores or responses cannot show.
func checkTime(failures *checks.Failures, pointer string, at *time.Time) {
	if at == nil || at.IsZero() {
		return
	}
	if year := at.UTC().Year(); year < firstYear || year > lastYear {
		failures.Add(pointer, "must be in the years %d to %d, in UTC", firstYear, lastYear)
	}
}

// The years of periods. Stores keep 1970 as no time, and RFC 3339 has no year 10000.
const firstYear, lastYear = 2000, 9999

// Apply returns e with the change applied. The change must be valid.
func (c Change) Apply(e entitlement.Entitlement) entitlement.Entitlement {
	if c.Artifact != nil {
		e.Artifact = *c.Artifact
	}
	if c.Repository != nil {
		e.Repository = strings.TrimSpace(*c.Repository)
	}
	if c.Versions != nil {
		e.Versions, _ = constraints.Parse(*c.Versions) // Check has accepted it
	}
	if c.From != nil {
		e.From = storedTime(*c.From)
	}
	if c.Until != nil {
		e.Until = storedTime(*c.Until)
	}
	return e
}

// storedTime returns the time with the precision with which stores keep it.
func storedTime(at time.Time) time.Time {
	if at.IsZero() {
		return time.Time{}
	}
	return at.UTC().Truncate(time.Millisecond)
}

// checkPeriod adds the failure of an entitlement that is never in effect. A change may have one end of the period, and
// then only the whole entitlement shows it.
func checkPeriod(failures *checks.Failures, from, until time.Time) {
	if !until.IsZero() && !until.After(from) {
		failures.Add("/until", "must be after from")
	}
}
