package main

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"portside/shared/dynamo/auditlog"
)

// Limits of a partition, per second, as in quotas.json.
const (
	writeLimit = 1000
	readLimit  = 3000
)

// seconds is how long the simulation is. The counts of pulls are written once in that time.
const seconds = 60

// keyUse is what a key takes.
type keyUse struct{ read, write float64 }

// hotKey is the busiest key of a table or index, in units a second.
type hotKey struct {
	table, key  string
	read, write float64
}

// share is the used part of the limit.
func (h hotKey) share() float64 { return max(h.read/readLimit, h.write/writeLimit) }

// result is what a simulation found.
type result struct {
	size         size
	pulls        float64 // a second
	unitsPerPull float64
	perTable     map[string]keyUse // a second, by table without index
	hot          []hotKey          // the busiest key of each table and index
	windowCalls  int               // that count the pulls of the minute
}

// simulation replays the busiest minute.
type simulation struct {
	size     size
	profiles map[string]profile
	dice     *rand.Rand
	keys     map[[2]string]*[seconds]keyUse // by table and key
	counted  map[object]bool                // users and artifacts in the window
	calls    int                            // that count the window
	pulls    float64
	written  float64 // units for pulls
}

func simulate(s size, profiles map[string]profile) result {
	sim := &simulation{
		size: s, profiles: profiles, dice: rand.New(rand.NewPCG(1, uint64(s.users))), //nolint:gosec // the same load in every run
		keys: map[[2]string]*[seconds]keyUse{}, counted: map[object]bool{},
	}
	for second := range seconds {
		sim.pullsOf(second)
		for _, operation := range slices.Sorted(maps.Keys(monthly)) {
			for range times(sim.dice, s.rate(operation)) {
				sim.run(second, profiles[operation], fmt.Sprint("of user ", zipf(sim.dice, s.users)))
			}
		}
		for range times(sim.dice, s.exchangeRate()) {
			sim.run(second, profiles[exchange], fmt.Sprint("of policy ", zipf(sim.dice, s.users)))
		}
	}
	sim.countWindow()
	return sim.result()
}

// shards is the number of keys for one owner, one repository and the pending batches; see pullsdynamo.
const shards = 4

// pullsOf replays the pulls of a second, their requests, and the batches that deliver them.
func (s *simulation) pullsOf(second int) {
	for range times(s.dice, s.size.pullRate()) {
		user, repository := zipf(s.dice, s.size.users), zipf(s.dice, s.size.repositories)
		s.pulls++
		credential := s.size.credentialOf(s.dice, user)
		s.run(second, s.profiles[authorize], credential)
		shard := s.dice.IntN(shards)
		keys := map[string]string{
			"credential": credential, "ownerShard": fmt.Sprint("of user ", user, ", shard ", shard),
			"repositoryShard": fmt.Sprint("of repository ", repository, ", shard ", shard), "log": "of the month",
			"pending": fmt.Sprint(shard),
		}
		for _, a := range s.profiles[recordBatch].Accesses {
			s.addPull(second, a, keys[a.class()])
		}
		s.counted[object{"user", user}], s.counted[object{"repository", repository}] = true, true
	}
}

// object is a user or a repository, by its rank in Zipf's law.
type object struct {
	kind string
	rank int
}

// class is the first part of a key.
func (a access) class() string {
	class, _, _ := strings.Cut(a.Key, "#")
	return class
}

// addPull adds the part of a batch's access that belongs to one pull. A small batch shares the units of its items among
// few pulls.
func (s *simulation) addPull(second int, a access, key string) {
	units := a.Write / batchSize
	if a.class() == "log" || a.class() == "pending" {
		units = max(units, 1/s.size.pullsPerBatch())
	}
	s.write(second, a.Table, a.class()+" "+key, units)
}

// write adds units that pulls cost.
func (s *simulation) write(second int, table, key string, units float64) {
	s.written += units
	s.at(table, key)[second].write += units
}

