// Package charts is the Helm chart repository: the charts that the vendor publishes into a bucket,
// their index, and what customers may fetch.
//
// Four rules always hold. A version number means the same bytes forever, because clients cache by
// it. Only charts in the index are served. Nothing that anybody publishes can break the index. The
// index depends only on the published files, so it can be rebuilt at any time. Events of the bucket
// arrive twice, late, out of order and concurrently, so they only say where to look: [Indexer.Sync]
// acts on the objects in the bucket, not on the event.
package charts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"portside/shared/core/entitlement"
)

// Prefixes in the bucket. The vendor writes only below PublishedPrefix, and customers read only
// below ArchivesPrefix. A file has the same name below all of them.
const (
	IndexKey        = "index.yaml"
	PublishedPrefix = "charts/"
	ArchivesPrefix  = "archives/"
	RejectedPrefix  = "rejected/"
)

// maxIndexBytes is enough for about 100,000 versions. A larger file cannot be an index that this
// package wrote.
const maxIndexBytes = 64 << 20

// ErrCorrupt means that this package cannot have written the index. A rebuild repairs it.
var ErrCorrupt = errors.New("the chart index is damaged")

// Version is one version of one chart, as the index lists it.
type Version struct {
	Name    string    `json:"name"`
	Version string    `json:"version"`
	Digest  string    `json:"digest"` // SHA-256 of the archive, in hex without a prefix
	URLs    []string  `json:"urls"`
	Created time.Time `json:"created"`
	// Metadata is a JSON object with the fields of Chart.yaml as helm writes them. In a Version
	// that was read from an index it is the whole entry.
	Metadata json.RawMessage `json:"-"`
}

// File returns the name of the version's archive, which is also its URL relative to the index.
func (v Version) File() string { return v.Name + "-" + v.Version + archiveSuffix }

// Index is the content of index.yaml. It is written as JSON, which is valid YAML and which helm
// reads several times faster.
//
// Index decodes the entries of a chart when they are first needed, because a request needs one
// version out of thousands. Any number of goroutines may read an Index at the same time; Set and
// Remove need exclusive access.
type Index struct{ charts map[string]*releases }

// NewIndex returns an empty index.
func NewIndex() *Index { return &Index{charts: map[string]*releases{}} }

