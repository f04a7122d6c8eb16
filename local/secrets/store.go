// Package secrets is the local stack's AWS Secrets Manager: the few calls that rotating a managed token needs, over the
// service's own protocol, so that the SDK's client cannot tell the difference.
//
// A secret is one file, readable by its owner only and replaced as a whole, so that a stack that is killed at any moment
// has kept every call it answered. What must be as in the cloud is how version stages move: a stage is on one version at
// a time; the version that loses AWSCURRENT gets AWSPREVIOUS; a version's value never changes, so that the same token
// with the same value may be put again and with another value never. Rotation works as there, too: a version without a
// value is staged as AWSPENDING, and the function that the secret names is asked for four steps, from the first again when
// one fails. Two things differ. No schedule starts a rotation, only RotateSecret does. And where a rotation is unfinished,
// RotateSecret takes it up and says so with its version, while Secrets Manager takes it up and answers with an error; only
// one that is at work at that moment is refused, and nothing changes.
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

// Config says where secrets are kept and who rotates them.
type Config struct {
	Dir       string // is made when there is none
	Region    string
	AccountID string
	// Invoke runs one step of a rotation with the function that the last part of an ARN names. Without it a rotation is
	// only begun, and whoever began it takes the steps.
	Invoke func(ctx context.Context, function string, event []byte) error
	// Log gets a line for each step of a rotation that RotateSecret began; nil keeps them quiet.
	Log func(line string)
	Now func() time.Time
}

// Store is a folder of secrets, which one process has to itself.
type Store struct {
	config Config

	mu       sync.Mutex      // guards the files and rotating
	rotating map[string]bool // names of secrets with a rotation at work
	running  sync.WaitGroup
	ctx      context.Context // of rotations that outlive the request that began them
	end      context.CancelFunc
}

// New opens the folder, and removes what a killed process left half-written there. Close must be called.
func New(ctx context.Context, c Config) (*Store, error) {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the folder of secrets: %w", err)
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

// Close ends rotations that are at work, and waits for them. They are taken up by the next RotateSecret.
func (s *Store) Close() {
	s.end()
	s.running.Wait()
}

// The stages that move by themselves.
const (
	current  = "AWSCURRENT"
	pending  = "AWSPENDING"
	previous = "AWSPREVIOUS"
)

// secret is the content of a file.
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
}

// rules are a schedule for rotations, which is kept and shown.
type rules struct {
	Days       int64  `json:"AutomaticallyAfterDays,omitempty"`
	Duration   string `json:"Duration,omitempty"`
	Expression string `json:"ScheduleExpression,omitempty"`
}

// version is a value with its stages. One that a rotation began has no value yet.
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

// holder returns the id of the version that has the stage, and "" if none does.
func (s *secret) holder(stage string) string {
	for id, v := range s.Versions {
		if slices.Contains(v.Stages, stage) {
			return id
		}
	}
	return ""
}

// stage gives the version the stage, and takes it from any other.
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

// maxVersions is how many versions a secret has before those without a stage are forgotten, oldest first.
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

const maxNameBytes = 120 // in the cloud 512; here a name, with every / as %2F, is also a file's

func validName(name string) bool { return len(name) <= maxNameBytes && namePattern.MatchString(name) }

const suffixLength = 6

// arn is the address of a new secret, with the six random characters that the service adds.
func (s *Store) arn(name string) string {
	return "arn:aws:secretsmanager:" + s.config.Region + ":" + s.config.AccountID + ":secret:" + name + "-" + rand.Text()[:suffixLength]
}

// names are those of secrets that an id can mean: a name, an ARN, or an ARN without the random characters.
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
