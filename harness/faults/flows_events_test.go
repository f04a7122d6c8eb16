package faults

import (
	"context"
	"fmt"
	"time"

	"portside/local/faultproxy"
	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
	"portside/shared/core/loglines"
	"portside/shared/core/principal"
	"portside/shared/lambda/logevents"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
)

// pullLines are the log lines of as many pulls, some on each side of midnight.
func pullLines(n int) (batch loglines.Batch) {
	for i := range n {
		at := start.Add(12*time.Hour + time.Duration(2*i-n)*time.Second)
		batch.Events = append(batch.Events, loglines.Event{ID: fmt.Sprintf("%056d", i), LoggedAt: at, Message: fmt.Sprintf(
			`{"msg":"pull","pull":{"at":%q,"kind":"image","repository":"acme/api","reference":"%d","credential":"c1","owner":"ada"}}`,
			at.Format(pulls.Stamp), i)})
	}
	return batch
}

// checkLines are the log lines of as many checks of a tag, two seconds apart, some on each side of midnight.
func checkLines(n int) loglines.Batch {
	batch := pullLines(n)
	for i := range batch.Events {
		e := &batch.Events[i]
		e.Message = fmt.Sprintf(
			`{"msg":"pull","pull":{"at":%q,"kind":"image","repository":"acme/api","reference":"1","credential":"c1","owner":"ada","check":true}}`,
			e.LoggedAt.Format(pulls.Stamp))
	}
	return batch
}

// countChecks records the checks of a log, counts them, and lists them. The log arrives twice.
func countChecks(r *run) {
	const logged = 5
	store := pullsdynamo.New(r.client, r.tables["PullsTable"], r.tables["AnalyticsTable"])
	for range 2 {
		r.event("record checks", func(ctx context.Context) error {
			_, err := pulls.Ingest(ctx, store, checkLines(logged))
			return err
		})
		r.event("count checks", func(ctx context.Context) error {
			_, err := store.CountPending(ctx)
			return err
		})
	}
	var page pulls.Page
	r.do("list the checks", func(ctx context.Context) (err error) {
		query := pulls.Query{IsChecks: true, From: start, To: start.AddDate(0, 0, 2), Limit: 100}
		page, err = pulls.NewService(store).List(ctx, principal.Operator(), query)
		return err
	})
	listed := 0
	for _, check := range page.Pulls {
		listed += check.Checks
	}
	r.check(len(page.Pulls) == 2 && listed == logged, "the list has %+v", page.Pulls)
	counted := int64(0)
	for _, day := range []calendar.Day{calendar.DayOf(start), calendar.DayOf(start) + 1} {
		r.event("count the log of checks again", func(ctx context.Context) error {
			counts, err := store.Count(ctx, day)
			if err == nil {
				counted += counts[pullsdynamo.Checks]
			}
			return err
		})
	}
	r.check(counted == logged, "the log has %d checks", counted)
	var used map[calendar.Day]*analytics.Usage
	r.do("read the usage", func(ctx context.Context) (err error) {
		used, err = analyticsdynamo.New(r.client, r.tables["AnalyticsTable"]).Usage(ctx, calendar.DayOf(start), calendar.DayOf(start)+1)
		return err
	})
	shown := int64(0)
	for _, day := range used {
		shown += day.Checks
	}
	r.check(shown == logged || r.fault == faultproxy.Stale, "the dashboard has %d checks", shown)
}

