package awstest

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

func TestBucketIsSeparateAndDeletedWithItsTest(t *testing.T) {
	client, key := S3(t), "a folder/ü+%.txt"
	var name string
	t.Run("uses a bucket", func(t *testing.T) {
		name = Bucket(t)
		other := Bucket(t)
		_, err := client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &name, Key: &key, Body: strings.NewReader("x")})
		if err != nil {
			t.Fatal(err)
		}
		out, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: &name, Key: &key})
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(out.Body)
		if err != nil || !bytes.Equal(body, []byte("x")) {
			t.Errorf("read %q, %v", body, err)
		}
		if _, err := client.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: &other, Key: &key}); err == nil {
			t.Error("an object is in another bucket")
		}
	})
	if _, err := client.HeadBucket(t.Context(), &s3.HeadBucketInput{Bucket: &name}); err == nil {
		t.Error("the bucket still exists after its test")
	}
}

func TestMissingS3EngineErrorIsOneLine(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/template.yaml", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	_, err := startS3()
	if err == nil || !strings.Contains(err.Error(), "make engines") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error = %v, want one line that names `make engines`", err)
	}
}

func TestS3EngineStartErrorHasExitStatus(t *testing.T) {
	_, err := startS3OnFreePort("/bin/false", t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("error = %v, want the engine's exit status", err)
	}
}

func TestFoldersOfEndedBinariesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	const endedPID = "999999999" // above the limit of process IDs
	ended, running := dir+"/"+s3FolderPrefix+endedPID+"-1", dir+"/"+s3FolderPrefix+"1-1"
	for _, folder := range []string{ended, running} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	removeOldS3Folders()
	if _, err := os.Stat(ended); err == nil {
		t.Error("the folder of an ended binary is still there")
	}
	if _, err := os.Stat(running); err != nil {
		t.Error("the folder of a running binary was removed")
	}
}
