package faults

import (
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"portside/local/faultproxy"
	"portside/shared/testkit"
	"portside/testclient/scale"
)

var only = flag.String("flow", "", "name of the only flow")

// workers is the number of runs at the same time. Most of them wait.
const workers = 24

// flow is what a client does. It repeats what fails.
type flow struct {
	name string
	run  func(*run)
}

// flows are all flows.
var flows = []flow{
	{"invite and activate a user", inviteAndActivate},
	{"update a user", updateUser},
	{"suspend a user", suspendUser},
	{"delete a user", deleteUser},
	{"import users", importUsers},
	{"manage a key", manageKey},
	{"exceed the rate limit", exceedLimit},
	{"renew a token", renewToken},
	{"revoke a line", revokeLine},
	{"report a leak", reportLeak},
	{"approve a request", approveRequest},
	{"announce a request later", announceLater},
	{"deny a request", denyRequest},
	{"let a request expire", expireRequest},
	{"sign in by link", signInByLink},
	{"sign in by code", signInByCode},
	{"manage a project", manageProject},
	{"manage a customer", manageCustomer},
	{"move a user between customers", moveUser},
	{"end the credentials of a customer", endCustomersCredentials},
	{"change entitlements", changeEntitlements},
	{"exchange tokens", exchangeTokens},
	{"rotate a secret", rotateSecret},
	{"notify of expiry", notifyExpiry},
	{"read the audit log", readAuditLog},
	{"count pulls", countPulls},
	{"count update checks", countChecks},
	{"count usage", countUsage},
	{"measure storage", measureStorage},
	{"seal the audit log", sealAudit},
	{"publish charts", publishChart},
	{"run a job", runJob},
	{"run a batch", runBatch},
	{"index an image", indexImage},
}

// unchecked are flows that leave items which package invariants does not know: credential requests, walks, and tokens
// without a role.
var unchecked = map[string]bool{
	"renew a token": true, "approve a request": true, "deny a request": true, "let a request expire": true,
	"notify of expiry": true,
}

// result is what a run found.
type result struct {
	flow     string
	plan     plan
	problems []string
	visited  []string
	reached  []string // with the fault
	requests []request
}

// play runs a flow with a plan on new tables.
func (e *engines) play(t *testing.T, f flow, p plan) result {
	t.Helper()
	r := newRun(t, p)
	r.engines = e
	names, remove, err := e.newTables(t.Context())
	defer remove()
	if err != nil {
		return result{flow: f.name, plan: p, problems: []string{err.Error()}}
	}
	e.runs.Store(r.id, r)
	defer e.runs.Delete(r.id)
	r.world = newWorld(e, r, names)
	func() {
		defer func() {
			if cause := recover(); cause != nil && cause != (stopped{}) {
				panic(cause)
			}
		}()
		f.run(r)
		if !unchecked[f.name] {
			r.checkInvariants()
		}
	}()
	return result{f.name, p, r.problems, slices.Collect(maps.Keys(r.visited)), slices.Collect(maps.Keys(r.reached)),
		r.requests}
}

// job is a run to do.
type job struct {
	flow flow
	plan plan
}

// plansOf returns the plans for a flow with these requests.
func plansOf(f flow, requests []request) (all []job) {
	for i, request := range requests {
		for _, fault := range faultproxy.All() {
			if !fault.AppliesTo(request.call) {
				continue
			}
			for _, stays := range []bool{false, true} {
				all = append(all, job{f, plan{fault: fault, at: i + 1, stays: stays, noKeys: (i+len(all))%3 == 0}})
			}
		}
	}
	return all
}

// choose returns as many of the jobs as wanted, as many of each fault as there are.
func choose(all []job, wanted int, seed uint64) []job {
	if wanted >= len(all) {
		return all
	}
	byFault := map[faultproxy.Fault][]job{}
	random := rand.New(rand.NewPCG(seed, 1))
	for _, i := range random.Perm(len(all)) {
		fault := all[i].plan.fault
		byFault[fault] = append(byFault[fault], all[i])
	}
	var chosen []job
	for len(chosen) < wanted {
		for _, fault := range faultproxy.All() {
			if jobs := byFault[fault]; len(jobs) > 0 {
				chosen, byFault[fault] = append(chosen, jobs[0]), jobs[1:]
			}
		}
	}
	return chosen
}

// concurrently does the jobs and returns their results.
func (e *engines) concurrently(t *testing.T, jobs []job) []result {
	t.Helper()
	results, next := make([]result, len(jobs)), make(chan int)
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for i := range next {
				results[i] = e.play(t, jobs[i].flow, jobs[i].plan)
				report(t, results[i])
			}
		})
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	working.Wait()
	return results
}

// TestEveryFlowWithEveryFault does each fault equally often, and ends the process at each eighth request. At night, it
// does every fault at every request.
//
//proves:docs/security.md
func TestEveryFlowWithEveryFault(t *testing.T) {
	testkit.CaptureLogs(t)
	e := startEngines(t)
	var undisturbed []job
	for _, f := range flows {
		if *only == "" || f.name == *only {
			undisturbed = append(undisturbed, job{flow: f})
		}
	}
	var jobs, faults []job
	total, possible := newCoverage(), 0
	first, step := scale.Every(8)
	for i, found := range e.concurrently(t, undisturbed) {
		total.addRun(found)
		all := plansOf(undisturbed[i].flow, found.requests)
		possible += len(all)
		for _, j := range all {
			switch {
			case !j.plan.isCrash():
				faults = append(faults, j)
			case j.plan.at >= first && (j.plan.at-first)%step == 0:
				jobs = append(jobs, j)
			}
		}
	}
	if t.Failed() {
		return
	}
	wanted := 4 * len(undisturbed)
	if scale.IsLarge() {
		wanted = len(faults)
	}
	jobs = append(jobs, choose(faults, wanted, scale.Seed())...)
	for _, found := range e.concurrently(t, jobs) {
		total.addRun(found)
	}
	t.Logf("figure: %d runs of %d flows × %d faults with and without repeats of the SDK, of %d possible ones, and with killed processes",
		total.done(), len(undisturbed), len(faultproxy.All()), possible)
	total.print(t)
	if *only == "" {
		total.checkUnreached(t)
	}
}

func report(t *testing.T, found result) {
	t.Helper()
	if len(found.problems) > 0 {
		t.Errorf("%s, %s: %s", found.flow, found.plan, strings.Join(found.problems, "; "))
	}
}
