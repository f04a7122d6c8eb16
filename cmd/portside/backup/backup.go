// Package backup copies tables and buckets into files, and files into empty tables and buckets.
//
// A backup is a folder. The entries of each table and bucket (items and objects) are in compressed
// files of JSON lines, the parts. manifest.json lists the parts with their SHA-256, and exists only
// in complete backups. Until then progress.json has the state, so that another run continues. Only
// the owner may read the files, because they have personal data.
//
// A scan is not a snapshot. So the tables whose items must agree with each other are read until two
// rounds in a row find the same items. Every item then had its value at the moment between the two
// rounds, because no read of the second round began before the last read of the first. Items have
// versions or times, so no item changes and then changes back.
//
// A restore checks all files and all targets before it changes anything. It only adds entries, and
// never overwrites one.
package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"portside/shared/core/parallel"
)

// Source is a table or bucket that a backup reads.
type Source interface {
	// Set returns the set without its parts.
	Set() Set
	// Segments returns the number of segments that can be read at the same time.
	Segments() int
	// Page returns the entries of a segment after a position, and the next position. An empty position
	// means the beginning of the segment, or its end.
	Page(ctx context.Context, segment int, position string) (entries [][]byte, next string, err error)
}

// Backup is a job that writes a backup into a folder.
type Backup struct {
	Dir string
	// Records are read at one instant, Others in one pass.
	Records, Others []Source
	Now             func() time.Time
	// Report is called with the total number of entries that were read, by one goroutine at a time.
	Report func(set string, entries int64)
	// PartBytes is the size, before compression, at which a part ends; 0 means 32 MB.
	PartBytes int
}

// maxRounds bounds the rounds of one run until the records are the same twice.
const maxRounds = 5

// ErrChanging means that the records changed during every round.
var ErrChanging = errors.New("users, customers, projects or credentials changed during each of the last rounds, so the copies do not " +
	"agree: run the command again at a quieter time, or back up tables that were restored to a point in time, see docs/operations.md")

// Run writes the backup, or continues an interrupted one.
func (b *Backup) Run(ctx context.Context) (Manifest, error) {
	folder, err := openFolder(b.Dir)
	if err != nil {
		return Manifest{}, err
	}
	defer folder.close()
	state, err := folder.begin(b.Now())
	if err != nil {
		return Manifest{}, err
	}
	r := &backupRun{Backup: b, folder: folder, progress: state}
	if err := r.readRecords(ctx); err != nil {
		return Manifest{}, err
	}
	if err := r.readAll(ctx, b.Others); err != nil {
		return Manifest{}, err
	}
	r.progress.CompletedAt = b.Now().UTC()
	return r.progress.Manifest, folder.complete(r.progress.Manifest)
}

type backupRun struct {
	*Backup
	folder   *folder
	mu       sync.Mutex // guards progress and Report
	progress progress
}

func (r *backupRun) readRecords(ctx context.Context) error {
	for range maxRounds {
		if err := r.readAll(ctx, r.Records); err != nil {
			return err
		}
		same, err := r.compareRounds()
		if err != nil || same {
			return err
		}
	}
	return ErrChanging
}

// compareRounds reports whether this round of the records found the same items as the last one. If
// not, it begins another round.
func (r *backupRun) compareRounds() (same bool, err error) {
	sums := map[string]string{}
	for _, source := range r.Records {
		set := r.progress.set(source.Set())
		sums[set.Name] = set.sum()
	}
	if maps.Equal(sums, r.progress.Sums) {
		return true, nil
	}
	r.progress.Sums = sums
	r.progress.Round++
	for _, source := range r.Records {
		r.progress.set(source.Set()).Parts = nil
	}
	return false, r.folder.save(r.progress)
}

func (r *backupRun) readAll(ctx context.Context, sources []Source) error {
	for _, source := range sources {
		r.mu.Lock()
		set := r.progress.set(source.Set())
		r.mu.Unlock()
		const segmentsAtOnce = 4
		err := parallel.Each(source.Segments(), segmentsAtOnce, func(segment int) error {
			return r.readSegment(ctx, set, source, segment)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
	}
	return nil
}

func (r *backupRun) readSegment(ctx context.Context, set *Set, source Source, segment int) error {
	for {
		r.mu.Lock()
		position, number, done := set.position(segment)
		name := fmt.Sprintf("%s/%d-%d-%d.json.gz", set.Name, r.progress.Round, segment, number)
		r.mu.Unlock()
		if done {
			return nil
		}
		part, err := r.copyPart(ctx, source, Part{File: name, Segment: segment, Next: position})
		if err == nil {
			err = r.addPart(set, part)
		}
		if err != nil {
			return err
		}
	}
}

// defaultPartBytes is the default of Backup.PartBytes.
const defaultPartBytes = 32 << 20

// copyPart copies entries of the source, from part.Next on, into the file of one part.
func (r *backupRun) copyPart(ctx context.Context, source Source, part Part) (Part, error) {
	file, err := r.folder.createPart(part.File)
	if err != nil {
		return part, err
	}
	limit := cmp.Or(r.PartBytes, defaultPartBytes)
	for more := true; more && err == nil && file.written < limit; more = part.Next != "" {
		var entries [][]byte
		if entries, part.Next, err = source.Page(ctx, part.Segment, part.Next); err == nil {
			err = file.addEntries(entries)
		}
	}
	if err != nil {
		return part, errors.Join(err, file.discard())
	}
	return file.finish(part)
}

// addPart records a complete part.
func (r *backupRun) addPart(set *Set, part Part) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	set.Parts = append(set.Parts, part)
	r.Report(set.Name, set.Entries())
	return r.folder.save(r.progress)
}
