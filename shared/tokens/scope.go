package tokens

import (
	"strconv"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
)

// Everything is what a vendor's own people may hand out.
func AllScopes() []principal.Scope {
	return []principal.Scope{principal.ReadCharts, principal.ReadImages}
}

// checkScopes returns every way in which a list of scopes breaks a rule.
func checkScopes(scopes []principal.Scope) []fault.Field {
	switch {
	case len(scopes) == 0:
		return []fault.Field{{Pointer: "/scopes", Detail: "must name at least one scope"}}
	case len(scopes) > MaxScopes:
		return []fault.Field{{Pointer: "/scopes", Detail: "must name at most 20 scopes"}}
	}
	var failures []fault.Field
	for i, s := range scopes {
		if !s.Known() {
			failures = append(failures, fault.Field{
				Pointer: "/scopes/" + strconv.Itoa(i),
				Detail:  "must be read:helm-charts or read:docker-images, optionally narrowed as in read:docker-images:acme/*",
			})
		}
	}
	return failures
}
