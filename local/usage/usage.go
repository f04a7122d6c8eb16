// Package usage counts what the functions of the local stack use that AWS charges for, apart from the units of
// DynamoDB, which dynamoproxy reports: invocations, calls of other services, and records of logs. `make cost` reads it.
package usage

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Use is how much a caller used of one kind.
type Use struct {
	// Caller is the ID of a function, the ID of a role, or the name of a log group.
	Caller string `json:"caller"`
	// Kind is one of the constants, or the action of a call, such as s3:GetObject.
	Kind   string `json:"kind"`
	Amount int    `json:"amount"`
}

// Kinds that are not actions of calls.
const (
	Invocations = "invocations"
	LogRecords  = "log records"
	LogBytes    = "log bytes"
)

// Counter adds up uses. The zero value is ready to use. It is safe for concurrent use.
type Counter struct {
	mu      sync.Mutex
	amounts map[Use]int // by Use without an amount
}

// Add counts a use.
func (c *Counter) Add(u Use) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.amounts == nil {
		c.amounts = map[Use]int{}
	}
	c.amounts[Use{Caller: u.Caller, Kind: u.Kind}] += u.Amount
}

// AddRecord counts a record of a log group.
func (c *Counter) AddRecord(group, text string) {
	c.Add(Use{Caller: group, Kind: LogRecords, Amount: 1})
	c.Add(Use{Caller: group, Kind: LogBytes, Amount: len(text)})
}

// Take returns the uses since the last Take, in order.
func (c *Counter) Take() []Use {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := make([]Use, 0, len(c.amounts))
	for use, amount := range c.amounts {
		use.Amount = amount
		taken = append(taken, use)
	}
	c.amounts = nil
	slices.SortFunc(taken, func(a, b Use) int {
		return cmp.Or(strings.Compare(a.Caller, b.Caller), strings.Compare(a.Kind, b.Kind))
	})
	return taken
}
