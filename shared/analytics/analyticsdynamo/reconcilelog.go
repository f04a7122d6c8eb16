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
	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
)

// recount counts a day of a log again. It remembers what it has read, since parts never change.
type recount struct {
	*Reconciler
	log   analytics.Log
	day   calendar.Day
	known map[analytics.Name]share
	open  map[analytics.Name]analytics.Part // as they were read, as long as they may overlap the next
}

// tally is what parts come to.
type tally struct {
	requests analytics.Requests
	models   analytics.Models
	unread   int64
	span     int64 // of the longest
	parts    int64
	twice    int64 // lines that an earlier part has too, and that are in no other number here
}

func tallyOf(p analytics.Part) tally {
	t := tally{models: p.Models(), unread: int64(p.Unread()), parts: 1}
	if p.Log == analytics.AccessLog {
		t.requests = *p.Requests()
	}
	if len(p.Lines) > 0 {
		t.span = dayItem{}.spanWith(p)
	}
	return t
}

func (t *tally) add(other tally) {
	t.requests.Merge(&other.requests)
	t.models.Calls += other.models.Calls
	t.models.InputTokens += other.models.InputTokens
	t.models.OutputTokens += other.models.OutputTokens
	t.models.MicroUSD += other.models.MicroUSD
	t.unread += other.unread
	t.span = max(t.span, other.span)
	t.parts += other.parts
	t.twice += other.twice
}

// lines is how many were counted.
func (t tally) lines() int64 { return t.requests.Calls + t.models.Calls + t.unread }

// counters are the numbers that the day's item must have.
func (t tally) counters(log analytics.Log) analytics.Counters {
	c := t.requests.Counters()
	if log == analytics.ModelLog {
		c = t.models.Counters()
	}
	c["unread"], c[span], c["parts"] = t.unread, t.span, t.parts
	return c
}

// keptDay is a day's item.
type keptDay struct {
	version seen
	damaged bool
	tally
}

func (r *recount) key() items.Map { return dayKey(partitionOf(r.log), r.day) }

// kept reads the day's item. Of one that is not as this program writes it, what is no number counts for nothing.
func (r *recount) kept(ctx context.Context) (keptDay, error) {
	store := r.Recorder.store
	out, err := store.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &store.table, Key: r.key(), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return keptDay{}, fmt.Errorf("read %s of %s: %w", r.log, r.day, err)
	}
	k := keptDay{version: versionOf(out.Item)}
	_, sound := k.version.number()
	for name, into := range map[string]*int64{span: &k.span, "parts": &k.parts, "unread": &k.unread} {
		if raw, is := out.Item[name]; is {
			n, whole := wholeNumber(raw)
			*into, sound = n, sound && whole
		}
	}
	k.damaged = !r.take(&k.tally, out.Item) || !sound
	return k, nil
}

// take reads what an item has of the log; false for one that nobody wrote.
func (r *recount) take(into *tally, item items.Map) bool {
	if r.log == analytics.ModelLog {
		own := maps.Clone(item) // that of the pulls is looked at with their log
		delete(own, charts)
		delete(own, images)
		used, err := usageOf(own)
		if err == nil {
			into.models = used.Models
		}
		return err == nil
	}
	requests, err := requestsOf(item)
	if err == nil {
		into.requests = *requests
	}
	return err == nil
}

// look compares the day's item with the parts. With Mend, lines that were put into the archive and never counted are counted
// first, as if the log had delivered them again.
func (r *recount) look(ctx context.Context) (look, error) {
	before, err := r.kept(ctx)
	if err != nil {
		return look{}, err
	}
	in, err := r.Recorder.archive.Names(ctx, r.log, r.day)
	if err != nil {
		return look{}, err
	}
	marked, strays, err := r.Recorder.marked(ctx, in)
	if err != nil {
		return look{}, err
	}
	after, err := r.kept(ctx)
	if err != nil {
		return look{}, err
	}
	if !same(before.version, after.version) {
		return look{}, errOvertaken
	}
	counted, reason, err := r.count(ctx, after, marked)
	if err != nil || reason != "" {
		for _, stray := range strays {
			reason += "; " + r.Recorder.store.at(stray, errNoMarker).Error()
		}
		return look{Findings: analytics.Findings{Gaps: r.gaps(reason)}}, err
	}
	return r.compare(ctx, after, counted, parts{in, marked, strays})
}

func (r *recount) gaps(reason string) []analytics.Gap {
	return []analytics.Gap{{Of: string(r.log), Day: r.day.String(), Reason: reason}}
}

