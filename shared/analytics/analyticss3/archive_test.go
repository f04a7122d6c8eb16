package analyticss3_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticss3"
	"portside/shared/core/calendar"
	"portside/shared/testkit/awstest"
)

var midnight = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

// segment has a line of each kind.
func segment() analytics.Segment {
	return analytics.Segment{Log: analytics.AccessLog, Day: calendar.DayOf(midnight), Stream: "0123456789abcdef", Lines: []analytics.LogLine{
		{ID: "1", LoggedAt: midnight},
		{ID: "2", LoggedAt: midnight, Request: &analytics.Request{At: midnight.Add(-time.Second), Status: 503, LatencyMillis: -1, IsMediaCall: true, Task: "extract"}},
		{ID: "3\n", LoggedAt: midnight.Add(time.Millisecond), Request: &analytics.Request{At: midnight, LatencyMillis: 0}},
		{ID: "4", LoggedAt: midnight.Add(time.Minute), Call: &analytics.ModelCall{At: midnight, ModelUsage: analytics.ModelUsage{Calls: 1, MicroUSD: 1}}},
		{ID: "5", LoggedAt: midnight.Add(time.Minute), Call: &analytics.ModelCall{At: midnight, ModelUsage: analytics.ModelUsage{
			Calls: 1, InputTokens: 1e12, OutputTokens: 2,
		}}},
	}}
}

func TestArchiveRoundTrip(t *testing.T) {
	archive, want := analyticss3.NewArchive(awstest.S3(t), awstest.Bucket(t)), segment()
	for range 2 {
		if err := archive.Put(t.Context(), want.Name(), want.Lines); err != nil {
			t.Fatal(err)
		}
	}
	got, err := archive.Get(t.Context(), want.Name())
	if diff := cmp.Diff(want.Lines, got); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
	want.Day++
	if _, err := archive.Get(t.Context(), want.Name()); err == nil {
		t.Error("Get returned a segment that was never stored")
	}
}

func TestArchiveNames(t *testing.T) {
	client, bucket, p := awstest.S3(t), awstest.Bucket(t), segment()
	archive, want := analyticss3.NewArchive(client, bucket), []analytics.SegmentName{}
	for _, stream := range []string{"b", "a", "b"} {
		p.Stream = stream
		p.Lines[0].ID += "1"
		if err := archive.Put(t.Context(), p.Name(), p.Lines); err != nil {
			t.Fatal(err)
		}
		want = append(want, p.Name())
	}
	for _, key := range []string{"", "x", "a/x.gz", "a/1-x", "a/b/0000000000001-x.gz"} {
		key = string(p.Log) + "/" + p.Day.String() + "/" + key
		if _, err := client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key}); err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(want, func(a, b analytics.SegmentName) int { return strings.Compare(a.String(), b.String()) })
	for log, want := range map[analytics.Log][]analytics.SegmentName{analytics.AccessLog: want, analytics.ModelLog: nil} {
		if got, err := archive.Names(t.Context(), log, p.Day); !slices.Equal(got, want) || err != nil {
			t.Errorf("%s: %v, %v", log, got, err)
		}
	}
}

func TestGetRejectsDamagedSegments(t *testing.T) {
	client, bucket, p := awstest.S3(t), awstest.Bucket(t), segment()
	archive, key := analyticss3.NewArchive(client, bucket), p.Name().String()+".gz"
	if err := archive.Put(t.Context(), p.Name(), p.Lines); err != nil {
		t.Fatal(err)
	}
	out, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := io.ReadAll(out.Body)
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string][]byte{"empty": nil, "text": []byte("text"), "half": whole[:len(whole)/2]} {
		_, err = client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(body)})
		if err != nil {
			t.Fatal(err)
		}
		if lines, err := archive.Get(t.Context(), p.Name()); !errors.Is(err, analytics.ErrDamaged) {
			t.Errorf("%s: %d lines, %v", name, len(lines), err)
		}
	}
}
