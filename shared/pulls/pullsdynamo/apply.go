package pullsdynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/calendar"
	"portside/shared/core/parallel"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/pullcounts"
	"portside/shared/pulls"
)

// dayCounters has the attribute of the day's item for each kind.
var dayCounters = map[pulls.Kind]string{pulls.Chart: "charts", pulls.Image: "images", Checks: "checks"}

// apply adds a window to all counts and rankings that do not have it yet. The rankings follow the counts, so that a
// call that repeats the window finds the same counts.
func (s *Store) apply(ctx context.Context, number int64, t *tally) error {
	for day, kinds := range t.days {
		if err := s.addDay(ctx, number, day, kinds); err != nil {
			return err
		}
	}
	counted, err := s.load(ctx, t.names)
	if err != nil {
		return err
	}
	err = parallel.Each(len(counted), maxConcurrentCalls, func(i int) error {
		return s.addCounts(ctx, number, counted[i], t.names[counted[i].name])
	})
	if err != nil {
		return err
	}
	return s.rank(ctx, number, changedPlaces(counted, t.names))
}

// addDay adds to the totals of a day unless they have the window already.
func (s *Store) addDay(ctx context.Context, number int64, day calendar.Day, kinds map[pulls.Kind]int64) error {
	expression, values := "", items.Map{":window": items.Number(number)}
	for kind, n := range kinds {
		attribute := dayCounters[kind]
		expression += ", " + attribute + " :" + attribute
		values[":"+attribute] = items.Number(n)
	}
	_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.analytics, Key: items.Key("usage", day.String()),
		UpdateExpression:          aws.String("ADD " + expression[2:] + " SET pullsWindow = :window"),
		ConditionExpression:       aws.String("attribute_not_exists(pullsWindow) OR pullsWindow < :window"),
		ExpressionAttributeValues: values,
	})
	if err != nil && !items.ConditionFailed(err) {
		return fmt.Errorf("add to the pulls of a day: %w", err)
	}
	return nil
}

// counts are the pulls of an artifact or user in the years of a window.
type counts struct {
	name  string
	years map[string]*year
}

// year is a stored item.
type year struct {
	window int64 // 0 if the item does not exist
	days   pullcounts.Days
}

func decodeYear(item items.Map) (*year, error) {
	days, err := pullcounts.UnpackDays(item)
	return &year{number(item[pullcounts.Window]), days}, err
}

// sum returns the pulls in a span.
func (c counts) sum(span calendar.Span) int64 {
	sum := int64(0)
	for _, y := range c.years {
		sum += y.days.Sum(span.First, span.Last)
	}
	return sum
}

// yearsOf returns the years of the spans that the days belong to. A week can belong to two years.
func yearsOf(days pullcounts.Days) map[string]*year {
	years := map[string]*year{}
	for day := range days {
		for _, span := range calendar.SpansOf(day) {
			years[pullcounts.Year(span.First)], years[pullcounts.Year(span.Last)] = &year{}, &year{}
		}
	}
	for name := range years {
		years[name] = &year{days: pullcounts.Days{}}
	}
	return years
}

// load reads the counts of the years that the given pulls change.
func (s *Store) load(ctx context.Context, names map[string]pullcounts.Days) ([]counts, error) {
	all := make([]counts, 0, len(names))
	for name, days := range names {
		all = append(all, counts{name, yearsOf(days)})
	}
	const perCall = 50 // of which each has at most two years; BatchGetItem takes 100 keys
	chunks := slices.Collect(slices.Chunk(all, perCall))
	return all, parallel.Each(len(chunks), maxConcurrentCalls, func(i int) error {
		return s.loadChunk(ctx, chunks[i])
	})
}

func (s *Store) loadChunk(ctx context.Context, chunk []counts) error {
	var keys []items.Map
	byPK := map[string]counts{}
	for _, c := range chunk {
		byPK[pullcounts.Prefix+c.name] = c
		for name := range c.years {
			keys = append(keys, pullcounts.Key(c.name, name))
		}
	}
	return items.GetAll(ctx, items.In(s.client, s.analytics), keys, func(item items.Map) error {
		key, err := items.Decode[struct{ PK, SK string }](item)
		if err != nil {
			return err
		}
		y, err := decodeYear(item)
		byPK[key.PK].years[key.SK] = y
		return err
	})
}

// addCounts adds the pulls to each year that does not have the window yet. A recount of an earlier window, slower than
// this one, can replace a year in between.
func (s *Store) addCounts(ctx context.Context, number int64, c counts, added pullcounts.Days) error {
	byYear := map[string]pullcounts.Days{}
	for day, n := range added {
		name := pullcounts.Year(day)
		if byYear[name] == nil {
			byYear[name] = pullcounts.Days{}
		}
		byYear[name][day] = n
	}
	for name, days := range byYear {
		for c.years[name].window < number {
			next := &year{number, maps.Clone(c.years[name].days)}
			next.days.Add(days)
			found, err := s.putYear(ctx, pullcounts.Key(c.name, name), next, c.years[name].window)
			if err != nil {
				return err
			}
			c.years[name] = found
		}
	}
	return nil
}

// putYear replaces an item if its window is still the given one, and returns the year stored after that. Only a call
// with the same or a later window can have changed it.
func (s *Store) putYear(ctx context.Context, item items.Map, next *year, window int64) (*year, error) {
	maps.Copy(item, next.days.Pack())
	stored, err := s.putNumbered(ctx, item, next.window, window)
	if err != nil {
		return nil, err
	}
	return decodeYear(stored)
}

// putNumbered writes an item with the number of a window if the stored item has the expected number or does not exist.
// It returns the item that is stored then.
func (s *Store) putNumbered(ctx context.Context, item items.Map, number, expected int64) (items.Map, error) {
	item[pullcounts.Window] = items.Number(number)
	_, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.analytics, Item: item,
		ConditionExpression:                 aws.String("attribute_not_exists(#window) OR #window = :expected"),
		ExpressionAttributeNames:            map[string]string{"#window": pullcounts.Window},
		ExpressionAttributeValues:           items.Map{":expected": items.Number(expected)},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return failed.Item, nil
	}
	if err != nil {
		return nil, fmt.Errorf("write counts of pulls: %w", err)
	}
	return item, nil
}

func number(value types.AttributeValue) int64 {
	text, ok := value.(*types.AttributeValueMemberN)
	if !ok {
		return 0
	}
	n, _ := strconv.ParseInt(text.Value, 10, 64)
	return n
}
