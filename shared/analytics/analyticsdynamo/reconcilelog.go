package analyticsdynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/analytics"
	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
)

// recount counts a day of a log again. It keeps the segments that it has read, because segments never change.
type recount struct {
	*Reconciler
	log           logs.Log
	day           calendar.Day
	contributions map[logs.SegmentName]contribution
	segments      map[logs.SegmentName]logs.Segment // the segments that the next one may overlap
}

// segmentTotals are the totals of one or more segments.
type segmentTotals struct {
	requests       analytics.RequestStats
	models         analytics.ModelUsage
	unread         int64
	longestMillis  int64 // time between the first and the last line of the longest segment
	parts          int64 // number of segments
	duplicateLines int64 // lines that an earlier segment has too; not included in the other numbers
}

func totalsOf(s logs.Segment) segmentTotals {
	t := segmentTotals{models: s.ModelUsage(), unread: int64(s.Unreadable()), parts: 1}
	if s.Log == logs.AccessLog {
		t.requests = *s.RequestStats()
	}
	if len(s.Lines) > 0 {
		t.longestMillis = dayItem{}.spanWith(s)
	}
	return t
}

func (t *segmentTotals) add(other segmentTotals) {
	t.requests.Merge(&other.requests)
	t.models.Calls += other.models.Calls
	t.models.InputTokens += other.models.InputTokens
	t.models.OutputTokens += other.models.OutputTokens
	t.models.MicroUSD += other.models.MicroUSD
	t.unread += other.unread
	t.longestMillis = max(t.longestMillis, other.longestMillis)
	t.parts += other.parts
	t.duplicateLines += other.duplicateLines
}

// lines returns how many lines were counted.
func (t segmentTotals) lines() int64 { return t.requests.Calls + t.models.Calls + t.unread }

// counters returns the numbers that the day's item should have.
func (t segmentTotals) counters(log logs.Log) analytics.Counters {
	c := t.requests.Counters()
	if log == logs.ModelLog {
		c = t.models.Counters()
	}
	c["unread"], c[span], c["parts"] = t.unread, t.longestMillis, t.parts
	return c
}

// storedDay is the content of a day's item.
type storedDay struct {
	version itemVersion
	damaged bool
	segmentTotals
}

func (r *recount) key() items.Map { return dayKey(partitionOf(r.log), r.day) }

// readStored reads the day's item. In an item that this program cannot have written, an attribute
// that is not a number counts as 0.
func (r *recount) readStored(ctx context.Context) (storedDay, error) {
	store := r.Recorder.store
	out, err := store.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &store.table, Key: r.key(), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return storedDay{}, fmt.Errorf("read %s of %s: %w", r.log, r.day, err)
	}
	stored := storedDay{version: versionOf(out.Item)}
	_, isValid := stored.version.number()
	for name, into := range map[string]*int64{span: &stored.longestMillis, "parts": &stored.parts, "unread": &stored.unread} {
		if raw, ok := out.Item[name]; ok {
			n, isInt := intAttribute(raw)
			*into, isValid = n, isValid && isInt
		}
	}
	stored.damaged = !r.decodeInto(&stored.segmentTotals, out.Item) || !isValid
	return stored, nil
}

// decodeInto reads the log's attributes of an item. It returns false if they are damaged.
func (r *recount) decodeInto(into *segmentTotals, item items.Map) bool {
	if r.log == logs.ModelLog {
		own := maps.Clone(item) // comparePulls checks these two
		delete(own, charts)
		delete(own, images)
		used, err := decodeUsage(own)
		if err == nil {
			into.models = used.Models
		}
		return err == nil
	}
	requests, err := decodeRequestStats(item)
	if err == nil {
		into.requests = *requests
	}
	return err == nil
}

