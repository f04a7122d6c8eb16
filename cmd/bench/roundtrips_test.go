package main

import "testing"

func TestChain(t *testing.T) {
	for name, c := range map[string]struct {
		calls []call
		want  int
	}{
		"none":                   {nil, 0},
		"one after the other":    {[]call{{Start: 0, End: 5}, {Start: 6, End: 11}, {Start: 12, End: 17}}, 3},
		"at the same time":       {[]call{{Start: 0, End: 5}, {Start: 1, End: 6}, {Start: 2, End: 7}}, 1},
		"two beside a long one":  {[]call{{Start: 0, End: 20}, {Start: 1, End: 6}, {Start: 7, End: 12}}, 2},
		"in the order of starts": {[]call{{Start: 12, End: 17}, {Start: 6, End: 11}, {Start: 0, End: 5}}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			if got := chain(c.calls); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}

func TestMedianChainOfTheFunctionThatAnswers(t *testing.T) {
	other := []call{
		{AccessKeyID: "counts", Start: 0, End: 1}, {AccessKeyID: "counts", Start: 2, End: 3},
		{AccessKeyID: "counts", Start: 4, End: 5}, {AccessKeyID: "counts", Start: 6, End: 7},
	}
	users := []call{{AccessKeyID: "users", Start: 0, End: 5}, {AccessKeyID: "users", Start: 6, End: 11}}
	if got := medianChain([][]call{users, append(other, users...), users[:1]}); got != 2 {
		t.Errorf("%v calls, want the 2 of the function that called in each request", got)
	}
	if got := medianChain(nil); got != 0 {
		t.Errorf("%v calls of no requests", got)
	}
}

func TestCallersBelongToFunctions(t *testing.T) {
	for caller, want := range map[string]string{
		"ASIAUsersFunctionRole": "UsersFunction", "UsersFunctionRole": "UsersFunction", "UsersFunction": "UsersFunction",
		"portside-UsersLogs": "UsersFunction", "portside-ApiAccessLogs": "ApiAccessLogs", "local": "",
	} {
		if got := functionOf(caller); got != want {
			t.Errorf("%s belongs to %q, want %q", caller, got, want)
		}
	}
}

// TestTallyIsAnAverage also shows that calls which overlap are one trip.
func TestTallyIsAnAverage(t *testing.T) {
	used := newTally()
	first, second := call{Start: 0, End: 5}, call{Start: 1, End: 6}
	first.Units.Read = map[string]float64{"portside-UsersTable": 1}
	second.Units.Write = map[string]float64{"portside-UsersTable": 3}
	used.addCalls("UsersFunction", []call{first, second})
	for _, u := range []localUse{
		{"UsersFunction", kindInvocations, 2}, {"UsersLogs", kindRecords, 4}, {"UsersLogs", kindBytes, 100},
		{"UsersFunctionRole", "s3:GetObject", 2}, {"UsersFunctionRole", askedIfMissing, 2}, {"UsersFunctionRole", "dynamodb:GetItem", 2},
	} {
		used.addUse(u)
	}
	used.addCPU(map[string]float64{"UsersFunction": 10}, map[string]float64{"UsersFunction": 30})
	o := used.operation("get", 2)
	f := o.Functions["UsersFunction"]
	if f.Invocations != 1 || f.CPUMs != 10 || f.Trips != 0.5 || f.Waits != 1 {
		t.Errorf("function %+v", f)
	}
	if o.ReadUnits["UsersTable"] != 0.5 || o.WriteUnits["UsersTable"] != 1.5 || o.LogRecords != 2 || o.LogBytes != 50 || len(o.Calls) != 1 {
		t.Errorf("operation %+v", o)
	}
}
