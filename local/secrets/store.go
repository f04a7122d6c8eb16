// Package secrets is the local stack's AWS Secrets Manager. It implements the operations that
// rotating a managed token needs, in the service's protocol, for the SDK's client.
//
// A secret is one file that only its owner can read. Every write replaces the file atomically, so a
// killed stack loses no call that it has answered. Version stages move as in the cloud: only one
// version has a stage; the version that loses AWSCURRENT gets AWSPREVIOUS; a version's value never
// changes, so a repeated PutSecretValue succeeds only with the same value. Rotation also works as
// in the cloud: a version without a value gets AWSPENDING, and the secret's function is invoked for
// four steps; after a failure, they start again with the first.
//
// Two things differ from the cloud. No schedule starts a rotation, only RotateSecret does. If a
// rotation is unfinished, RotateSecret resumes it and returns its version, while Secrets Manager
// resumes it and returns an error. RotateSecret fails only while a rotation is running.
package secrets

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Config holds the parameters of New.
type Config struct {
	Dir       string // data folder, created if missing
	Region    string
	AccountID string
	// Invoke invokes a function, named by the last part of its ARN, for one step of a rotation. If
	// it is nil, RotateSecret only begins a rotation, and the caller runs the steps.
	Invoke func(ctx context.Context, function string, event []byte) error
	// Log receives a line for each step of a rotation that RotateSecret began. It may be nil.
	Log func(line string)
	Now func() time.Time
}

// Store is a folder of secrets. Only one process may use it.
type Store struct {
	config Config

	mu       sync.Mutex      // guards the files and rotating
	rotating map[string]bool // names of secrets with a running rotation
	running  sync.WaitGroup
	ctx      context.Context // of rotations, which outlive the requests that began them
	end      context.CancelFunc
}

// New opens the folder and removes incomplete files of a killed process. The caller must call
// Close.
func New(ctx context.Context, c Config) (*Store, error) {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the folder of secrets: %w", err)
	}
	if err := removeUnfinished(c.Dir); err != nil {
		return nil, err
	}
	if c.Log == nil {
		c.Log = func(string) {}
	}
	s := &Store{config: c, rotating: map[string]bool{}}
	s.ctx, s.end = context.WithCancel(context.WithoutCancel(ctx))
	return s, nil
}

// Close cancels running rotations and waits for their end. The next RotateSecret resumes them.
func (s *Store) Close() {
	s.end()
	s.running.Wait()
}

// The stages that Secrets Manager moves.
const (
	current  = "AWSCURRENT"
	pending  = "AWSPENDING"
	previous = "AWSPREVIOUS"
)

// secret is the content of a secret's file.
type secret struct {
	Name        string              `json:"name"`
	ARN         string              `json:"arn"`
	Description string              `json:"description,omitempty"`
	Created     time.Time           `json:"created"`
	Changed     time.Time           `json:"changed"`
	Rotated     time.Time           `json:"rotated,omitzero"`
	Deleted     time.Time           `json:"deleted,omitzero"`
	RotationOn  bool                `json:"rotationOn,omitempty"`
	Function    string              `json:"function,omitempty"` // ARN
	Rules       *rules              `json:"rules,omitempty"`
	Versions    map[string]*version `json:"versions"`
	OfStack     bool                `json:"ofStack,omitempty"` // a resource of the template
}

// rules are a rotation schedule. It is stored and returned, but has no effect.
type rules struct {
	Days       int64  `json:"AutomaticallyAfterDays,omitempty"`
	Duration   string `json:"Duration,omitempty"`
	Expression string `json:"ScheduleExpression,omitempty"`
}

// version is a value with its stages. The version that a rotation stages has no value at first.
type version struct {
	value
	Stages  []string  `json:"stages"`
	Created time.Time `json:"created"`
}

type value struct {
	Text   *string `json:"text,omitempty"`
	Binary []byte  `json:"binary,omitempty"`
}

func (v value) empty() bool { return v.Text == nil && v.Binary == nil }

func (v value) equal(other value) bool {
	if (v.Text == nil) != (other.Text == nil) || v.Text != nil && *v.Text != *other.Text {
		return false
	}
	return slices.Equal(v.Binary, other.Binary)
}

// holder returns the ID of the version that has the stage, or "".
func (s *secret) holder(stage string) string {
	for id, v := range s.Versions {
		if slices.Contains(v.Stages, stage) {
			return id
		}
	}
	return ""
}

// stage moves the stage to the version.
func (s *secret) stage(stage, id string) {
	before := s.holder(stage)
	if before == id {
		return
	}
	s.unstage(stage)
	s.Versions[id].Stages = append(s.Versions[id].Stages, stage)
	if stage == current && before != "" {
		s.stage(previous, before)
	}
}

func (s *secret) unstage(stage string) {
	if id := s.holder(stage); id != "" {
		v := s.Versions[id]
		v.Stages = slices.DeleteFunc(v.Stages, func(has string) bool { return has == stage })
	}
}

// maxVersions limits a secret's versions. Beyond it, the oldest versions without a stage are
// deleted.
const maxVersions = 100

func (s *secret) prune() {
	for len(s.Versions) > maxVersions {
		oldest := ""
		for id, v := range s.Versions {
			if len(v.Stages) == 0 && (oldest == "" || v.Created.Before(s.Versions[oldest].Created)) {
				oldest = id
			}
		}
		if oldest == "" {
			return
		}
		delete(s.Versions, oldest)
	}
}

var namePattern = regexp.MustCompile(`^[A-Za-z0-9/_+=.@-]+$`)

const maxNameBytes = 120 // the cloud allows 512, but here the name, with %2F for each /, is also a file name

func validName(name string) bool { return len(name) <= maxNameBytes && namePattern.MatchString(name) }

const suffixLength = 6

// arn returns the ARN of a new secret. Like the service, it appends six random characters.
func (s *Store) arn(name string) string {
	return "arn:aws:secretsmanager:" + s.config.Region + ":" + s.config.AccountID + ":secret:" + name + "-" + rand.Text()[:suffixLength]
}

// names returns the secret names to which an ID can refer. The ID is a name, an ARN, or an ARN
// without the random characters.
func names(id string) []string {
	_, name, isARN := strings.Cut(id, ":secret:")
	if !strings.HasPrefix(id, "arn:") || !isARN {
		return []string{id}
	}
	if cut := len(name) - suffixLength - 1; cut > 0 && name[cut] == '-' {
		return []string{name[:cut], name}
	}
	return []string{name}
}
