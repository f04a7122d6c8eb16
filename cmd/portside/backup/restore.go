package backup

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"portside/shared/core/parallel"
)

// Target is a table or bucket into which a restore writes.
type Target interface {
	// Name is the name of the set.
	Name() string
	// Check changes nothing. It returns what earlier runs of this restore have done, or an error if the target must not
	// be used.
	Check(ctx context.Context, backup string) (Done, error)
	// Claim reserves the target for this run if it is still as Check found it. Earlier runs of the same restore can
	// then no longer note files.
	Claim(ctx context.Context, by RestoreRun, done Done) error
	// Write adds an entry. An entry that exists already must be the same.
	Write(ctx context.Context, entry []byte) error
	// Note records that all entries of a file are written.
	Note(ctx context.Context, by RestoreRun, file string) error
}

// RestoreRun identifies a run of a restore. A later run of the same backup takes over from it.
type RestoreRun struct{ Backup, ID string }

// NewRestoreRun returns a new run.
func NewRestoreRun(backup string) RestoreRun { return RestoreRun{Backup: backup, ID: rand.Text()} }

// Done is what earlier runs of a restore have done with a target.
type Done struct {
	IsClaimed bool
	Files     []string // whose entries are all written
}

// ErrTakenOver means that another run of the same restore has begun, on this or on another machine.
var ErrTakenOver = errors.New("another run of this restore has taken over: wait for its end, and run only one at a time")

// Restore is a job that writes a backup into tables and buckets.
type Restore struct {
	Dir     string
	Targets []Target
	// Report is called with the number of entries that were written or were there already.
	Report func(set string, entries int64)
}

// Lock keeps other commands from the folder until unlock. Otherwise a slow second restore could add
// items again that the service has deleted after the first restore was complete.
func (r *Restore) Lock() (unlock func(), err error) {
	folder, err := lockFolder(r.Dir)
	if err != nil {
		return nil, err
	}
	return folder.close, nil
}

// Open reads and checks the manifest of a backup.
func Open(dir string) (Manifest, error) {
	var m Manifest
	text, err := os.ReadFile((&folder{path: dir}).join(manifestFile))
	if errors.Is(err, os.ErrNotExist) {
		return m, fmt.Errorf("%s has no complete backup: manifest.json is missing", dir)
	}
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("the backup is damaged: manifest.json: %w", err)
	}
	return m, m.check()
}

// CheckFiles returns an error if the backup lacks a target, or if a file is missing or damaged.
func (r *Restore) CheckFiles(ctx context.Context, m Manifest) error {
	folder := &folder{path: r.Dir}
	for _, target := range r.Targets {
		i := slices.IndexFunc(m.Sets, func(s *Set) bool { return s.Name == target.Name() })
		if i < 0 {
			return fmt.Errorf("the backup does not have %s", target.Name())
		}
		for _, part := range m.Sets[i].Parts {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := folder.verifyPart(part); err != nil {
				return err
			}
		}
	}
	return nil
}

// Run writes the entries of all targets, or continues an interrupted restore. It changes nothing if
// a target is unusable. Call CheckFiles before.
func (r *Restore) Run(ctx context.Context, m Manifest, by RestoreRun) error {
	done := map[string]Done{}
	for _, target := range r.Targets {
		found, err := target.Check(ctx, m.ID)
		if err != nil {
			return err
		}
		done[target.Name()] = found
	}
	for _, target := range r.Targets {
		if err := target.Claim(ctx, by, done[target.Name()]); err != nil {
			return err
		}
	}
	w := writer{Restore: r, manifest: &m, by: by}
	for _, target := range r.Targets {
		if err := w.writeParts(ctx, target, done[target.Name()].Files); err != nil {
			return fmt.Errorf("%s: %w", target.Name(), err)
		}
	}
	return nil
}

// writer is a run that has claimed its targets.
type writer struct {
	*Restore
	manifest *Manifest
	by       RestoreRun
}

// writeParts writes the parts of a target that are not written yet.
func (r writer) writeParts(ctx context.Context, target Target, written []string) error {
	var entries int64
	for _, part := range r.manifest.set(Set{Name: target.Name()}).Parts {
		if !slices.Contains(written, part.File) {
			if err := r.writePart(ctx, target, part); err != nil {
				return err
			}
			if err := target.Note(ctx, r.by, part.File); err != nil {
				return err
			}
		}
		entries += part.Entries
		r.Report(target.Name(), entries)
	}
	return nil
}

// writesAtOnce limits the concurrent writes. They wait for the network most of the time.
const writesAtOnce = 32

func (r *Restore) writePart(ctx context.Context, target Target, part Part) error {
	var entries int64
	err := (&folder{path: r.Dir}).readPart(part, func(batch [][]byte) error {
		entries += int64(len(batch))
		return parallel.Each(len(batch), writesAtOnce, func(i int) error { return target.Write(ctx, batch[i]) })
	})
	if err == nil && entries != part.Entries {
		return fmt.Errorf("the backup is damaged: %s has %d entries instead of %d", part.File, entries, part.Entries)
	}
	return err
}
