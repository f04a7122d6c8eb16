package crashes

import (
	"fmt"
	"net/http"
	"testing"
)

// flow is a request of a client, or an event, in which functions are killed.
type flow struct {
	name      string
	functions []string // which are killed
	// begin prepares a trial with new data.
	begin func(*service) trial
}

// trial is one execution of a flow.
type trial struct {
	// send sends the request, the same one each time.
	send func() response
	// settle waits until the event is processed; nil for requests.
	settle func()
	// promised are the mails that must arrive. The schedule may send them later, if a crash has interrupted the
	// request.
	promised mails
	// check checks what the flow has changed after the last response. It can run again after a restart.
	check func(last response)
}

// TestFlows kills a function at each point of each flow. After all flows the stack starts again, and the last trials
// are checked again.
//
//proves:docs/security.md
func TestFlows(t *testing.T) {
	s := newService(t)
	var sum counts
	var recheck []func()
	for _, f := range flows() {
		t.Run(f.name, func(t *testing.T) {
			if last := s.killEverywhere(t, f, &sum); last != nil {
				recheck = append(recheck, last)
			}
		})
		s.t = t
	}
	s.killer.stop()
	s.awaitMails()
	s.stop()
	s.start()
	for _, check := range recheck {
		check()
	}
	s.checkInvariants()
	t.Logf("figure: crashes: %d flows, %d crash points, %d kills: %d retries succeeded, %d were refused because the first request took effect",
		len(flows()), sum.points, sum.kills, sum.retried, sum.refused)
	t.Logf("figure: crashes: the mails of all %d trials that promise some arrived, in %d of them one more than promised",
		len(s.promised), s.repeatedMails)
	t.Logf("figure: crashes: after a restart, %d flows have the same state; %d points were not reached again",
		len(recheck), sum.missed)
	if sum.kills < sum.points/2 { // on a busy machine, more calls come from background work, whose times vary
		t.Errorf("only %d of %d points were reached again", sum.kills, sum.points)
	}
}

// counts are the figures of all flows.
type counts struct{ points, kills, retried, refused, missed int }

// killEverywhere runs a flow once without a crash, and then once for each of its points. It returns the check of the
// last trial with a kill, or nil if no trial had one.
func (s *service) killEverywhere(t *testing.T, f flow, sum *counts) (recheck func()) {
	t.Helper()
	s.t = t
	points := s.pointsOf(f)
	sum.points += len(points)
	for _, p := range points {
		trial := f.begin(s)
		s.killer.watch(p, f.functions...)
		first := trial.run()
		wasKilled := s.killer.hasKilled()
		s.killer.stop()
		if !wasKilled { // the flow does not always make this call: only the first use of a key in five minutes is stored, for example
			sum.missed++
			trial.check(first)
			continue
		}
		sum.kills++
		last := first
		if trial.settle == nil {
			// The schedule runs the function once a minute as well, so the run that was killed may not be the trial's.
			if first.Status < http.StatusInternalServerError && first.Method != invocation {
				t.Errorf("%s: %s", p, first)
			}
			last = trial.send()
		}
		if last.Status < http.StatusMultipleChoices {
			sum.retried++
		} else {
			sum.refused++
		}
		if trial.promised.count > 0 {
			trial.promised.why = f.name + " " + p.String()
			s.promised = append(s.promised, trial.promised)
		}
		before := t.Failed()
		trial.check(last)
		if t.Failed() && !before {
			t.Fatalf("%s: %s, then %s", p, first, last)
		}
		recheck = func() { trial.check(last) }
	}
	return recheck
}

// pointsOf runs a flow without a crash, and returns the points of its calls.
func (s *service) pointsOf(f flow) []point {
	s.t.Helper()
	trial := f.begin(s)
	s.killer.watch(point{}, f.functions...)
	answer := trial.run()
	points := s.killer.points()
	s.killer.stop()
	trial.check(answer)
	if len(points) == 0 {
		s.t.Fatal("the flow makes no calls")
	}
	return points
}

// run sends the request and waits for the end of the work that it starts.
func (r trial) run() response {
	answer := r.send()
	if r.settle != nil {
		r.settle()
	}
	return answer
}

// key returns an idempotency key that was not used before.
func (s *service) key() string {
	s.serial++
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", s.serial)
}

// request returns a function that sends the same request at each call.
func request(c client, method, target, body string) func() response {
	return func() response {
		c.TB.Helper()
		answer, err := c.Send(method, target, body)
		if err != nil {
			c.TB.Fatal(err)
		}
		return answer
	}
}
