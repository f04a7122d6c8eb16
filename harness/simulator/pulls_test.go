package simulator

import (
	"context"
	"fmt"

	"portside/shared/core/calendar"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
)

// keptPulls is how many recorded pulls the model can deliver again.
const keptPulls = 8

// pulled is the model of a pull.
type pulled struct {
	mark

	pull     pulls.Pull
	recorded bool
	counted  bool // in the figures of the day
}

// kind returns the kind under which a pull or check is counted.
func (p *pulled) kind() pulls.Kind {
	if p.pull.IsCheck {
		return pullsdynamo.Checks
	}
	return p.pull.Kind
}

// pullFigure identifies a figure of the dashboard: the number of pulls of a kind, or of checks, on a day.
type pullFigure struct {
	day  calendar.Day
	kind pulls.Kind
}

// planPulls delivers log lines with new pulls and checks, and with some that were delivered before.
func (w *world) planPulls(p *plan) {
	if w.pullsPlan == "count" {
		w.planCount(p)
		return
	}
	w.pullsPlan = "record"
	p.name, p.actor, p.isStrict = "record pulls", nil, true
	var delivered []*pulled
	for range 1 + w.random.IntN(2) {
		w.names++
		fresh := &pulled{pull: pulls.Pull{
			At: w.office.Clock.Now().UTC(), Kind: []pulls.Kind{pulls.Chart, pulls.Image}[w.random.IntN(2)], Repository: "acme/api",
			Reference: fmt.Sprint("v", w.names), CredentialID: fmt.Sprint("c", w.random.IntN(5)),
			OwnerID: fmt.Sprint("o", w.random.IntN(3)), Address: "192.0.2.1", Client: "helm", IsCheck: w.random.IntN(4) == 0,
		}}
		w.pulls, delivered = append(w.pulls, fresh), append(delivered, fresh)
	}
	if known := w.pulls[w.random.IntN(len(w.pulls))]; known != delivered[0] && known != delivered[len(delivered)-1] {
		delivered = append(delivered, known)
	}
	wanted, added := 0, 0
	for _, one := range delivered {
		p.changes = append(p.changes, &one.mark)
		if !one.recorded {
			wanted++
		}
	}
	p.run = func(ctx context.Context) (err error) {
		added, err = w.office.Pulls.Record(ctx, pullsOf(delivered))
		return err
	}
	p.isFinal = true
	p.effect = func() {
		if p.isPredictable() && added != wanted {
			w.fail("%s: %d pulls were new, want %d", p.task.name, added, wanted)
		}
		for _, one := range delivered {
			one.recorded = true
		}
	}
}

func pullsOf(all []*pulled) []pulls.Pull {
	found := make([]pulls.Pull, len(all))
	for i, one := range all {
		found[i] = one.pull
	}
	return found
}

// planCount counts the pulls that are not counted yet, as the schedule does.
func (w *world) planCount(p *plan) {
	if w.pullsPlan == "record" {
		w.planPulls(p)
		return
	}
	w.pullsPlan = "count"
	p.name, p.actor, p.isStrict = "count pulls", nil, true
	p.run = func(ctx context.Context) error {
		_, err := w.office.Pulls.CountPending(ctx)
		return err
	}
}

// reconcilePulls records again the pulls that may be lost, and compares the figures of the days with the model.
func (w *world) reconcilePulls(ctx context.Context) {
	days := map[calendar.Day]bool{}
	for _, one := range w.pulls {
		if one.unsure || !one.recorded {
			if _, err := w.office.Pulls.Record(ctx, pullsOf([]*pulled{one})); err != nil {
				w.fail("recording a pull again: %v", err)
			}
			one.unsure, one.recorded = false, true
		}
		if day := calendar.DayOf(one.pull.At); !one.counted {
			one.counted, days[day] = true, true
			w.pullsOn[pullFigure{day, one.kind()}]++
		}
	}
	w.pulls = w.pulls[max(0, len(w.pulls)-keptPulls):]
	for day := range calendar.DayOf(w.office.Clock.Now()) + 1 {
		if !days[day] {
			continue
		}
		counts, err := w.office.Pulls.Count(ctx, day)
		if err != nil {
			w.fail("counting the pulls of %s: %v", day, err)
		}
		for _, kind := range []pulls.Kind{pulls.Chart, pulls.Image, pullsdynamo.Checks} {
			if counts[kind] != w.pullsOn[pullFigure{day, kind}] {
				w.fail("%d pulls of the kind %s are counted on %s, want %d", counts[kind], kind, day,
					w.pullsOn[pullFigure{day, kind}])
			}
		}
	}
}
