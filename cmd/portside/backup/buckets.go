package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

// BucketData is an S3 bucket. It implements Source and Target. A backup has the current versions of
// the objects, without older ones.
//
// Unlike a table, a bucket does not have to be empty before a restore, because functions write to it
// as soon as a stack exists.
type BucketData struct {
	Client     *s3.Client
	ID, Bucket string // the logical ID and the name
	// Prefixes are the objects to copy. A restore writes them in this order.
	Prefixes []string
}

// object is the line of an object.
type object struct {
	Key         string `json:"key"`
	ContentType string `json:"contentType,omitempty"`
	Body        []byte `json:"body"`
}

// Set implements Source.
func (b BucketData) Set() Set { return Set{Name: b.ID, From: b.Bucket, Kind: Bucket} }

// Name implements Target.
func (b BucketData) Name() string { return b.ID }

// Segments implements Source. Each prefix is a segment.
func (b BucketData) Segments() int { return len(b.Prefixes) }

// pageObjects is small, because a page is in memory.
const pageObjects = 10

// Page implements Source. The position is the key of the last object.
func (b BucketData) Page(ctx context.Context, segment int, position string) (entries [][]byte, next string, err error) {
	in := &s3.ListObjectsV2Input{Bucket: &b.Bucket, Prefix: &b.Prefixes[segment], MaxKeys: aws.Int32(pageObjects)}
	if position != "" {
		in.StartAfter = &position
	}
	page, err := b.Client.ListObjectsV2(ctx, in)
	if err != nil {
		return nil, "", err
	}
	for _, found := range page.Contents {
		line, err := b.readObject(ctx, aws.ToString(found.Key))
		if missing, ok := errors.AsType[smithy.APIError](err); ok && missing.ErrorCode() == "NoSuchKey" {
			continue // deleted since it was listed
		}
		if err != nil {
			return nil, "", err
		}
		entries = append(entries, line)
	}
	if aws.ToBool(page.IsTruncated) && len(page.Contents) > 0 {
		next = aws.ToString(page.Contents[len(page.Contents)-1].Key)
	}
	return entries, next, nil
}

func (b BucketData) readObject(ctx context.Context, key string) ([]byte, error) {
	out, err := b.Client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.Bucket, Key: &key})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	defer out.Body.Close()
	body, err := io.ReadAll(out.Body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return json.Marshal(object{Key: key, ContentType: aws.ToString(out.ContentType), Body: body})
}

// Check implements Target.
func (b BucketData) Check(ctx context.Context, _ string) (Done, error) {
	_, err := b.Client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &b.Bucket})
	if err != nil {
		return Done{}, fmt.Errorf("the bucket %s: %w", b.Bucket, err)
	}
	return Done{}, nil
}

// Claim implements Target. Conditional writes suffice, so it does nothing.
func (b BucketData) Claim(context.Context, RestoreRun, Done) error { return nil }

// Note implements Target. It does nothing.
func (b BucketData) Note(context.Context, RestoreRun, string) error { return nil }

// Write implements Target.
func (b BucketData) Write(ctx context.Context, entry []byte) error {
	var o object
	if err := json.Unmarshal(entry, &o); err != nil || o.Key == "" {
		return errors.Join(errors.New("a line does not describe an object"), err)
	}
	_, err := b.Client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &b.Bucket, Key: &o.Key, Body: bytes.NewReader(o.Body), ContentType: &o.ContentType, IfNoneMatch: aws.String("*"),
	})
	if exists, ok := errors.AsType[smithy.APIError](err); !ok || exists.ErrorCode() != "PreconditionFailed" {
		return err
	}
	line, err := b.readObject(ctx, o.Key)
	if err == nil && !bytes.Equal(line, bytes.TrimSpace(entry)) {
		return fmt.Errorf("the object %s exists with other contents: restore into an empty bucket, or move the object away", o.Key)
	}
	return err
}
