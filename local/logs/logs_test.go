package logs_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"portside/local/async"
	"portside/local/logs"
	"portside/local/logs/pattern"
)

// deliveries records the delivered events, decoded as a function decodes them.
type deliveries struct {
	t    *testing.T
	mu   sync.Mutex
	got  []events.CloudwatchLogsData
	sent []async.Event
}

func (i *deliveries) deliver(e async.Event) {
	var event events.CloudwatchLogsEvent
	if err := json.Unmarshal(e.Payload, &event); err != nil {
		i.t.Errorf("%v: %s", err, e.Payload)
	}
	data, err := event.AWSLogs.Parse()
	if err != nil {
		i.t.Errorf("%v: %s", err, e.Payload)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.got = append(i.got, data)
	i.sent = append(i.sent, e)
}

func (i *deliveries) sizes() []int {
	i.mu.Lock()
	defer i.mu.Unlock()
	var sizes []int
	for _, data := range i.got {
		sizes = append(sizes, len(data.LogEvents))
	}
	return sizes
}

func subscription(t *testing.T, id, group, source string) logs.Subscription {
	t.Helper()
	p, err := pattern.Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	return logs.Subscription{ID: id, Function: id + "Function", Group: group, Pattern: p}
}

func newGroups(t *testing.T, subscriptions ...logs.Subscription) (*logs.Groups, *deliveries) {
	t.Helper()
	i := &deliveries{t: t}
	g := logs.New(logs.Config{AccountID: "000000000000", Deliver: i.deliver})
	g.Subscribe(subscriptions)
	return g, i
}

// advance waits d on the fake clock of synctest and then for all goroutines to block.
func advance(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestLinesAreDeliveredInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, i := newGroups(t, subscription(t, "Pulls", "charts", `{ $.msg = "pull" }`), subscription(t, "All", "charts", ""))
		first := `{"msg":"pull","n":"<1>"}`
		g.Put("charts", "s1", first)
		g.Put("charts", "s1", `{"msg":"other"}`)
		g.Put("images", "s1", first)
		advance(199 * time.Millisecond)
		if len(i.got) != 0 {
			t.Errorf("delivered early: %v", i.got)
		}
		g.Put("charts", "s1", `{"msg":"pull","n":"2"}`)
		advance(time.Millisecond)
		if len(i.got) != 2 {
			t.Fatalf("delivered %v", i.got)
		}
		pulls, all := i.got[0], i.got[1]
		if pulls.SubscriptionFilters[0] == "All" {
			pulls, all = all, pulls
		}
		id := all.LogEvents[0].ID
		want := events.CloudwatchLogsData{
			Owner: "000000000000", LogGroup: "charts", LogStream: "s1", SubscriptionFilters: []string{"Pulls"},
			MessageType: "DATA_MESSAGE",
			LogEvents: []events.CloudwatchLogsLogEvent{
				{ID: id, Timestamp: all.LogEvents[0].Timestamp, Message: first},
				{ID: all.LogEvents[2].ID, Timestamp: all.LogEvents[0].Timestamp + 199, Message: `{"msg":"pull","n":"2"}`},
			},
		}
		if diff := cmp.Diff(want, pulls); diff != "" || len(all.LogEvents) != 3 {
			t.Errorf("%s\nall: %v", diff, all)
		}
		if len(id) != 56 || strings.Trim(id, "0123456789") != "" || id >= all.LogEvents[2].ID {
			t.Errorf("ids %s, %s", id, all.LogEvents[2].ID)
		}
		advance(time.Hour)
		if len(i.got) != 2 {
			t.Errorf("delivered again: %v", i.got)
		}
	})
}

func TestBatchHasLimitedLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, i := newGroups(t, subscription(t, "All", "busy", ""))
		for range 2001 {
			g.Put("busy", "s", "line")
		}
		g.Put("busy", "other", "line")
		advance(time.Second)
		if got := fmt.Sprint(i.sizes()); got != "[1000 1000 1 1]" {
			t.Errorf("lines by event: %s", got)
		}
		seen := map[string]bool{}
		for _, data := range i.got {
			for _, e := range data.LogEvents {
				seen[e.ID] = true
			}
		}
		if len(seen) != 2002 {
			t.Errorf("%d ids of 2002 lines", len(seen))
		}
	})
}

// Random lines are the worst case, because they do not compress.
func TestBatchFitsIntoPayload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, i := newGroups(t, subscription(t, "All", "noise", ""))
		source := rand.New(rand.NewPCG(1, 2))
		for range 40 {
			line := make([]rune, 16<<10)
			for n := range line {
				line[n] = rune(0x20 + source.IntN(0xD000))
			}
			g.Put("noise", "s", string(line))
		}
		advance(time.Second)
		for n, e := range i.sent {
			if len(e.Payload) > async.MaxPayloadBytes {
				t.Errorf("%d lines make %d bytes", i.sizes()[n], len(e.Payload))
			}
		}
		if len(i.sent) < 3 {
			t.Errorf("lines by event: %v", i.sizes())
		}
	})
}

func TestSubscribeReplacesSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, i := newGroups(t, subscription(t, "Old", "group", ""))
		g.Put("group", "s", "1")
		g.Subscribe([]logs.Subscription{subscription(t, "New", "group", "")})
		g.Put("group", "s", "2")
		g.Flush()
		if len(i.sent) != 2 {
			t.Fatalf("%d deliveries", len(i.sent))
		}
		functions := map[string]string{}
		for n, e := range i.sent {
			functions[e.Function] = i.got[n].LogEvents[0].Message
		}
		if diff := cmp.Diff(map[string]string{"OldFunction": "1", "NewFunction": "2"}, functions); diff != "" {
			t.Error(diff)
		}
	})
}
