package analyticss3_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/analytics/analyticss3"
	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
	"portside/shared/testkit/awstest"
)

var midnight = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

func segment() logs.Segment {
	return logs.Segment{
		Log: logs.AccessLog, Day: calendar.DayOf(midnight), Stream: "0123456789abcdef",
		Lines: []logs.Line{{ID: "1", LoggedAt: midnight}},
	}
}

func TestArchiveRoundTrip(t *testing.T) {
	archive, want := analyticss3.NewArchive(awstest.S3(t), awstest.Bucket(t)), segment()
	for range 2 {
		if err := archive.Put(t.Context(), want.Name(), []byte("data")); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := archive.Get(t.Context(), want.Name()); string(got) != "data" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	want.Day++
	if _, err := archive.Get(t.Context(), want.Name()); !errors.Is(err, logs.ErrMissing) {
		t.Errorf("a segment that was never stored: %v", err)
	}
}

func TestArchiveNames(t *testing.T) {
	client, bucket, p := awstest.S3(t), awstest.Bucket(t), segment()
	archive, want := analyticss3.NewArchive(client, bucket), []logs.SegmentName{}
	for _, stream := range []string{"b", "a", "b"} {
		p.Stream = stream
		p.Lines[0].ID += "1"
		if err := archive.Put(t.Context(), p.Name(), nil); err != nil {
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
	slices.SortFunc(want, func(a, b logs.SegmentName) int { return strings.Compare(a.String(), b.String()) })
	for log, want := range map[logs.Log][]logs.SegmentName{logs.AccessLog: want, logs.ModelLog: nil} {
		if got, err := archive.Names(t.Context(), log, p.Day); !slices.Equal(got, want) || err != nil {
			t.Errorf("%s: %v, %v", log, got, err)
		}
	}
}
