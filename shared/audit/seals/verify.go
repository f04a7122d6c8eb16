package seals

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"portside/shared/core/audit"
	"portside/shared/core/calendar"
)

// Verifier compares the sealed objects with each other, with the record of the newest seal, and with the events of the
// table.
type Verifier struct {
	Events  Events
	Record  Record
	Objects Objects
	Now     func() time.Time
	Days    int // how long the table keeps an event at least
}

// MaxAge is the longest accepted time since the end of the newest sealed hour. The sealing runs every hour, and two
// runs may fail. StaleSealAlarm has the same limit.
const MaxAge = 3 * time.Hour

// Verification says what to verify.
type Verification struct {
	From     calendar.Day              // compares the table from this day on; the chain is always read from its beginning
	Expect   Head                      // an earlier end of the chain, kept elsewhere; zero if none was kept
	Progress func(at Hour, events int) // may be nil
}

// Report is the result of a verification.
type Report struct {
	First, Last Hour // that are sealed
	Objects     int
	Events      int           // that are sealed
	Purged      int           // sealed events that the table does not keep any more
	Newest      Seal          // the zero value if nothing is sealed
	Age         time.Duration // since the end of the newest sealed hour, or of the hour of the oldest event if nothing is sealed
	Finding     *Finding      // the first problem, or nil
}

// Finding is a problem.
type Finding struct {
	Problem  Problem
	EventID  string      // empty if an object or the record of the newest seal has the problem, but no known event
	Event    audit.Event // its known fields
	InTable  bool        // the problem is in the table; otherwise it is in the object
	Object   string      // key; empty if the event is in no object
	Line     int         // of the event in the object
	Detail   string      // a sentence
	evidence bool        // the table alone proves the problem
	at       Seal
}

// verification is a run of Verify.
type verification struct {
	Verifier
	options Verification
	chain   chain
	report  Report
	pull    func() (Entry, error, bool)
	current *Entry // of the table; nil if the next one is not read yet
	isOver  bool   // the table has no further entry
	found   *Finding
}

// Verify reads the chain and the table side by side, in the order of the events, and stops at the first problem. It
// needs as much memory as one page of each.
func (v Verifier) Verify(ctx context.Context, options Verification) (Report, error) {
	recorded, err := v.Record.Newest(ctx) // before the objects, which may become more meanwhile
	if err != nil && !errors.Is(err, ErrMissing) {
		return Report{}, err
	}
	run := &verification{Verifier: v, options: options, chain: chain{objects: v.Objects, recorded: recorded, expected: options.Expect}}
	run.chain.progress = func(at Seal) {
		if options.Progress != nil {
			options.Progress(at.Hour, run.report.Events)
		}
	}
	pull, stop := iter.Pull2(run.entries(ctx))
	defer stop()
	run.pull = pull
	err = run.readChain(ctx)
	if err == nil && run.found == nil {
		err = run.finish(ctx)
	}
	if damage, isDamage := errors.AsType[*damageError](err); isDamage {
		err = run.locate(damage)
	}
	run.complete()
	return run.report, err
}

func (v *verification) complete() {
	v.report.Objects = v.chain.count
	if v.chain.count > 0 {
		v.report.First, v.report.Last, v.report.Newest = v.chain.first, v.chain.at.Hour, v.chain.at
		v.report.Age = v.Now().Sub(v.chain.at.Hour.End())
	}
	if v.found == nil && !v.chain.hasExpected {
		v.found = v.chain.expected.finding(v.chain.at)
	}
	v.report.Finding = v.found
}

// finding returns the problem of a chain without the head, of which end is the last seal. It returns nil for the zero
// head.
func (h Head) finding(end Seal) *Finding {
	switch {
	case h.Hash == "":
		return nil
	case h.Part == 0:
		return &Finding{Problem: Changed, Detail: "no line of the chain has the expected hash: objects were removed or rewritten"}
	case end.Hash == "" || end.Key() < h.key():
		return &Finding{Problem: Removed, Object: h.key(), Detail: "the chain ends before the object of the expected head: " +
			"the newest objects were removed, and the record of the newest seal was replaced by an earlier one"}
	}
	return &Finding{Problem: Changed, Object: h.key(), Detail: "it does not end with the hash of the expected head: it was rewritten"}
}

// Staleness returns a warning if the newest seal is older than MaxAge, or if events of this age have no seal at all;
// otherwise "". A log is intact but stale if the newest objects and their events were removed and the record was
// replaced by an earlier one.
func (r Report) Staleness() string {
	age := r.Age.Round(time.Minute)
	switch {
	case r.Age <= MaxAge:
		return ""
	case r.Objects == 0:
		return fmt.Sprintf("events are %s old, and nothing is sealed: "+
			"the sealing does not run, or all objects and the record were removed", age)
	}
	return fmt.Sprintf("the newest sealed hour ended %s ago: "+
		"the sealing does not run, or the newest objects were removed with their events and the record", age)
}