// countPulls records the pulls of a log, counts them, and lists them. The log arrives twice.
func countPulls(r *run) {
	const logged = 5
	store := pullsdynamo.New(r.client, r.tables["PullsTable"], r.tables["AnalyticsTable"])
	for range 2 {
		r.event("record pulls", func(ctx context.Context) error {
			_, err := pulls.Ingest(ctx, store, pullLines(logged))
			return err
		})
	}
	r.event("count pulls", func(ctx context.Context) error {
		_, err := store.CountPending(ctx)
		return err
	})
	admin, today := principal.Operator(), calendar.DayOf(start)
	query := pulls.Query{From: start, To: start.AddDate(0, 0, 2), Limit: 100}
	var page pulls.Page
	r.do("list the pulls", func(ctx context.Context) (err error) {
		page, err = pulls.NewService(store).List(ctx, admin, query)
		return err
	})
	r.check(len(page.Pulls) == logged, "the list has %d pulls", len(page.Pulls))
	ofCredential, ofImage := query, query
	ofCredential.Credential, ofImage.Kind, ofImage.Repository = "c1", pulls.Image, "acme/api"
	for _, query := range []pulls.Query{ofCredential, ofImage} {
		r.do("list some pulls", func(ctx context.Context) (err error) {
			page, err = pulls.NewService(store).List(ctx, admin, query)
			return err
		})
		isPart := page.Next != "" || r.fault == faultproxy.Stale
		r.check(len(page.Pulls) == logged || isPart, "a list has %d pulls", len(page.Pulls))
	}
	r.event("count the log again", func(ctx context.Context) error {
		_, err := store.Count(ctx, today)
		return err
	})
	counts := analyticsdynamo.New(r.client, r.tables["AnalyticsTable"])
	var tops [][]analytics.PullCount
	year := calendar.SpansOf(today)[:1]
	r.do("read the ranking", func(ctx context.Context) (err error) {
		tops, _, err = counts.Tops(ctx, analytics.Artifacts, year)
		return err
	})
	r.check(len(tops) == 1 && len(tops[0]) == 1 && tops[0][0].Pulls == logged, "the ranking is %v", tops)
	for _, day := range []calendar.Day{today, today + 1} {
		var wrong []pullsdynamo.Correction
		r.event("compare the counts", func(ctx context.Context) (err error) {
			wrong, err = store.CompareCounts(ctx, day)
			return err
		})
		r.check(len(wrong) == 0, "the counts of %s are wrong: %v", day, wrong)
	}
}

// countUsage counts the lines of the access log, which arrive twice: few of one day, whose lines are in the marker, and
// many of another.
func countUsage(r *run) {
	const few, logged = 3, 203
	bucket, err := r.newBucket()
	r.must(err)
	batch := loglines.Batch{Group: "access", Stream: "one"}
	for i := range logged {
		at := start.Add(12*time.Hour + time.Duration(i-few)*time.Second)
		batch.Events = append(batch.Events, loglines.Event{ID: fmt.Sprintf("%056d", i), LoggedAt: at, Message: fmt.Sprintf(
			`{"requestId":"r%d","time":"%d","ip":"203.0.113.9","method":"GET","route":"ANY /v1/users","status":"200","latencyMs":"7",`+
				`"responseBytes":"512","path":"/v1/users"}`, i, at.UnixMilli())})
	}
	r.must(r.putObject(bucket, "delivered", []byte("a log")))
	r.event("read a delivered log", func(ctx context.Context) error {
		_, err := logevents.S3{Client: r.objects}.Get(ctx, bucket, "delivered")
		return err
	})
	store := analyticsdynamo.New(r.client, r.tables["AnalyticsTable"])
	counter := logs.Ingester{
		Groups: logs.Groups{Access: "access"}, Now: func() time.Time { return start.AddDate(0, 0, 3) },
		Recorder: analyticsdynamo.NewRecorder(store, analyticss3.NewArchive(r.objects, bucket)),
	}
	for range 2 {
		r.event("count the access log", func(ctx context.Context) error {
			_, err := counter.Ingest(ctx, batch)
			return err
		})
	}
	today, total := calendar.DayOf(start), int64(0)
	var days map[calendar.Day]*analytics.RequestStats
	r.do("read the requests", func(ctx context.Context) (err error) {
		days, err = store.Requests(ctx, today, today+1)
		return err
	})
	for _, day := range days {
		total += day.Latency.Count()
	}
	r.check(total == logged, "%d requests are counted", total)
}

// measureStorage measures the buckets every hour.
func measureStorage(r *run) {
	bucket, err := r.newBucket()
	r.must(err)
	r.must(r.putObject(bucket, "charts/one", []byte("seven b")))
	store := analyticsdynamo.New(r.client, r.tables["AnalyticsTable"])
	sizer := analyticss3.NewBucketSizer(r.objects, bucket)
	measurer := analytics.StorageMeasurer{Charts: sizer, Media: sizer, Walk: store.StorageWalk(), Store: store, Now: r.clock}
	r.event("measure", func(ctx context.Context) error {
		_, err := measurer.Measure(ctx)
		return err
	})
	r.wait(time.Hour)
	_, err = measurer.Measure(r.tb.Context())
	r.must(err)
	today := calendar.DayOf(r.clock())
	var used map[calendar.Day]*analytics.Usage
	r.do("read the sizes", func(ctx context.Context) (err error) {
		used, err = store.Usage(ctx, today, today)
		return err
	})
	r.check(used[today] != nil && used[today].Storage != nil, "there is no size of the day")
	if used[today] != nil && used[today].Storage != nil {
		r.check(used[today].Storage.Charts == 7, "the size is %+v", *used[today].Storage)
	}
}
