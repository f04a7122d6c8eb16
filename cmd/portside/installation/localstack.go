package installation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"portside/cmd/portside/operator"
)

// LocalStack is the content of DATA/stack.json, in which the local stack describes itself.
type LocalStack struct {
	API             string            `json:"api"`
	Portal          string            `json:"portal"` // the API under the host that browsers use
	DynamoDB        string            `json:"dynamodb"`
	S3              string            `json:"s3"`
	SecretsManager  string            `json:"secretsManager"`
	ECR             string            `json:"ecr"`
	Region          string            `json:"region"`
	AccessKeyID     string            `json:"accessKeyId"`
	SecretAccessKey string            `json:"secretAccessKey"`
	Tables          map[string]string `json:"tables"`  // names by logical ID
	Buckets         map[string]string `json:"buckets"` // names by logical ID
	Outputs         map[string]string `json:"outputs"`
}

// FindLocalStack returns the stack that runs on the data folder. If address is not empty, the stack
// must serve that address.
func FindLocalStack(data, address string) (LocalStack, error) {
	var stack LocalStack
	running, err := isLocked(filepath.Join(data, "lock"))
	if err != nil {
		return stack, err
	}
	text, err := os.ReadFile(filepath.Join(data, "stack.json"))
	if !running || errors.Is(err, fs.ErrNotExist) {
		return stack, fmt.Errorf("no local stack runs in %s: start one with `make run DATA=%s`, "+
			"or set DATA to the folder of the running stack", data, operator.ShellQuoted(data))
	}
	if err != nil {
		return stack, err
	}
	if err := json.Unmarshal(text, &stack); err != nil || stack.DynamoDB == "" || len(stack.Tables) == 0 {
		return stack, fmt.Errorf("%s does not describe a local stack: restart it with `make run DATA=%s`",
			filepath.Join(data, "stack.json"), operator.ShellQuoted(data))
	}
	if serves := strings.TrimPrefix(stack.API, "http://"); address != "" && serves != address {
		return stack, fmt.Errorf("the local stack in %s serves %s, not %s: give that address, "+
			"or the DATA folder of the other stack", data, serves, address)
	}
	return stack, nil
}

// isLocked reports whether a process holds the lock that a running stack has on its folder. The
// files of a killed stack must not be used, because another program may have its ports now.
func isLocked(path string) (bool, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }() // releases the lock
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", path, err)
	}
	return false, nil
}