// entries returns the entries of the table that are compared.
func (v *verification) entries(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		v.Events.Days(ctx, v.firstDay(), calendar.DayOf(v.Now())+1)(yield) // the verification may last until after midnight
	}
}

func (v *verification) firstDay() calendar.Day {
	return max(v.options.From, calendar.DayOf(v.chain.first.Begin()))
}

// readChain reads all objects, and compares their events with the table until the first difference. After that, the
// chain decides whether the table or the object was changed.
func (v *verification) readChain(ctx context.Context) error {
	for event, err := range v.chain.events(ctx) {
		if err != nil {
			return err
		}
		v.report.Events++
		if v.found == nil {
			if err := v.compare(event); err != nil {
				return err
			}
		}
	}
	return v.checkRecord(ctx)
}

// compare finds the difference between a sealed event and the next entry of the table.
func (v *verification) compare(event position) error {
	day := calendar.DayOf(event.Seal.Hour.Begin())
	if day < v.options.From {
		return nil
	}
	entry, err := v.peek()
	if err != nil {
		return err
	}
	isMissing := entry == nil || entry.Day > day || entry.Day == day && entry.ID > event.ID
	switch {
	case !isMissing && entry.isBefore(event.Seal.Hour, event.ID):
		v.found = v.unsealed(*entry, event.Seal)
		return nil
	case isMissing && v.isPurged(event.Text):
		v.report.Purged++
		return nil
	case isMissing:
		v.found = v.finding(Removed, event, "the table does not have the event any more")
		return nil
	}
	v.current = nil
	switch {
	case entry.Problem != "":
		v.found = v.finding(Changed, event, entry.Problem)
		v.found.evidence = true
	case event.IsMalformed:
		v.found = v.finding(Changed, event, "the text was already not that of an event when it was sealed")
		v.found.evidence = true
	case entry.Text != event.Text:
		v.found = v.finding(Changed, event, "the table and the seal have different texts of the event")
	}
	return nil
}

// peek returns the next entry of the table, or nil after the last one.
func (v *verification) peek() (*Entry, error) {
	if v.current != nil || v.isOver {
		return v.current, nil
	}
	entry, err, isEntry := v.pull()
	if err != nil {
		return nil, err
	}
	if v.isOver = !isEntry; isEntry {
		v.current = &entry
	}
	return v.current, nil
}

// isPurged reports whether the table may have deleted an event.
func (v *verification) isPurged(text string) bool {
	event := decodeEvent(text)
	return !event.Time.IsZero() && !event.Time.AddDate(0, 0, v.Days).After(v.Now())
}

func decodeEvent(text string) (event audit.Event) {
	if json.Unmarshal([]byte(text), &event) != nil {
		return audit.Event{}
	}
	return event
}

func (v *verification) finding(problem Problem, event position, detail string) *Finding {
	return &Finding{
		Problem: problem, EventID: event.ID, Event: decodeEvent(event.Text), InTable: true, Detail: detail,
		Object: event.Seal.Key(), Line: event.Line, at: event.Seal,
	}
}

// unsealed returns the finding for an entry of the table that no object has, although the chain is at a later event.
func (v *verification) unsealed(entry Entry, at Seal) *Finding {
	return &Finding{
		Problem: Added, EventID: entry.ID, Event: decodeEvent(entry.Text), InTable: true, at: at,
		Detail: "the event was not there when its hour was sealed",
	}
}

// finish looks for entries of the table after the last sealed event, and outside of all days.
func (v *verification) finish(ctx context.Context) error {
	if v.chain.count == 0 {
		return v.finishWithoutSeals(ctx)
	}
	last := v.chain.at
	entry, err := v.peek()
	if err != nil {
		return err
	}
	if entry != nil && entry.isBefore(last.Hour, last.end()) {
		v.found = v.unsealed(*entry, last)
		return nil
	}
	if v.options.From > 0 {
		return nil
	}
	for entry, err := range v.Events.Strays(ctx, v.firstDay(), calendar.DayOf(v.Now())+1) {
		if err != nil {
			return err
		}
		v.found = v.unsealed(entry, Seal{})
		v.found.Detail = cmp.Or(entry.Problem, "the event is on a day that the chain does not have")
		break
	}
	return nil
}