// DecodeIndex reads what Encode wrote. Its errors are ErrCorrupt. Errors within the entries of a
// chart appear when those entries are first needed.
func DecodeIndex(data []byte) (*Index, error) {
	if len(data) > maxIndexBytes {
		return nil, fmt.Errorf("%w: it has %d bytes, at most %d are read", ErrCorrupt, len(data), maxIndexBytes)
	}
	if tooDeep(data, maxDepth) {
		return nil, fmt.Errorf("%w: it is nested deeper than %d levels", ErrCorrupt, maxDepth)
	}
	var file struct {
		APIVersion string                     `json:"apiVersion"`
		Entries    map[string]json.RawMessage `json:"entries"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if file.APIVersion != "v1" || file.Entries == nil {
		return nil, fmt.Errorf("%w: it lacks apiVersion v1 or entries", ErrCorrupt)
	}
	x := &Index{charts: make(map[string]*releases, len(file.Entries))}
	for name, raw := range file.Entries {
		if !isList(raw) {
			return nil, fmt.Errorf("%w: the entries of a chart are not a list", ErrCorrupt)
		}
		x.charts[name] = &releases{raw: raw}
	}
	return x, nil
}

// isList recognizes a list of objects as Encode writes it by its first bytes.
func isList(raw []byte) bool {
	inside, found := bytes.CutPrefix(bytes.TrimSpace(raw), []byte("["))
	inside = bytes.TrimSpace(inside)
	return found && (bytes.HasPrefix(inside, []byte("{")) || bytes.HasPrefix(inside, []byte("]")))
}

// Encode writes the index. Equal entries and times give equal bytes, in whatever order the entries
// were added.
func (x *Index) Encode(generated time.Time) ([]byte, error) {
	stamp, err := json.Marshal(generated.UTC())
	if err != nil {
		return nil, fmt.Errorf("time of the chart index: %w", err)
	}
	var out bytes.Buffer
	out.Grow(x.size())
	out.WriteString(`{"apiVersion":"v1","entries":{`)
	for i, name := range slices.Sorted(maps.Keys(x.charts)) {
		if i > 0 {
			out.WriteByte(',')
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, fmt.Errorf("chart name in the index: %w", err)
		}
		out.Write(quoted)
		out.WriteByte(':')
		out.Write(x.charts[name].raw)
	}
	out.WriteString(`},"generated":`)
	out.Write(stamp)
	out.WriteString("}\n")
	return out.Bytes(), nil
}

func (x *Index) size() int {
	const frame = 128
	n := frame
	for name, list := range x.charts {
		n += len(name) + len(list.raw) + len(`"":,`)
	}
	return n
}

// Find finds a version by the name of its archive. If dashes make it ambiguous where the chart name
// ends, Find returns the version that is listed. It does not find versions of a damaged chart; Set
// and Remove report the damage.
func (x *Index) Find(file string) (Version, bool) {
	found, listed, err := x.lookUp(file)
	return found, listed && err == nil
}

func (x *Index) lookUp(file string) (found Version, listed bool, err error) {
	var problems []error
	for name, version := range splits(file) {
		list, ok := x.charts[name]
		if !ok {
			continue
		}
		found, listed, err := list.find(version)
		if listed {
			return found, true, nil
		}
		problems = append(problems, err)
	}
	return Version{}, false, errors.Join(problems...)
}

// rival returns the listed version of the same chart that differs from v only in its build
// metadata. A version that is listed itself has no rival.
func (x *Index) rival(v Version) (rival Version, found bool, err error) {
	list, ok := x.charts[v.Name]
	if !ok {
		return Version{}, false, nil
	}
	return list.rival(v.Version)
}

// Set lists a version. It replaces the one whose archive has the same file name.
func (x *Index) Set(v Version) (changed bool, err error) {
	raw, err := encodeEntry(v)
	if err != nil {
		return false, err
	}
	if old, ok := x.Find(v.File()); ok && old.Name != v.Name {
		if _, err := x.Remove(v.File()); err != nil {
			return false, err
		}
	}
	list := x.charts[v.Name]
	if list == nil {
		list = &releases{raw: json.RawMessage("[]")}
	}
	next, changed, err := list.with(v, raw)
	if changed {
		x.charts[v.Name] = next
	}
	return changed, err
}

// Remove removes the version with this archive from the index.
func (x *Index) Remove(file string) (changed bool, err error) {
	for name, version := range splits(file) {
		list, ok := x.charts[name]
		if !ok {
			continue
		}
		next, removed, err := list.without(version)
		if err != nil {
			return changed, err
		}
		if !removed {
			continue
		}
		changed, x.charts[name] = true, next
		if next.empty() {
			delete(x.charts, name)
		}
	}
	return changed, nil
}

// Only returns the part of the index that is allowed: of each chart, the versions that the set for its name allows. The
// part shares charts with x if all their versions are allowed.
func (x *Index) Only(allowed func(name string) entitlement.Set) (*Index, error) {
	part := &Index{charts: make(map[string]*releases, len(x.charts))}
	for name, list := range x.charts {
		mine, some, err := list.only(allowed(name))
		if err != nil {
			return nil, fmt.Errorf("chart %s: %w", name, err)
		}
		if some {
			part.charts[name] = mine
		}
	}
	return part, nil
}

// Equal reports whether both indexes list the same versions. Their times do not matter.
func (x *Index) Equal(other *Index) bool {
	return maps.EqualFunc(x.charts, other.charts, func(a, b *releases) bool { return bytes.Equal(a.raw, b.raw) })
}

// newest returns the time at which the newest version was created. It is the beginning of Unix time for an empty index.
func (x *Index) newest() (time.Time, error) {
	last := time.Unix(0, 0).UTC()
	for name, list := range x.charts {
		created, err := list.newest()
		if err != nil {
			return time.Time{}, fmt.Errorf("chart %s: %w", name, err)
		}
		if created.After(last) {
			last = created
		}
	}
	return last, nil
}

// Files returns the names of all listed archives, sorted.
func (x *Index) Files() ([]string, error) {
	var files []string
	for _, list := range x.charts {
		entries, err := list.decode()
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			files = append(files, e.File())
		}
	}
	slices.Sort(files)
	return files, nil
}

// splits yields the ways to split the name of an archive into chart name and version, longest
// version first.
func splits(file string) func(yield func(name, version string) bool) {
	stem, isArchive := strings.CutSuffix(file, archiveSuffix)
	return func(yield func(name, version string) bool) {
		for i := 0; isArchive && i < len(stem); i++ {
			if stem[i] == '-' && !yield(stem[:i], stem[i+1:]) {
				return
			}
		}
	}
}