// compare compares the day's item with the counted segments. A repair also counts segments that
// were archived but never counted, as if the log had delivered them again.
func (r *recount) compare(ctx context.Context) (comparison, error) {
	before, err := r.readStored(ctx)
	if err != nil {
		return comparison{}, err
	}
	archived, err := r.Recorder.archive.Names(ctx, r.log, r.day)
	if err != nil {
		return comparison{}, err
	}
	counted, strays, err := r.Recorder.countedSegments(ctx, r.log, r.day)
	if err != nil {
		return comparison{}, err
	}
	after, err := r.readStored(ctx)
	if err != nil {
		return comparison{}, err
	}
	if !isEqual(before.version, after.version) {
		return comparison{}, errConflict
	}
	sum, reason, err := r.sumSegments(ctx, after, counted)
	if err != nil || reason != "" {
		for _, stray := range strays {
			reason += "; " + r.Recorder.store.itemError(stray, errBadMarkerKey).Error()
		}
		return comparison{Findings: analytics.Findings{Gaps: r.gaps(reason)}}, err
	}
	return r.diff(ctx, after, sum, daySegments{archived, counted, strays})
}

func (r *recount) gaps(reason string) []analytics.Gap {
	return []analytics.Gap{{Source: string(r.log), Day: r.day.String(), Reason: reason}}
}

// sumSegments adds up the counted segments, and counts each line once even if several segments have
// it. It returns a reason if the segments cannot be counted.
func (r *recount) sumSegments(ctx context.Context, stored storedDay, all []counted) (
	sum segmentTotals, reason string, err error,
) {
	if missing := stored.parts - int64(len(all)); missing > 0 {
		return sum, fmt.Sprintf("%d of %d segments of the log are missing", missing, stored.parts), nil
	}
	var earlier []counted // segments of the stream that the next one may overlap
	for _, next := range all {
		earlier = slices.DeleteFunc(earlier, func(e counted) bool {
			return e.Stream != next.Stream || r.contributions[e.SegmentName].lastLogged.Before(next.FirstLogged)
		})
		part, err := r.contribution(ctx, next, earlier)
		if errors.Is(err, logs.ErrDamaged) || errors.Is(err, logs.ErrMissing) {
			return sum, err.Error(), nil
		}
		if err != nil {
			return sum, "", err
		}
		sum.add(part.segmentTotals)
		earlier = append(earlier, next)
	}
	return sum, "", nil
}

func (r *recount) readSegment(ctx context.Context, c counted) (logs.Segment, error) {
	lines, err := r.Recorder.lines(ctx, c)
	return logs.Segment{Log: r.log, Day: r.day, Stream: c.Stream, Lines: lines}, err
}

func (r *recount) diff(ctx context.Context, stored storedDay, recounted segmentTotals, segments daySegments) (comparison, error) {
	var c comparison
	log, day := string(r.log), r.day.String()
	c.Compare(log, day, stored.counters(r.log), recounted.counters(r.log))
	if stored.damaged {
		c.Differences = append(c.Differences, damagedItemDifference(log, day))
	}
	isWrong := len(c.Differences) > 0
	add := func(counter string, stored, recounted int64) {
		if stored+recounted > 0 {
			c.Differences = append(c.Differences, analytics.Difference{
				Source: log, Day: day, Counter: counter, Stored: stored, Recounted: recounted,
			})
		}
	}
	add("lines counted twice", max(0, min(recounted.duplicateLines, stored.lines()-recounted.lines())), 0)
	uncounted, lines, err := r.uncountedSegments(ctx, segments, time.Duration(recounted.longestMillis)*time.Millisecond)
	if err != nil {
		return c, err
	}
	add("uncounted lines", 0, lines)
	add("invalid markers", int64(len(segments.strays)), 0)
	c.repair = func(ctx context.Context) error {
		if isWrong {
			if err := r.write(ctx, stored, recounted); err != nil {
				return err
			}
		}
		if err := r.removeStrays(ctx, segments.strays); err != nil {
			return err
		}
		for _, segment := range uncounted {
			if _, err := r.Recorder.Record(ctx, segment); err != nil {
				return err
			}
		}
		return nil
	}
	return c, nil
}

// removeStrays deletes the strays, which keep the Recorder from counting. Every segment that the
// day's item includes has its own marker, apart from the strays.
func (r *recount) removeStrays(ctx context.Context, strays []items.Map) error {
	store := r.Recorder.store
	for _, stray := range strays {
		_, err := store.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: &store.table, Key: items.Map{"pk": stray["pk"], "sk": stray["sk"]},
			ConditionExpression: aws.String("attribute_exists(pk)"),
		}, items.RetryConflicts)
		if err != nil {
			return asConflict(store.itemError(stray, err))
		}
	}
	return nil
}

