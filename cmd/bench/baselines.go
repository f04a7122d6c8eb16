package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/cmd/bench/figures"
	"portside/shared/charts"
	"portside/shared/dynamo/items"
)

// Names of baselines in the table.
const (
	bareGetItem = "a bare GetItem"
	bareObject  = "a bare GetObject"
)

// timed returns a measurement of the operation.
func timed(operation func(round int) error) figures.Measurement {
	return func(round int) (float64, error) {
		began := time.Now()
		err := operation(round)
		return milliseconds(time.Since(began)), err
	}
}

// get measures a GET request through the gateway.
func (s *stack) get(ctx context.Context, pathOf func(round int) string) figures.Measurement {
	return timed(func(round int) error {
		_, err := s.send(ctx, getRequest(pathOf(round)))
		return err
	})
}

// getItem measures reading the admin with one GetItem of the SDK, without anything of the service.
func (s *stack) getItem(ctx context.Context) (figures.Measurement, error) {
	admin, err := s.adminPath(ctx)
	if err != nil {
		return nil, err
	}
	client, table := s.dynamoDB(), s.Tables["UsersTable"]
	return timed(func(int) error {
		out, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &table, Key: items.Key("user#"+path.Base(admin), "user")})
		if err == nil && out.Item == nil {
			err = errors.New("the admin is not in the table")
		}
		return err
	}), nil
}

// readIndex returns the index from the bucket.
func (s *stack) readIndex(ctx context.Context, client *s3.Client) ([]byte, error) {
	bucket, key := s.Buckets["ChartsBucket"], charts.IndexKey
	out, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		return nil, err
	}
	defer out.Body.Close()
	return io.ReadAll(out.Body)
}

// getIndex measures reading the index from the bucket.
func (s *stack) getIndex(ctx context.Context) figures.Measurement {
	client := s.s3()
	return timed(func(int) error {
		_, err := s.readIndex(ctx, client)
		return err
	})
}

// rewriteIndex measures the least that a change of the index takes without any check: read, decode, encode, and store a
// copy.
func (s *stack) rewriteIndex(ctx context.Context) figures.Measurement {
	client := s.s3()
	return timed(func(int) error {
		text, err := s.readIndex(ctx, client)
		if err != nil {
			return err
		}
		var index map[string]any
		if err := json.Unmarshal(text, &index); err != nil {
			return err
		}
		changed, err := json.Marshal(index)
		if err != nil {
			return err
		}
		return s.put(ctx, "copy-of-the-index", changed)
	})
}

// putFile measures storing a file in a bucket.
func (s *stack) putFile(ctx context.Context, file []byte) figures.Measurement {
	return timed(func(int) error { return s.put(ctx, "copy-of-a-file", file) })
}

// pdfToText measures how long pdftotext takes for the file that next returns.
func (b *bench) pdfToText(ctx context.Context, next func() []byte) figures.Measurement {
	name := filepath.Join(b.dir, "baseline.pdf")
	return func(round int) (float64, error) {
		if err := os.WriteFile(name, next(), 0o600); err != nil {
			return 0, err
		}
		return timed(func(int) error {
			text, err := exec.CommandContext(ctx, "pdftotext", name, "-").Output()
			if err == nil && len(text) == 0 {
				err = errors.New("pdftotext finds no text")
			}
			return err
		})(round)
	}
}

// decodeLines measures decoding the lines of an event of CloudWatch Logs with encoding/json, without counting them.
func decodeLines(event []byte) error {
	var delivered struct {
		AWSLogs struct{ Data string } `json:"awslogs"`
	}
	if err := json.Unmarshal(event, &delivered); err != nil {
		return err
	}
	packed := base64.NewDecoder(base64.StdEncoding, bytes.NewReader([]byte(delivered.AWSLogs.Data)))
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	var data events.CloudwatchLogsData
	if err := json.NewDecoder(unpacked).Decode(&data); err != nil {
		return err
	}
	for _, line := range data.LogEvents {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line.Message), &fields); err != nil {
			return fmt.Errorf("line %s: %w", line.ID, err)
		}
	}
	return nil
}
