package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// localStack is what the local stack writes to DATA/stack.json about itself.
type localStack struct {
	API             string            `json:"api"`
	DynamoDB        string            `json:"dynamodb"`
	S3              string            `json:"s3"`
	SecretsManager  string            `json:"secretsManager"`
	Region          string            `json:"region"`
	AccessKeyID     string            `json:"accessKeyId"`
	SecretAccessKey string            `json:"secretAccessKey"`
	Tables          map[string]string `json:"tables"`  // names by logical ID
	Buckets         map[string]string `json:"buckets"` // the same
}

// findLocalStack returns the stack that runs on the folder, and serves the address unless that is empty.
func findLocalStack(data, address string) (localStack, error) {
	var stack localStack
	running, err := held(filepath.Join(data, "lock"))
	if err != nil {
		return stack, err
	}
	text, err := os.ReadFile(filepath.Join(data, "stack.json"))
	if !running || errors.Is(err, fs.ErrNotExist) {
		return stack, fmt.Errorf("no local stack runs in %s: start one with `make run DATA=%s`, "+
			"or name the DATA folder of the one that runs", data, quoted(data))
	}
	if err != nil {
		return stack, err
	}
	if err := json.Unmarshal(text, &stack); err != nil || stack.DynamoDB == "" || len(stack.Tables) == 0 {
		return stack, fmt.Errorf("%s does not describe a local stack: restart it with `make run DATA=%s`",
			filepath.Join(data, "stack.json"), quoted(data))
	}
	if serves := strings.TrimPrefix(stack.API, "http://"); address != "" && serves != address {
		return stack, fmt.Errorf("the local stack in %s serves %s, not %s: give that address, "+
			"or the DATA folder of the other stack", data, serves, address)
	}
	return stack, nil
}

// held reports whether a process holds the lock that a running stack has on its folder; what a killed stack left behind
// must not lead to whatever has its ports now.
func held(path string) (bool, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }() // which gives the lock back
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", path, err)
	}
	return false, nil
}

// quoted is a path as a shell reads it.
func quoted(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:=@%,") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
