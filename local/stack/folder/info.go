package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// infoFile has the Info of a running stack for other commands. Only its owner may read it.
const infoFile = "stack.json"

// Info has the addresses and names of a running stack's parts.
type Info struct {
	API             string            `json:"api"`    // like all addresses here, without a trailing slash
	Portal          string            `json:"portal"` // the API under the host localhost; browsers accept passkeys and __Host- cookies only there
	DynamoDB        string            `json:"dynamodb"`
	S3              string            `json:"s3"`
	SES             string            `json:"ses"`
	SecretsManager  string            `json:"secretsManager"`
	Registry        string            `json:"registry"` // of container images
	ECR             string            `json:"ecr"`
	Region          string            `json:"region"`
	AccessKeyID     string            `json:"accessKeyId"`
	SecretAccessKey string            `json:"secretAccessKey"`
	Tables          map[string]string `json:"tables"`  // physical names by logical ID
	Buckets         map[string]string `json:"buckets"` // physical names by logical ID
	Outputs         map[string]string `json:"outputs"` // of the template
	PID             int               `json:"pid"`
	Control         string            `json:"control"` // bearer token for /_local/invoke and /_local/rotate
}

// Environment returns the variables with which the AWS SDK finds the engines.
func (i Info) Environment() map[string]string {
	return map[string]string{
		"AWS_ACCESS_KEY_ID":                i.AccessKeyID,
		"AWS_SECRET_ACCESS_KEY":            i.SecretAccessKey,
		"AWS_ENDPOINT_URL_DYNAMODB":        i.DynamoDB,
		"AWS_ENDPOINT_URL_ECR":             i.ECR,
		"AWS_ENDPOINT_URL_S3":              i.S3,
		"AWS_ENDPOINT_URL_SECRETS_MANAGER": i.SecretsManager,
		"AWS_ENDPOINT_URL_SESV2":           i.SES,
	}
}

// CommandEnvironment returns the environment of cmd/portside. It includes the tables' names, such
// as USERS_TABLE for UsersTable, which functions get from the template.
func (i Info) CommandEnvironment() []string {
	list := []string{"AWS_REGION=" + i.Region}
	for name, value := range i.Environment() {
		list = append(list, name+"="+value)
	}
	for id, name := range i.Tables {
		list = append(list, snakeCase(id)+"="+name)
	}
	return list
}

func snakeCase(id string) string {
	var b strings.Builder
	for i, r := range id {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

// Publish writes the Info for other commands, which read it while the stack runs.
func (f Folder) Publish(i Info) error {
	content, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return err
	}
	return f.WriteFile(infoFile, append(content, '\n'))
}

// Withdraw removes the Info of a stack that stops.
func (f Folder) Withdraw() error {
	err := os.Remove(filepath.Join(f.Path, infoFile))
	if errors.Is(err, fs.ErrNotExist) { // the data folder was deleted
		return nil
	}
	return err
}

// ReadInfo returns the Info of the stack that runs on the data folder, or ErrNotRunning.
func ReadInfo(dataDir string) (Info, error) {
	var i Info
	if !isLocked(dataDir) {
		return i, ErrNotRunning
	}
	content, err := os.ReadFile(filepath.Join(dataDir, infoFile))
	if errors.Is(err, os.ErrNotExist) {
		return i, ErrNotRunning
	}
	if err != nil {
		return i, err
	}
	if err := json.Unmarshal(content, &i); err != nil {
		return i, fmt.Errorf("%s: %w", filepath.Join(dataDir, infoFile), err)
	}
	return i, nil
}

// ErrNotRunning means that no stack on the data folder is ready.
var ErrNotRunning = errors.New("no local stack is running")
