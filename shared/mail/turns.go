package mail

import (
	"maps"
	"slices"
	"sync"
)

// MaxWaiting limits how many waiting mails are read to send some of them in turns.
const MaxWaiting = 10_000

// Turns remembers which sender had the last turn, so that a run that cannot send all mails continues where the one
// before stopped. A new process begins with the first sender. The zero value is ready to use, also by several
// goroutines.
type Turns struct {
	mu   sync.Mutex
	last *string
}

// InTurns returns up to limit of the waiting mails in the order in which they are sent: one of each sender, then the
// second of each, and so on. So no sender waits for more than a mail of each other sender, however many these have. A
// sender's own mails keep their order.
func InTurns[M any](t *Turns, waiting []M, limit int, sender func(M) string) []M {
	t.mu.Lock()
	defer t.mu.Unlock()
	of := map[string][]M{}
	for _, message := range waiting {
		of[sender(message)] = append(of[sender(message)], message)
	}
	senders := t.order(slices.Sorted(maps.Keys(of)))
	var turns []M
	for round := 0; len(turns) < min(limit, len(waiting)); round++ {
		for _, name := range senders {
			if round < len(of[name]) && len(turns) < limit {
				turns = append(turns, of[name][round])
				t.last = &name
			}
		}
	}
	return turns
}

// order returns the sorted senders, beginning after the one who had the last turn.
func (t *Turns) order(senders []string) []string {
	if t.last == nil {
		return senders
	}
	at, found := slices.BinarySearch(senders, *t.last)
	if found {
		at++
	}
	return slices.Concat(senders[at:], senders[:at])
}