// finishWithoutSeals sets the age to the age of the oldest event. If old events have no seal at all, the sealing does
// not run, or all objects and the record were removed.
func (v *verification) finishWithoutSeals(ctx context.Context) error {
	oldest, err := oldestHour(ctx, v.Events, v.Now(), v.Days)
	if errors.Is(err, ErrMissing) {
		return nil
	}
	v.report.Age = v.Now().Sub(oldest.End())
	return err
}

// checkRecord checks that the chain has the newest seal of the table, and at most one object after it, which a run may
// have left before it could record it.
func (v *verification) checkRecord(ctx context.Context) error {
	last, recorded := v.chain.at, v.chain.recorded
	if recorded.Hash != "" && !v.chain.isPassed {
		return damagedObject(Removed, recorded, "the object is missing, but the table has the record of its seal")
	}
	if last == recorded {
		return nil
	}
	now, err := v.Record.Newest(ctx)
	if err != nil && !errors.Is(err, ErrMissing) {
		return err
	}
	isAfter := now.Hash != "" && now.Key() > last.Key() // a function sealed meanwhile
	isBefore := now == v.chain.previous || now.Hash == "" && v.chain.count == 1
	if now == last || isAfter || isBefore {
		return nil
	}
	return damagedObject(Added, last,
		"the record of the newest seal is missing or that of an earlier object: somebody removed or replaced it, or added the object")
}

// locate turns damage of the chain into a finding. An earlier difference from the table takes precedence. If the damage
// shows that the object was rewritten, the object is at fault, not the table.
func (v *verification) locate(damage *damageError) error {
	if v.found != nil {
		v.found.explain(damage)
		return nil
	}
	entry, err := v.entryUpTo(damage)
	if err != nil {
		return err
	}
	if v.found = v.unsealedBefore(damage, entry); v.found == nil {
		v.found = damageFinding(damage, entry)
	}
	return nil
}

// explain blames the object of a difference if the damage shows that it was rewritten, unless the table alone proves
// the difference.
func (f *Finding) explain(damage *damageError) {
	isRewritten := damage.isRewritten || !damage.ofObject && damage.key == f.at.Key()
	if isRewritten && !f.evidence {
		f.blameObject(damage)
	}
}

// unsealedBefore returns the finding for an entry of the table that no object before the damage has, or nil.
func (v *verification) unsealedBefore(damage *damageError, entry *Entry) *Finding {
	hour := damage.at.Hour
	switch {
	case entry == nil:
	case entry.isBefore(hour, audit.FirstID(hour.Begin())):
		return v.unsealed(*entry, Seal{})
	case damage.isRewritten && entry.isBefore(hour, damage.at.end()):
		found := v.unsealed(*entry, damage.at)
		found.blameObject(damage)
		return found
	}
	return nil
}

// damageFinding returns the finding for a damage. It names the event: the next entry of the table if it is of the same
// hour, or else what the line has.
func damageFinding(damage *damageError, entry *Entry) *Finding {
	found := &Finding{Problem: damage.problem, Object: damage.key, Line: damage.line, Detail: damage.Error()}
	switch {
	case damage.ofObject, damage.ofHeaderOrEnd:
	case entry != nil && damage.problem != Added && isInHour(entry.ID, damage.at.Hour):
		found.EventID, found.Event = entry.ID, decodeEvent(entry.Text)
	default:
		found.EventID, found.Event = damage.event.ID, decodeEvent(damage.event.Text)
	}
	return found
}

// entryUpTo returns the next entry of the table if the table is compared at the damage, or nil.
func (v *verification) entryUpTo(damage *damageError) (*Entry, error) {
	isRead := v.chain.count > 0 || !damage.ofObject
	if !isRead || calendar.DayOf(damage.at.Hour.Begin()) < v.options.From {
		return nil, nil //nolint:nilnil // nil means no entry, as in peek
	}
	return v.peek()
}

// isBefore reports whether an entry is before an ID of the given hour.
func (e Entry) isBefore(hour Hour, id string) bool {
	return cmp.Or(cmp.Compare(e.Day, calendar.DayOf(hour.Begin())), cmp.Compare(e.ID, id)) < 0
}

// end returns the text after the IDs of all events that the chain has up to this seal.
func (s Seal) end() string {
	if s.IsLast {
		return audit.FirstID(s.Hour.End())
	}
	return s.Last + "\x00"
}

// blameObject turns a difference from the table into a problem of the object.
func (f *Finding) blameObject(damage *damageError) {
	f.InTable, f.Object, f.Detail = false, f.at.Key(), damage.Error()
	switch f.Problem {
	case Added:
		f.Problem = Removed
	case Removed:
		f.Problem = Added
	case Changed:
	}
}