// topUnits are the write units of a full ranking: 100 users, whose compressed IDs take up to 4 KB.
const topUnits = 4

// callsPerSecond is how many items one invocation writes in a second.
const callsPerSecond = 1500

// countWindow writes the counts of the minute, in no order, over the seconds that the function needs for them.
func (s *simulation) countWindow() {
	objects := slices.SortedFunc(maps.Keys(s.counted), func(a, b object) int {
		return cmp.Or(strings.Compare(a.kind, b.kind), cmp.Compare(a.rank, b.rank))
	})
	s.dice.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
	for _, o := range objects {
		s.calls += s.countObject(s.calls/callsPerSecond%seconds, o)
	}
	s.rank(s.calls / callsPerSecond % seconds)
	batches := int(s.pulls / s.size.pullsPerBatch())
	for i := range batches {
		s.write((s.calls+i)/callsPerSecond%seconds, "PullsTable", fmt.Sprint("pending ", i%shards), 1)
	}
	s.calls += batches
	for _, a := range s.profiles[countWindow].Accesses {
		if a.Shared && (a.class() == "window" || a.class() == "usage") {
			s.write(0, a.Table, a.Key, a.Write)
		}
	}
}

// countObject reads and writes the count of an object, and returns the number of calls.
func (s *simulation) countObject(second int, o object) int {
	key := fmt.Sprint("pulls of ", o.kind, " ", o.rank)
	s.at("AnalyticsTable", key)[second].read++
	s.write(second, "AnalyticsTable", key, 1)
	return 1
}

// rank reads and writes the rankings, which have the objects of the window in their order.
func (s *simulation) rank(second int) {
	for _, kind := range []string{"user", "repository"} {
		for _, span := range []string{"year", "quarter", "month", "week", "day"} {
			key := "top " + kind + " of the " + span
			s.at("AnalyticsTable", key)[second].read++
			s.write(second, "AnalyticsTable", key, topUnits)
		}
	}
}

// auditDay is the class of the partitions of the audit log. An event goes into any of those of its day.
const auditDay = "day"

// run adds the accesses of an operation on an object.
func (s *simulation) run(second int, p profile, of string) {
	for _, a := range p.Accesses {
		key := a.Key
		switch {
		case a.class() == auditDay:
			key += fmt.Sprint(", part ", s.dice.IntN(auditlog.Parts))
		case !a.Shared:
			key += " " + of
		}
		at := &s.at(a.Table, key)[second]
		at.read, at.write = at.read+a.Read, at.write+a.Write
	}
}

func (s *simulation) at(table, key string) *[seconds]keyUse {
	found := s.keys[[2]string{table, key}]
	if found == nil {
		found = &[seconds]keyUse{}
		s.keys[[2]string{table, key}] = found
	}
	return found
}

func (s *simulation) result() result {
	r := result{
		size: s.size, pulls: s.pulls / seconds, unitsPerPull: s.written / max(1, s.pulls), perTable: map[string]keyUse{},
		windowCalls: s.calls,
	}
	busiest := map[string]hotKey{}
	ids := slices.SortedFunc(maps.Keys(s.keys), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, id := range ids { // in order, because the sums of fractions depend on it
		used := s.keys[id]
		h := hotKey{table: id[0], key: id[1]}
		table, _, _ := strings.Cut(h.table, ".")
		sum := r.perTable[table]
		for _, u := range used {
			h.read, h.write = max(h.read, u.read), max(h.write, u.write)
			sum.read, sum.write = sum.read+u.read/seconds, sum.write+u.write/seconds
		}
		r.perTable[table] = sum
		if b, ok := busiest[h.table]; !ok || cmp.Or(cmp.Compare(h.share(), b.share()), strings.Compare(b.key, h.key)) > 0 {
			busiest[h.table] = h
		}
	}
	for _, table := range slices.Sorted(maps.Keys(busiest)) {
		r.hot = append(r.hot, busiest[table])
	}
	return r
}
