package usage_test

import (
	"slices"
	"sync"
	"testing"

	"portside/local/usage"
)

func TestUsesAddUpUntilTheyAreTaken(t *testing.T) {
	var counter usage.Counter
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			counter.Add(usage.Use{Caller: "UsersFunction", Kind: usage.Invocations, Amount: 1})
			counter.AddRecord("access", "twelve bytes")
		})
	}
	all.Wait()
	want := []usage.Use{
		{Caller: "UsersFunction", Kind: usage.Invocations, Amount: 10},
		{Caller: "access", Kind: usage.LogBytes, Amount: 120},
		{Caller: "access", Kind: usage.LogRecords, Amount: 10},
	}
	if got := counter.Take(); !slices.Equal(got, want) {
		t.Errorf("taken %v, want %v", got, want)
	}
	if again := counter.Take(); len(again) != 0 {
		t.Errorf("taken twice: %v", again)
	}
}
