package analytics

import "portside/shared/core/principal"

// growth returns by how many percent a number grew. Growth from 0 is 100 by definition.
func growth(before, after int64) float64 {
	switch before {
	case after:
		return 0
	case 0:
		return 100
	}
	return round(float64(after-before)/float64(before)*100, 2)
}

// users computes the numbers of users from the counters before the period and at its end.
func users(before, after Counters) Users {
	u := Users{
		Total: after["users"], Active: after["users:active"], Growth: growth(before["users"], after["users"]),
		ByRole: map[string]int64{},
	}
	for _, role := range principal.Roles() {
		u.ByRole[string(role)] = after["role:"+string(role)]
	}
	return u
}
