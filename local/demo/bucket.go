package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

const (
	chartsBucket = "ChartsBucket" // in the template
	published    = "charts/"      // where a vendor publishes
)

func (d *demo) store() *s3.Client {
	return s3.New(s3.Options{
		Region: d.info.Region, BaseEndpoint: aws.String(d.info.S3), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(d.info.AccessKeyID, d.info.SecretAccessKey, ""),
	})
}

// publish puts the charts and their signatures into the bucket.
func (d *demo) publish(ctx context.Context) error {
	client := d.store()
	for _, version := range versions() {
		if err := d.publishArchive(ctx, client, version); err != nil {
			return err
		}
	}
	return d.publishSignatures(ctx, client)
}

// publishArchive leaves what is there as it is. If it is something else, a demo that has changed without its version has
// met the one before.
func (d *demo) publishArchive(ctx context.Context, client *s3.Client, version string) error {
	file := archiveName(version)
	there, err := d.get(ctx, client, file)
	switch {
	case errors.Is(err, errNone):
		d.say("chart "+file, "published")
		return d.put(ctx, client, file, d.archives[version])
	case err != nil:
		return err
	case !bytes.Equal(there, d.archives[version]):
		d.archives[version] = there // to be signed, and pushed
		d.say("chart "+file, "there with other contents, which stay: a version means the same bytes for ever")
	default:
		d.say("chart "+file, alreadyThere)
	}
	return nil
}

var errNone = errors.New("there is no such object")

// get returns errNone where nothing is published by that name.
func (d *demo) get(ctx context.Context, client *s3.Client, file string) ([]byte, error) {
	object, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: d.bucket(), Key: aws.String(published + file)})
	if _, none := errors.AsType[*types.NoSuchKey](err); none {
		return nil, errNone
	}
	if err != nil {
		return nil, d.s3Error(file, err)
	}
	defer object.Body.Close()
	content, err := io.ReadAll(object.Body)
	if err != nil {
		return nil, d.s3Error(file, err)
	}
	return content, nil
}

func (d *demo) put(ctx context.Context, client *s3.Client, file string, content []byte) error {
	_, err := client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: d.bucket(), Key: aws.String(published + file), Body: bytes.NewReader(content),
	})
	if err != nil {
		return d.s3Error(file, err)
	}
	return nil
}

func (d *demo) bucket() *string { return aws.String(d.info.Buckets[chartsBucket]) }

func (d *demo) s3Error(file string, err error) error {
	return fmt.Errorf("the stack's S3 at %s refuses %s%s: %w", d.info.S3, published, file, err)
}

// publishSignatures signs all versions, unless every one is signed and the public key is there. That key is written last, so
// that a run that was stopped signs again.
func (d *demo) publishSignatures(ctx context.Context, client *s3.Client) error {
	complete, err := d.areSigned(ctx, client)
	if err != nil {
		return err
	}
	if complete {
		d.say("signatures", alreadyThere)
		return nil
	}
	signed, err := sign(d.archives)
	if err != nil {
		return err
	}
	for version, text := range signed.provenance {
		if err := d.put(ctx, client, archiveName(version)+".prov", text); err != nil {
			return err
		}
	}
	d.say("signatures", "published; "+keyringFile+" verifies them")
	return replace(filepath.Join(d.Data, keyringFile), signed.publicKey)
}

func (d *demo) areSigned(ctx context.Context, client *s3.Client) (bool, error) {
	_, err := os.Stat(filepath.Join(d.Data, keyringFile))
	complete := err == nil
	for _, version := range versions() {
		_, err := d.get(ctx, client, archiveName(version)+".prov")
		if err != nil && !errors.Is(err, errNone) {
			return false, err
		}
		complete = complete && err == nil
	}
	return complete, nil
}