// daySegments are the segments of a day: those in the archive, and those with a marker. Strays are
// items in the partition of the markers that do not name a segment.
type daySegments struct {
	archived []logs.SegmentName
	counted  []counted
	strays   []items.Map
}

// uncountedSegments returns the segments that were archived but never counted, without the lines
// that other segments have, and the number of their lines. A Recorder leaves such a segment if it
// fails between archiving and counting. A damaged segment without a marker is skipped, because no
// number includes it.
func (r *recount) uncountedSegments(ctx context.Context, day daySegments, span time.Duration) (
	all []logs.Segment, lines int64, err error,
) {
	isCounted := map[logs.SegmentName]bool{}
	for _, c := range day.counted {
		isCounted[c.SegmentName] = true
	}
	var others []logs.Line
	for _, name := range day.archived {
		if isCounted[name] {
			continue
		}
		segment, err := r.readSegment(ctx, counted{SegmentName: name})
		if err == nil {
			segment, err = r.withoutCountedLines(ctx, segment.Without(others), day.counted, span)
		}
		if err != nil && !errors.Is(err, logs.ErrDamaged) {
			return nil, 0, err
		}
		if err == nil && len(segment.Lines) > 0 {
			others = append(others, segment.Lines...)
			lines += int64(len(segment.Lines))
			all = append(all, segment)
		}
	}
	return all, lines, nil
}

// withoutCountedLines returns the segment without the lines of counted segments that overlap it.
// None of them is longer than span.
func (r *recount) withoutCountedLines(
	ctx context.Context, s logs.Segment, all []counted, span time.Duration,
) (logs.Segment, error) {
	for _, c := range all {
		if len(s.Lines) == 0 {
			break
		}
		if c.Stream != s.Stream || c.FirstLogged.After(s.LastLogged()) || c.FirstLogged.Add(span).Before(s.FirstLogged()) {
			continue
		}
		other, err := r.readSegment(ctx, c)
		if err != nil {
			return s, err
		}
		s = s.Without(other.Lines)
	}
	return s, nil
}

// write replaces the numbers of the day with the recounted ones.
func (r *recount) write(ctx context.Context, stored storedDay, recounted segmentTotals) error {
	if r.log == logs.ModelLog {
		return r.writeModels(ctx, stored, recounted)
	}
	condition, values := stored.version.unchanged()
	item := items.Encode(dayItem{stored.version.next(), recounted.longestMillis, recounted.parts, encodeRequestStats(&recounted.requests)})
	maps.Copy(item, r.key())
	input := &dynamodb.PutItemInput{
		TableName: &r.Recorder.store.table, Item: item, ConditionExpression: &condition,
		ExpressionAttributeNames: map[string]string{"#version": version},
	}
	if len(values) > 0 {
		input.ExpressionAttributeValues = values
	}
	_, err := r.Recorder.store.client.PutItem(ctx, input, items.RetryConflicts)
	return asConflict(err)
}

// writeModels leaves the attributes of other writers unchanged.
func (r *recount) writeModels(ctx context.Context, stored storedDay, recounted segmentTotals) error {
	condition, values := stored.version.unchanged()
	numbers := recounted.counters(logs.ModelLog)
	numbers[version] = stored.version.next()
	var sets []string
	names := map[string]string{}
	for name, n := range numbers {
		names["#"+name], values[":to_"+name] = name, items.Number(n)
		sets = append(sets, "#"+name+" = :to_"+name)
	}
	_, err := r.Recorder.store.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &r.Recorder.store.table, Key: r.key(), UpdateExpression: aws.String("SET " + strings.Join(sets, ", ")),
		ConditionExpression: &condition, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	}, items.RetryConflicts)
	return asConflict(err)
}

// asConflict returns errConflict for a failed condition, and other errors unchanged.
func asConflict(err error) error {
	if err != nil && items.ConditionFailed(err) {
		return errConflict
	}
	return err
}
