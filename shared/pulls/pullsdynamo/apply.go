package pullsdynamo

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/calendar"
	"portside/shared/core/parallel"
	"portside/shared/dynamo/items"
	"portside/shared/pulls"
)

const (
	sumAttribute = "pulls"  // all pulls of an object in the month
	windowNumber = "window" // the last window that an item has
)

// dayCounters has the attribute of the day's item for each kind.
var dayCounters = map[pulls.Kind]string{pulls.Chart: "charts", pulls.Image: "images"}

// addition is what a window adds to one item.
type addition struct {
	key    items.Map
	window string // the attribute with the number of the last window
	added  map[string]int64
}

// apply adds a window to all counts and rankings that do not have it yet.
func (s *Store) apply(ctx context.Context, number int64, t *tally) error {
	for day, kinds := range t.days {
		a := addition{key: items.Key("usage", day.String()), window: "pullsWindow", added: map[string]int64{}}
		for kind, n := range kinds {
			a.added[dayCounters[kind]] = n
		}
		if _, err := s.add(ctx, number, a); err != nil {
			return err
		}
	}
	thresholds, err := s.thresholds(ctx, t)
	if err != nil {
		return err
	}
	objects := make([]object, 0, len(t.objects))
	for o := range t.objects {
		objects = append(objects, o)
	}
	return parallel.Each(len(objects), maxConcurrentCalls, func(i int) error {
		item, err := s.add(ctx, number, objects[i].addition(t.objects[objects[i]]))
		if err != nil {
			return err
		}
		return s.rank(ctx, objects[i], item, thresholds)
	})
}

func (o object) addition(days map[calendar.Day]int64) addition {
	a := addition{key: items.Key("pulls#"+o.name, o.month), window: windowNumber, added: map[string]int64{}}
	for day, n := range days {
		a.added[dayAttribute(day)] = n
		a.added[sumAttribute] += n
	}
	return a
}

// add adds to an item unless it has the window already. It returns at least the attributes that the window adds to.
func (s *Store) add(ctx context.Context, number int64, a addition) (items.Map, error) {
	expression, values := "", items.Map{":window": items.Number(number)}
	for attribute, n := range a.added {
		expression += ", " + attribute + " :" + attribute
		values[":"+attribute] = items.Number(n)
	}
	out, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.analytics, Key: a.key, UpdateExpression: aws.String("ADD " + expression[2:] + " SET #window = :window"),
		ConditionExpression:                 aws.String("attribute_not_exists(#window) OR #window < :window"),
		ExpressionAttributeNames:            map[string]string{"#window": a.window},
		ExpressionAttributeValues:           values,
		ReturnValues:                        types.ReturnValueUpdatedNew,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return failed.Item, nil
	}
	if err != nil {
		return nil, fmt.Errorf("add to the counts of pulls: %w", err)
	}
	return out.Attributes, nil
}

// maxRanked is how many places of a ranking are kept exactly. No ranking reads more of a span. Because counts only
// grow, so does the count of that place, and an object with fewer pulls is not among them.
const maxRanked = 100

// thresholds returns the number of pulls from which an object can be among the first maxRanked, by ranking.
func (s *Store) thresholds(ctx context.Context, t *tally) (map[string]int64, error) {
	found := map[string]int64{}
	var rankings []string
	for o, days := range t.objects {
		for _, span := range o.spans(days) {
			name := o.ranking() + "#" + span
			if _, known := found[name]; !known {
				found[name], rankings = 0, append(rankings, name)
			}
		}
	}
	lowest := make([]int64, len(rankings))
	err := parallel.Each(len(rankings), maxConcurrentCalls, func(i int) (err error) {
		lowest[i], err = s.threshold(ctx, rankings[i])
		return err
	})
	for i, name := range rankings {
		found[name] = lowest[i]
	}
	return found, err
}

func (s *Store) threshold(ctx context.Context, ranking string) (int64, error) {
	out, err := s.client.Query(ctx, &dynamodb.QueryInput{
		TableName: &s.analytics, IndexName: aws.String("byPulls"), ScanIndexForward: aws.Bool(false), Limit: aws.Int32(maxRanked),
		KeyConditionExpression:    aws.String("ranking = :ranking"),
		ExpressionAttributeValues: items.Map{":ranking": items.Text(ranking)},
	})
	if err != nil {
		return 0, fmt.Errorf("read the ranking %s: %w", ranking, err)
	}
	if len(out.Items) < maxRanked {
		return 0, nil
	}
	return number(out.Items[maxRanked-1][sumAttribute]), nil
}

// rank writes the places of an object in the rankings of its item's attributes.
func (s *Store) rank(ctx context.Context, o object, item items.Map, thresholds map[string]int64) error {
	for attribute, value := range item {
		span, ok := o.spanOf(attribute)
		ranking := o.ranking() + "#" + span
		threshold, isCounted := thresholds[ranking]
		if !ok || !isCounted || number(value) < threshold {
			continue
		}
		_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: &s.analytics, Key: items.Key("top#"+ranking, o.name),
			UpdateExpression:          aws.String("SET ranking = :ranking, pulls = :pulls"),
			ConditionExpression:       aws.String("attribute_not_exists(pulls) OR pulls < :pulls"),
			ExpressionAttributeValues: items.Map{":ranking": items.Text(ranking), ":pulls": value},
		})
		if err != nil && !items.ConditionFailed(err) {
			return fmt.Errorf("write a ranking of pulls: %w", err)
		}
	}
	return nil
}

func number(value types.AttributeValue) int64 {
	text, ok := value.(*types.AttributeValueMemberN)
	if !ok {
		return 0
	}
	n, _ := strconv.ParseInt(text.Value, 10, 64)
	return n
}
