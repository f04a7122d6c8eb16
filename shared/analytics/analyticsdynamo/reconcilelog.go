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
	"portside/shared/dynamo/items"
)

// recount counts a day of a log again. It remembers what it has read, since parts never change.
type recount struct {
	*Reconciler
	log   analytics.Log
	day   analytics.Day
	contributions map[analytics.SegmentName]contribution
	segments  map[analytics.SegmentName]analytics.Segment // as they were read, as long as they may overlap the next
}

// tally is what parts come to.
type segmentTotals struct {
	requests analytics.RequestStats
	models   analytics.ModelUsage
	unread   int64
	longestMillis     int64 // of the longest
	parts    int64
	duplicateLines    int64 // lines that an earlier part has too, and that are in no other number here
}

func totalsOf(p analytics.Segment) segmentTotals {
	t := segmentTotals{models: p.ModelUsage(), unread: int64(p.Unreadable()), parts: 1}
	if p.Log == analytics.AccessLog {
		t.requests = *p.RequestStats()
	}
	if len(p.Lines) > 0 {
		t.longestMillis = dayItem{}.spanWith(p)
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

// lines is how many were counted.
func (t segmentTotals) lines() int64 { return t.requests.Calls + t.models.Calls + t.unread }

// counters are the numbers that the day's item must have.
func (t segmentTotals) counters(log analytics.Log) analytics.Counters {
	c := t.requests.Counters()
	if log == analytics.ModelLog {
		c = t.models.Counters()
	}
	c["unread"], c[span], c["parts"] = t.unread, t.longestMillis, t.parts
	return c
}

// keptDay is a day's item.
type storedDay struct {
	version itemVersion
	damaged bool
	segmentTotals
}

func (r *recount) key() items.Map { return dayKey(partitionOf(r.log), r.day) }

// kept reads the day's item. Of one that is not as this program writes it, what is no number counts for nothing.
func (r *recount) readStored(ctx context.Context) (storedDay, error) {
	store := r.Recorder.store
	out, err := store.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &store.table, Key: r.key(), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return storedDay{}, fmt.Errorf("read %s of %s: %w", r.log, r.day, err)
	}
	k := storedDay{version: versionOf(out.Item)}
	_, sound := k.version.number()
	for name, into := range map[string]*int64{span: &k.longestMillis, "parts": &k.parts, "unread": &k.unread} {
		if raw, is := out.Item[name]; is {
			n, whole := intAttribute(raw)
			*into, sound = n, sound && whole
		}
	}
	k.damaged = !r.decodeInto(&k.segmentTotals, out.Item) || !sound
	return k, nil
}

// take reads what an item has of the log; false for one that nobody wrote.
func (r *recount) decodeInto(into *segmentTotals, item items.Map) bool {
	if r.log == analytics.ModelLog {
		own := maps.Clone(item) // that of the pulls is looked at with their log
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

// look compares the day's item with the parts. With Mend, lines that were put into the archive and never counted are counted
// first, as if the log had delivered them again.
func (r *recount) compare(ctx context.Context) (comparison, error) {
	before, err := r.readStored(ctx)
	if err != nil {
		return comparison{}, err
	}
	in, err := r.Recorder.archive.Names(ctx, r.log, r.day)
	if err != nil {
		return comparison{}, err
	}
	marked, strays, err := r.Recorder.countedSegments(ctx, in)
	if err != nil {
		return comparison{}, err
	}
	after, err := r.readStored(ctx)
	if err != nil {
		return comparison{}, err
	}
	if !isEqual(before.version, after.version) {
		return comparison{}, errOvertaken
	}
	counted, reason, err := r.sumSegments(ctx, after, marked)
	if err != nil || reason != "" {
		for _, stray := range strays {
			reason += "; " + r.Recorder.store.itemError(stray, errBadMarkerKey).Error()
		}
		return comparison{Findings: analytics.Findings{Gaps: r.gaps(reason)}}, err
	}
	return r.diff(ctx, after, counted, daySegments{in, marked, strays})
}

func (r *recount) gaps(reason string) []analytics.Gap {
	return []analytics.Gap{{Source: string(r.log), Day: r.day.String(), Reason: reason}}
}

// count adds up the parts that are marked as counted, and each line once even where several have it; or it says why it cannot.
func (r *recount) sumSegments(ctx context.Context, kept storedDay, marked []analytics.SegmentName) (sum segmentTotals, reason string, err error) {
	if missing := kept.parts - int64(len(marked)); missing > 0 {
		return sum, fmt.Sprintf("%d of %d parts of the log are missing", missing, kept.parts), nil
	}
	var before []analytics.SegmentName // of the stream, which the next may overlap
	for _, name := range marked {
		before = slices.DeleteFunc(before, func(b analytics.SegmentName) bool {
			return b.Stream != name.Stream || r.contributions[b].lastLogged.Before(name.FirstLogged)
		})
		one, err := r.contribution(ctx, name, before)
		if errors.Is(err, analytics.ErrDamaged) || errors.Is(err, analytics.ErrMissing) {
			return sum, err.Error(), nil
		}
		if err != nil {
			return sum, "", err
		}
		sum.add(one.segmentTotals)
		before = append(before, name)
	}
	return sum, "", nil
}

func (r *recount) read(ctx context.Context, name analytics.SegmentName) (analytics.Segment, error) {
	lines, err := r.Recorder.archive.Get(ctx, name)
	return analytics.Segment{Log: r.log, Day: r.day, Stream: name.Stream, Lines: lines}, err
}

func (r *recount) diff(ctx context.Context, kept storedDay, counted segmentTotals, of daySegments) (comparison, error) {
	var l comparison
	log, day := string(r.log), r.day.String()
	l.Compare(log, day, kept.counters(r.log), counted.counters(r.log))
	if kept.damaged {
		l.Differences = append(l.Differences, damagedItemDifference(log, day))
	}
	wrong := len(l.Differences) > 0
	if twice := min(counted.duplicateLines, kept.lines()-counted.lines()); twice > 0 {
		l.Differences = append(l.Differences, analytics.Difference{Source: log, Day: day, Counter: "lines counted twice", Stored: twice})
	}
	loose, lines, err := r.uncountedSegments(ctx, of, time.Duration(counted.longestMillis)*time.Millisecond)
	if err != nil {
		return l, err
	}
	if lines > 0 {
		l.Differences = append(l.Differences, analytics.Difference{Source: log, Day: day, Counter: "lines never counted", Recounted: lines})
	}
	if n := len(of.strays); n > 0 {
		l.Differences = append(l.Differences, analytics.Difference{Source: log, Day: day, Counter: "markers of no part", Stored: int64(n)})
	}
	l.repair = func(ctx context.Context) error {
		if wrong {
			if err := r.write(ctx, kept, counted); err != nil {
				return err
			}
		}
		if err := r.removeStrays(ctx, of.strays); err != nil {
			return err
		}
		for _, part := range loose {
			if _, err := r.Recorder.Record(ctx, part); err != nil {
				return err
			}
		}
		return nil
	}
	return l, nil
}

// remove takes strays away, which keep Recorder from counting. All parts that the day's item knows of have a marker besides them.
func (r *recount) removeStrays(ctx context.Context, strays []items.Map) error {
	store := r.Recorder.store
	for _, stray := range strays {
		_, err := store.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: &store.table, Key: items.Map{"pk": stray["pk"], "sk": stray["sk"]},
			ConditionExpression: aws.String("attribute_exists(pk)"),
		}, items.RetryConflicts)
		if err != nil {
			return overtaken(store.itemError(stray, err))
		}
	}
	return nil
}

// parts are those of a day: in the archive, and marked as counted. Strays stand among the markers and are none.
type daySegments struct {
	archived, counted []analytics.SegmentName
	strays       []items.Map
}

// loose returns the lines of parts that were put into the archive by somebody who did not come to count them, as far as nobody
// else has counted them since; and how many they are. What nobody counted and is damaged is missed by no number.
func (r *recount) uncountedSegments(ctx context.Context, of daySegments, span time.Duration) (all []analytics.Segment, lines int64, err error) {
	counted := map[analytics.SegmentName]bool{}
	for _, name := range of.counted {
		counted[name] = true
	}
	var others []analytics.LogLine
	for _, name := range of.archived {
		if counted[name] {
			continue
		}
		part, err := r.read(ctx, name)
		if err == nil {
			part, err = r.withoutCountedLines(ctx, part.Without(others), of.counted, span)
		}
		if err != nil && !errors.Is(err, analytics.ErrDamaged) {
			return nil, 0, err
		}
		if err == nil && len(part.Lines) > 0 {
			others = append(others, part.Lines...)
			lines += int64(len(part.Lines))
			all = append(all, part)
		}
	}
	return all, lines, nil
}

// uncounted returns a part less the lines of the marked ones that overlap it, of which none is longer than the span.
func (r *recount) withoutCountedLines(ctx context.Context, p analytics.Segment, marked []analytics.SegmentName, span time.Duration) (analytics.Segment, error) {
	for _, name := range marked {
		if len(p.Lines) == 0 {
			break
		}
		if name.Stream != p.Stream || name.FirstLogged.After(p.LastLogged()) || name.FirstLogged.Add(span).Before(p.FirstLogged()) {
			continue
		}
		other, err := r.read(ctx, name)
		if err != nil {
			return p, err
		}
		p = p.Without(other.Lines)
	}
	return p, nil
}

// write puts the day right.
func (r *recount) write(ctx context.Context, kept storedDay, counted segmentTotals) error {
	if r.log == analytics.ModelLog {
		return r.writeModels(ctx, kept, counted)
	}
	condition, values := kept.version.unchanged()
	item := items.Encode(dayItem{kept.version.next(), counted.longestMillis, counted.parts, encodeRequestStats(&counted.requests)})
	maps.Copy(item, r.key())
	input := &dynamodb.PutItemInput{
		TableName: &r.Recorder.store.table, Item: item, ConditionExpression: &condition,
		ExpressionAttributeNames: map[string]string{"#version": version},
	}
	if len(values) > 0 {
		input.ExpressionAttributeValues = values
	}
	_, err := r.Recorder.store.client.PutItem(ctx, input, items.RetryConflicts)
	return overtaken(err)
}

// writeModels leaves alone what others write about the day.
func (r *recount) writeModels(ctx context.Context, kept storedDay, counted segmentTotals) error {
	condition, values := kept.version.unchanged()
	numbers := counted.counters(analytics.ModelLog)
	numbers[version] = kept.version.next()
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
	return overtaken(err)
}

// overtaken tells a failed condition from other errors.
func overtaken(err error) error {
	if err != nil && items.Failed(err) {
		return errOvertaken
	}
	return err
}
