package pullsdynamo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/calendar"
	"portside/shared/core/parallel"
	"portside/shared/dynamo/items"
	"portside/shared/pulls"
)

// checksSuffix ends the names of batches of checks, and of notes about uncounted checks.
const checksSuffix = "#checks"

func isOfChecks(batch string) bool { return strings.HasSuffix(batch, checksSuffix) }

// Checks is the kind of the number of checks in the result of Count.
const Checks pulls.Kind = "check"

// listOf returns the prefix of keys in the list of checks, or "" for pulls. Separate keys let both lists be read
// without a filter. Names contain no colon.
func listOf(isChecks bool) string {
	if isChecks {
		return "checks:"
	}
	return ""
}

// hourLayout is the sort key of the checks of an hour.
const hourLayout = "2006-01-02T15"

// maxChecksOfNote limits the keys in a note. Each has 47 bytes.
const maxChecksOfNote = 1000

// hour is the stored form of the checks of a tag with a credential in an hour. It keeps a set of seconds, so repeated
// and reordered lines do not change it, and its size is bounded however often a client checks.
type hour struct {
	Seconds []int64 `dynamodbav:"seconds,numberset"`
	Counted int64   `dynamodbav:"counted"` // seconds that windows up to Window have counted
	Before  int64   `dynamodbav:"before"`  // seconds that windows before Window have counted
	Window  int64   `dynamodbav:"window"`
}

// hourKey returns the key of the checks of an hour. Its parts separate them in a note, too.
func hourKey(p pulls.Pull) (pk, sk string) { return "check#" + p.ID(), p.At.UTC().Format(hourLayout) }

// given are the checks of an hour in one call of Record.
type given struct {
	pulls.Pull // with the beginning of the hour as its time

	seconds map[int64]bool
	last    time.Time
}

// recordChecks adds checks, and returns how many were new. It adds an hour to the list, like a pull, then the seconds
// of all checks, and last a note that lets CountPending count them. After a failure, the next delivery of the lines
// adds the rest.
func (s *Store) recordChecks(ctx context.Context, all []pulls.Pull) (int, error) {
	hours := byHour(all)
	stored := make([]hour, len(hours))
	isListed := make([]bool, len(hours))
	err := parallel.Each(len(hours), maxConcurrentCalls, func(i int) (err error) {
		stored[i], isListed[i], err = s.readHour(ctx, items.Key(hourKey(hours[i].Pull)))
		return err
	})
	if err != nil {
		return 0, err
	}
	var unlisted []pulls.Pull
	for i, h := range hours {
		if !isListed[i] {
			unlisted = append(unlisted, h.Pull)
		}
	}
	if _, err := s.recordDistinct(ctx, unlisted); err != nil {
		return 0, err
	}
	return s.addChecks(ctx, hours, stored)
}

// byHour groups checks by tag, credential and hour. An hour has the address and client of its first check.
func byHour(all []pulls.Pull) []given {
	hours := map[string]*given{}
	slices.SortFunc(all, func(a, b pulls.Pull) int { return a.At.Compare(b.At) })
	for _, p := range all {
		if hours[p.ID()] == nil {
			hours[p.ID()] = &given{Pull: p, seconds: map[int64]bool{}}
			hours[p.ID()].At = p.Hour()
		}
		h := hours[p.ID()]
		h.seconds[int64(p.At.Sub(p.Hour())/time.Second)], h.last = true, p.At
	}
	found := make([]given, 0, len(hours))
	for _, id := range slices.Sorted(maps.Keys(hours)) {
		found = append(found, *hours[id])
	}
	return found
}

func (s *Store) readHour(ctx context.Context, key items.Map) (hour, bool, error) {
	return items.Get[hour](ctx, items.In(s.client, s.pulls), key)
}

// addChecks adds the seconds of the hours and a note for them. It skips an hour that already has all of them and is
// counted.
func (s *Store) addChecks(ctx context.Context, hours []given, stored []hour) (int, error) {
	var added atomic.Int64
	var changed []given
	for i, h := range hours {
		for _, second := range stored[i].Seconds {
			delete(h.seconds, second)
		}
		if len(h.seconds) > 0 || stored[i].Counted < int64(len(stored[i].Seconds)) {
			changed = append(changed, h)
		}
	}
	err := parallel.Each(len(changed), maxConcurrentCalls, func(i int) error {
		added.Add(int64(len(changed[i].seconds)))
		return s.addSeconds(ctx, changed[i])
	})
	for part := range slices.Chunk(changed, maxChecksOfNote) {
		if err == nil {
			err = s.noteChecks(ctx, part)
		}
	}
	return int(added.Load()), err
}

