package mail_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"portside/shared/mail"
	"portside/testclient/scale"
)

// waiting is the nth mail of a sender.
type waiting struct {
	sender string
	n      int
}

// TestNobodyWaitsForMoreThanATurn sends random mails in runs of random sizes. Before the nth mail of a sender, at most
// n mails of each other sender are sent, also over several runs.
//
//proves:docs/security.md
func TestNobodyWaitsForMoreThanATurn(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		var left []waiting
		counts := map[string]int{}
		for _, sender := range rapid.SliceOfN(rapid.SampledFrom([]string{"", "acme", "globex", "initech"}), 0, 60).
			Draw(t, "senders") {
			left = append(left, waiting{sender, counts[sender]})
			counts[sender]++
		}
		var turns mail.Turns
		sent := map[string]int{}
		for len(left) > 0 {
			limit := rapid.IntRange(1, 20).Draw(t, "limit")
			run := mail.InTurns(&turns, left, limit, func(w waiting) string { return w.sender })
			if len(run) != min(limit, len(left)) {
				t.Fatalf("a run of up to %d sends %d of %d mails", limit, len(run), len(left))
			}
			for _, one := range run {
				if sent[one.sender] != one.n {
					t.Fatalf("mail %d of %q comes after %d of its mails", one.n, one.sender, sent[one.sender])
				}
				for sender, n := range sent {
					if n > one.n+1 {
						t.Fatalf("%d mails of %q come before mail %d of %q", n, sender, one.n, one.sender)
					}
				}
				sent[one.sender]++
				left = slices.DeleteFunc(left, func(w waiting) bool { return w == one })
			}
		}
	})
}
