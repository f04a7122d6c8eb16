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

// TestNobodyWaitsForMoreThanATurn sends random mails in runs of a random size. Before the nth mail of a sender, at most n mails of each
// other sender are sent.
func TestNobodyWaitsForMoreThanATurn(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		var all []waiting
		counts := map[string]int{}
		for _, sender := range rapid.SliceOfN(rapid.SampledFrom([]string{"", "acme", "globex", "initech"}), 0, 60).Draw(t, "senders") {
			all = append(all, waiting{sender, counts[sender]})
			counts[sender]++
		}
		turns := mail.InTurns(all, len(all), func(w waiting) string { return w.sender })
		if len(turns) != len(all) {
			t.Fatalf("%d of %d mails are sent", len(turns), len(all))
		}
		sent := map[string]int{}
		for _, one := range turns {
			if sent[one.sender] != one.n {
				t.Fatalf("mail %d of %q comes after %d of its mails", one.n, one.sender, sent[one.sender])
			}
			for sender, n := range sent {
				if n > one.n+1 {
					t.Fatalf("%d mails of %q come before mail %d of %q", n, sender, one.n, one.sender)
				}
			}
			sent[one.sender]++
		}
		limit := rapid.IntRange(0, 70).Draw(t, "limit")
		if some := mail.InTurns(all, limit, func(w waiting) string { return w.sender }); !slices.Equal(some, turns[:min(limit, len(turns))]) {
			t.Fatalf("%d mails in turns are not the first of all", limit)
		}
	})
}
