package awstest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"portside/shared/lambda/awshttp"
)

// SecretsManager starts the Secrets Manager of the local stack for one test and returns its client. It ends with the
// test binary. It knows no functions, so RotateSecret stages a version and leaves the steps of the rotation to the
// test.
func SecretsManager(tb testing.TB) *secretsmanager.Client {
	tb.Helper()
	address, err := startSecrets(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	return secretsmanager.New(secretsmanager.Options{
		BaseEndpoint: &address, Region: "us-east-1", RetryMaxAttempts: 1, HTTPClient: awshttp.New(),
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	})
}

func startSecrets(dir string) (address string, err error) {
	root, err := projectRoot()
	if err != nil {
		return "", err
	}
	binary := filepath.Join(root, ".local", "bin", "local")
	if _, err := os.Stat(binary); err != nil {
		return "", errors.New("awstest: the local stack is missing: run `make engines` (builds it)")
	}
	output, writer := io.Pipe()
	cmd := boundToParent(binary, "secrets", "-data", dir)
	cmd.Stdout, cmd.Stderr = writer, writer
	go run(cmd, writer)
	lines := bufio.NewScanner(output)
	if !lines.Scan() {
		return "", fmt.Errorf("awstest: the local Secrets Manager did not start: %w", lines.Err())
	}
	address, found := strings.CutPrefix(lines.Text(), "listening on ")
	if !found {
		return "", fmt.Errorf("awstest: the local Secrets Manager did not start (run `make engines`): %s", lines.Text())
	}
	go func() { _, _ = io.Copy(io.Discard, output) }()
	return address, nil
}