// count adds up the parts that are marked as counted, and each line once even where several have it; or it says why it cannot.
func (r *recount) count(ctx context.Context, kept keptDay, marked []analytics.Name) (sum tally, reason string, err error) {
	if missing := kept.parts - int64(len(marked)); missing > 0 {
		return sum, fmt.Sprintf("%d of %d parts of the log are missing", missing, kept.parts), nil
	}
	var before []analytics.Name // of the stream, which the next may overlap
	for _, name := range marked {
		before = slices.DeleteFunc(before, func(b analytics.Name) bool {
			return b.Stream != name.Stream || r.known[b].to.Before(name.From)
		})
		one, err := r.share(ctx, name, before)
		if errors.Is(err, analytics.ErrDamaged) || errors.Is(err, analytics.ErrMissing) {
			return sum, err.Error(), nil
		}
		if err != nil {
			return sum, "", err
		}
		sum.add(one.tally)
		before = append(before, name)
	}
	return sum, "", nil
}

func (r *recount) read(ctx context.Context, name analytics.Name) (analytics.Part, error) {
	lines, err := r.Recorder.archive.Get(ctx, name)
	return analytics.Part{Log: r.log, Day: r.day, Stream: name.Stream, Lines: lines}, err
}

func (r *recount) compare(ctx context.Context, kept keptDay, counted tally, of parts) (look, error) {
	var l look
	log, day := string(r.log), r.day.String()
	l.Compare(log, day, kept.counters(r.log), counted.counters(r.log))
	if kept.damaged {
		l.Differences = append(l.Differences, damagedItem(log, day))
	}
	wrong := len(l.Differences) > 0
	if twice := min(counted.twice, kept.lines()-counted.lines()); twice > 0 {
		l.Differences = append(l.Differences, analytics.Difference{Of: log, Day: day, Counter: "lines counted twice", Kept: twice})
	}
	loose, lines, err := r.loose(ctx, of, time.Duration(counted.span)*time.Millisecond)
	if err != nil {
		return l, err
	}
	if lines > 0 {
		l.Differences = append(l.Differences, analytics.Difference{Of: log, Day: day, Counter: "lines never counted", Counted: lines})
	}
	if n := len(of.strays); n > 0 {
		l.Differences = append(l.Differences, analytics.Difference{Of: log, Day: day, Counter: "markers of no part", Kept: int64(n)})
	}
	l.mend = func(ctx context.Context) error {
		if wrong {
			if err := r.write(ctx, kept, counted); err != nil {
				return err
			}
		}
		if err := r.remove(ctx, of.strays); err != nil {
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
func (r *recount) remove(ctx context.Context, strays []items.Map) error {
	store := r.Recorder.store
	for _, stray := range strays {
		_, err := store.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: &store.table, Key: items.Map{"pk": stray["pk"], "sk": stray["sk"]},
			ConditionExpression: aws.String("attribute_exists(pk)"),
		}, items.RetryConflicts)
		if err != nil {
			return overtaken(store.at(stray, err))
		}
	}
	return nil
}

// parts are those of a day: in the archive, and marked as counted. Strays stand among the markers and are none.
type parts struct {
	kept, marked []analytics.Name
	strays       []items.Map
}

// loose returns the lines of parts that were put into the archive by somebody who did not come to count them, as far as nobody
// else has counted them since; and how many they are. What nobody counted and is damaged is missed by no number.
func (r *recount) loose(ctx context.Context, of parts, span time.Duration) (all []analytics.Part, lines int64, err error) {
	counted := map[analytics.Name]bool{}
	for _, name := range of.marked {
		counted[name] = true
	}
	var others []analytics.Line
	for _, name := range of.kept {
		if counted[name] {
			continue
		}
		part, err := r.read(ctx, name)
		if err == nil {
			part, err = r.uncounted(ctx, part.Without(others), of.marked, span)
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
func (r *recount) uncounted(ctx context.Context, p analytics.Part, marked []analytics.Name, span time.Duration) (analytics.Part, error) {
	for _, name := range marked {
		if len(p.Lines) == 0 {
			break
		}
		if name.Stream != p.Stream || name.From.After(p.To()) || name.From.Add(span).Before(p.From()) {
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
func (r *recount) write(ctx context.Context, kept keptDay, counted tally) error {
	if r.log == analytics.ModelLog {
		return r.writeModels(ctx, kept, counted)
	}
	condition, values := kept.version.unchanged()
	item := items.Encode(dayItem{kept.version.next(), counted.span, counted.parts, packed(&counted.requests)})
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
func (r *recount) writeModels(ctx context.Context, kept keptDay, counted tally) error {
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
	if err != nil && items.ConditionFailed(err) {
		return errOvertaken
	}
	return err
}
