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
	chartsBucket = "ChartsBucket" // logical ID in the template
	chartsPrefix = "charts/"      // prefix of published charts
)

func (d *demo) s3Client() *s3.Client {
	return s3.New(s3.Options{
		Region: d.info.Region, BaseEndpoint: aws.String(d.info.S3), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(d.info.AccessKeyID, d.info.SecretAccessKey, ""),
	})
}

// publishCharts uploads the charts and their signatures to the bucket.
func (d *demo) publishCharts(ctx context.Context) error {
	client := d.s3Client()
	for _, version := range versions() {
		if err := d.publishArchive(ctx, client, version); err != nil {
			return err
		}
	}
	return d.publishSignatures(ctx, client)
}

// publishArchive uploads an archive unless the version exists. An existing archive differs only if
// the demo has changed without a new version.
func (d *demo) publishArchive(ctx context.Context, client *s3.Client, version string) error {
	file := archiveName(version)
	there, err := d.get(ctx, client, file)
	switch {
	case errors.Is(err, errNotFound):
		d.report("chart "+file, "published")
		return d.put(ctx, client, file, d.archives[version])
	case err != nil:
		return err
	case !bytes.Equal(there, d.archives[version]):
		d.archives[version] = there // sign and push the existing archive
		d.report("chart "+file, "exists with other contents, which are kept, because a version never changes")
	default:
		d.report("chart "+file, exists)
	}
	return nil
}

var errNotFound = errors.New("object not found")

// get returns the content of a published file, or errNotFound.
func (d *demo) get(ctx context.Context, client *s3.Client, file string) ([]byte, error) {
	object, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: d.bucket(), Key: aws.String(chartsPrefix + file)})
	if _, none := errors.AsType[*types.NoSuchKey](err); none {
		return nil, errNotFound
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
		Bucket: d.bucket(), Key: aws.String(chartsPrefix + file), Body: bytes.NewReader(content),
	})
	if err != nil {
		return d.s3Error(file, err)
	}
	return nil
}

func (d *demo) bucket() *string { return aws.String(d.info.Buckets[chartsBucket]) }

func (d *demo) s3Error(file string, err error) error {
	return fmt.Errorf("the stack's S3 at %s refused %s%s: %w", d.info.S3, chartsPrefix, file, err)
}

// publishSignatures signs all versions unless all are signed and the public key exists. It writes
// the key last, so that the next run after an interruption signs again.
func (d *demo) publishSignatures(ctx context.Context, client *s3.Client) error {
	complete, err := d.isSigned(ctx, client)
	if err != nil {
		return err
	}
	if complete {
		d.report("signatures", exists)
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
	d.report("signatures", "published; "+keyringFile+" verifies them")
	return writeFileAtomically(filepath.Join(d.Data, keyringFile), signed.publicKey)
}

func (d *demo) isSigned(ctx context.Context, client *s3.Client) (bool, error) {
	_, err := os.Stat(filepath.Join(d.Data, keyringFile))
	complete := err == nil
	for _, version := range versions() {
		_, err := d.get(ctx, client, archiveName(version)+".prov")
		if err != nil && !errors.Is(err, errNotFound) {
			return false, err
		}
		complete = complete && err == nil
	}
	return complete, nil
}
