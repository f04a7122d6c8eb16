package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"portside/shared/dynamo/layout"
)

// Format is the version of the files in a backup. A restore refuses other versions.
const Format = 1

// Manifest describes a complete backup.
type Manifest struct {
	Format      int       `json:"format"`
	Layout      int       `json:"layout"` // see package layout
	ID          string    `json:"id"`
	StartedAt   time.Time `json:"startedAt"`
	CompletedAt time.Time `json:"completedAt"`
	Sets        []*Set    `json:"sets"`
	SHA256      string    `json:"sha256,omitempty"` // of the other members, see sum
}

// Kind is the kind of a set.
type Kind string

// The kinds of sets.
const (
	Table  Kind = "table"
	Bucket Kind = "bucket"
)

// Set is one table or bucket.
type Set struct {
	Name  string `json:"name"` // the logical ID in template.yaml
	From  string `json:"from"` // the name of the table or bucket
	Kind  Kind   `json:"kind"`
	Parts []Part `json:"parts"`
}

// Part is one file of a set.
type Part struct {
	File    string `json:"file"` // path in the folder, with slashes
	Segment int    `json:"segment"`
	Entries int64  `json:"entries"`
	Bytes   int64  `json:"bytes"`  // size of the file
	SHA256  string `json:"sha256"` // of the file
	// Sum is the exclusive or of the SHA-256 of all entries. It does not depend on their order.
	Sum string `json:"sum"`
	// Next is the position at which the next part of the segment begins. It is empty in the last part.
	Next string `json:"next,omitempty"`
}

// progress is the state of an incomplete backup.
type progress struct {
	Manifest
	Round int               `json:"round"` // number of the current round of the records
	Sums  map[string]string `json:"sums"`  // of the records in the round before, by set
}

// Entries returns the number of entries in the set.
func (s *Set) Entries() (n int64) {
	for _, part := range s.Parts {
		n += part.Entries
	}
	return n
}

// set returns the set with the same name, and adds it if it is missing.
func (m *Manifest) set(like Set) *Set {
	if i := slices.IndexFunc(m.Sets, func(s *Set) bool { return s.Name == like.Name }); i >= 0 {
		return m.Sets[i]
	}
	m.Sets = append(m.Sets, &like)
	return m.Sets[len(m.Sets)-1]
}

// position returns where the next part of a segment begins, and its number.
func (s *Set) position(segment int) (position string, number int, done bool) {
	for _, part := range s.Parts {
		if part.Segment == segment {
			position, done = part.Next, part.Next == ""
			number++
		}
	}
	return position, number, done
}

// sum combines the sums of all parts.
func (s *Set) sum() string {
	var total digest
	for _, part := range s.Parts {
		if bytes, err := hex.DecodeString(part.Sum); err == nil && len(bytes) == len(total) {
			total.add(digest(bytes))
		}
	}
	return hex.EncodeToString(total[:])
}

// check refuses backups that this code cannot restore.
func (m *Manifest) check() error {
	if m.Format != Format {
		return fmt.Errorf("the backup has format %d, and this release knows format %d: use the release that wrote the backup",
			m.Format, Format)
	}
	if m.ID == "" || m.CompletedAt.IsZero() {
		return errors.New("manifest.json does not describe a complete backup")
	}
	if err := layout.CheckVersion(m.Layout); err != nil {
		return err
	}
	if sum, err := m.sum(); err != nil || sum != m.SHA256 || slices.Contains(m.Sets, nil) {
		return errors.Join(errors.New("the backup is damaged: manifest.json is not the file that was written"), err)
	}
	return nil
}

// sum returns the SHA-256 of the manifest's other members, so that a restore notices a lost line of
// the manifest, which would be a lost part of the data.
func (m Manifest) sum() (string, error) {
	m.SHA256 = ""
	text, err := json.Marshal(m)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}
