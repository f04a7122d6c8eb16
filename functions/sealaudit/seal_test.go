package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"portside/shared/audit/seals"
	"portside/shared/audit/seals/sealsdynamo"
	"portside/shared/audit/seals/sealss3"
	"portside/shared/dynamo/auditlog"
	"portside/shared/testkit/awstest"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// failing is a table that is unavailable.
type failing struct{ sealsdynamo.Table }

func (failing) Newest(context.Context) (seals.Seal, error) {
	return seals.Seal{}, errors.New("table is unavailable")
}

func TestEventsSealCompleteHours(t *testing.T) {
	client := awstest.DynamoDB(t)
	table, now := sealsdynamo.New(client, awstest.Table(t, client, "AuditTable")), noon
	sealer := seals.Sealer{
		Events: table, Record: table, Objects: sealss3.New(awstest.S3(t), awstest.Bucket(t)),
		Now: func() time.Time { return now }, Settled: auditlog.Settled, Days: 1,
	}
	send := func(sealer seals.Sealer, event string) error {
		text, err := os.ReadFile(filepath.Join("..", "..", "events", "sealaudit", event+".json"))
		if err != nil {
			t.Fatal(err)
		}
		return seal(sealer)(t.Context(), json.RawMessage(text))
	}
	expect := func(want string) {
		t.Helper()
		if newest, err := table.Newest(t.Context()); err != nil || newest.Hour.String() != want {
			t.Errorf("the newest seal is of %s (%v), want %s", newest.Hour, err, want)
		}
	}
	if err := send(sealer, "hourly"); err != nil {
		t.Fatal(err)
	}
	expect("2026-11-28T10")
	now = noon.Add(25 * time.Minute)
	broken := sealer
	broken.Record = failing{table}
	if err := send(broken, "hourly"); err == nil {
		t.Error("seal returned no error although the table is unavailable")
	}
	if err := send(sealer, "by-hand"); err != nil {
		t.Fatal(err)
	}
	expect("2026-11-28T11")
}