func (s *Store) addSeconds(ctx context.Context, h given) error {
	if len(h.seconds) == 0 {
		return nil
	}
	set := &types.AttributeValueMemberNS{}
	for second := range h.seconds {
		set.Value = append(set.Value, fmt.Sprint(second))
	}
	_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.pulls, Key: items.Key(hourKey(h.Pull)),
		UpdateExpression:          aws.String("ADD seconds :seconds SET purgeAt = :purgeAt"),
		ExpressionAttributeValues: items.Map{":seconds": set, ":purgeAt": items.Number(h.At.Add(batchRetention).Unix())},
	})
	if err != nil {
		return fmt.Errorf("add checks: %w", err)
	}
	return nil
}

// noteChecks writes one note for each day, because the reconciliation of a day waits for its notes.
func (s *Store) noteChecks(ctx context.Context, hours []given) error {
	byDay := map[calendar.Day]*types.AttributeValueMemberSS{}
	last := map[calendar.Day]time.Time{}
	for _, h := range hours {
		day := calendar.DayOf(h.At)
		if byDay[day] == nil {
			byDay[day] = &types.AttributeValueMemberSS{}
		}
		pk, sk := hourKey(h.Pull)
		byDay[day].Value, last[day] = append(byDay[day].Value, sk+"#"+pk), h.last
	}
	for day, keys := range byDay {
		note := newBatch(last[day]) + checksSuffix
		item := pendingKey(note)
		item["checks"], item["purgeAt"] = keys, items.Number(batchPurge(note))
		_, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: &s.pulls, Item: item, ConditionExpression: aws.String("attribute_not_exists(pk)"),
		})
		if err != nil && !items.ConditionFailed(err) { // the condition fails if the SDK repeats a call after a lost response
			return fmt.Errorf("note checks: %w", err)
		}
	}
	return nil
}

// tallyChecks adds the checks in the notes to a window. A missing note was removed after its window was applied.
func (s *Store) tallyChecks(ctx context.Context, number int64, notes []items.Map, t *tally) error {
	hours := map[string]bool{}
	err := items.GetAll(ctx, items.In(s.client, s.pulls), notes, func(note items.Map) error {
		if named, ok := note["checks"].(*types.AttributeValueMemberSS); ok {
			for _, key := range named.Value {
				hours[key] = true
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	named := slices.Sorted(maps.Keys(hours))
	added := make([]int64, len(named))
	err = parallel.Each(len(named), maxConcurrentCalls, func(i int) (err error) {
		sk, pk, _ := strings.Cut(named[i], "#")
		added[i], err = s.assignHour(ctx, number, items.Key(pk, sk))
		return err
	})
	for i, n := range added {
		if n > 0 && err == nil {
			var day calendar.Day
			day, err = calendar.ParseDay(named[i][:len(time.DateOnly)])
			t.addTo(day, Checks, n)
		}
	}
	return err
}

// assignHour assigns the uncounted checks of an hour to a window, and returns their number. It returns the same number
// each time for the same window.
func (s *Store) assignHour(ctx context.Context, number int64, key items.Map) (int64, error) {
	for {
		h, _, err := s.readHour(ctx, key)
		switch {
		case err != nil || h.Window > number:
			return 0, err
		case h.Window == number:
			return h.Counted - h.Before, nil
		}
		seconds := int64(len(h.Seconds))
		_, err = s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: &s.pulls, Key: key,
			UpdateExpression:         aws.String("SET counted = :counted, #before = :before, #window = :window"),
			ConditionExpression:      aws.String("attribute_exists(pk) AND (attribute_not_exists(#window) OR #window = :last)"),
			ExpressionAttributeNames: map[string]string{"#before": "before", "#window": "window"},
			ExpressionAttributeValues: items.Map{
				":counted": items.Number(seconds), ":before": items.Number(h.Counted), ":window": items.Number(number),
				":last": items.Number(h.Window),
			},
		})
		if !items.ConditionFailed(err) {
			return seconds - h.Counted, err
		}
	}
}

// SetChecks implements pulls.Store.
func (s *Store) SetChecks(ctx context.Context, found []pulls.Pull) error {
	keys, places := make([]items.Map, len(found)), map[string]int{}
	for i, p := range found {
		pk, sk := hourKey(p)
		keys[i], places[pk] = items.Key(pk, sk), i
	}
	return s.eachHour(ctx, keys, func(pk string, h hour) { found[places[pk]].Checks = len(h.Seconds) })
}

func (s *Store) eachHour(ctx context.Context, keys []items.Map, yield func(pk string, h hour)) error {
	return items.GetAll(ctx, items.In(s.client, s.pulls), keys, func(item items.Map) error {
		h, err := items.Decode[struct {
			PK string
			hour
		}](item)
		if err == nil {
			yield(h.PK, h.hour)
		}
		return err
	})
}

// countChecks counts the checks of a day.
func (s *Store) countChecks(ctx context.Context, day calendar.Day) (int64, error) {
	var keys []items.Map
	err := s.eachBatch(ctx, day, true, func(item items.Map) error {
		all, err := unpack(item)
		for _, p := range all {
			keys = append(keys, items.Key(hourKey(p)))
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	sum := int64(0)
	return sum, s.eachHour(ctx, keys, func(_ string, h hour) { sum += int64(len(h.Seconds)) })
}
