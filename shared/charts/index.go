// Package charts is the Helm chart repository: what the vendor publishes into a bucket, the index of it, and what customers
// are given.
//
// What must stay true: a version number means the same bytes for ever, since clients cache by it; only what is in the
// index is served; nothing that anybody publishes breaks the index; and the index is always a function of what is
// published, so that it can be made again at any time. Events of the bucket come twice, late, out of order and many at
// once, and so they only say where to look: [Indexer.Sync] acts on what is there, never on what an event tells.
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
)

// Where things are in the bucket. The vendor writes below PublishedPrefix only, customers are given what is below
// ArchivesPrefix only, and a file is known by the same name in all of them.
const (
	IndexKey        = "index.yaml"
	PublishedPrefix = "charts/"
	ArchivesPrefix  = "archives/"
	RejectedPrefix  = "rejected/"
)

// maxIndexBytes is about 100,000 versions; more than that is not an index of ours.
const maxIndexBytes = 64 << 20

// ErrCorrupt says that the index is none that this package has written. Rebuilding it mends that.
var ErrCorrupt = errors.New("the chart index is damaged")

// Version is one version of one chart, as the index lists it.
type Version struct {
	Name    string    `json:"name"`
	Version string    `json:"version"`
	Digest  string    `json:"digest"` // SHA-256 of the archive, in hex without a prefix
	URLs    []string  `json:"urls"`
	Created time.Time `json:"created"`
	// Metadata is a JSON object of the fields of Chart.yaml as helm writes them. In a Version that comes from an index
	// it is the whole entry.
	Metadata json.RawMessage `json:"-"`
}

// File is the name of the version's archive, which is also its URL relative to the index.
func (v Version) File() string { return v.Name + "-" + v.Version + archiveSuffix }

// Index is the content of index.yaml: JSON, which is YAML, and which helm reads several times faster.
//
// The entries of a chart are decoded when somebody asks for them, since a request wants one version out of thousands.
// Any number of goroutines may read an Index at a time; Set and Remove need it for themselves.
type Index struct {
	generated time.Time
	charts    map[string]*releases
}

// NewIndex returns an index that lists nothing.
func NewIndex() *Index { return &Index{charts: map[string]*releases{}} }

// DecodeIndex reads what Encode has written. Its errors are ErrCorrupt; those within the entries of a chart come to light
// when that chart is asked for.
func DecodeIndex(data []byte) (*Index, error) {
	if len(data) > maxIndexBytes {
		return nil, fmt.Errorf("%w: it has %d bytes, at most %d are read", ErrCorrupt, len(data), maxIndexBytes)
	}
	if tooDeep(data, maxDepth) {
		return nil, fmt.Errorf("%w: it is nested deeper than %d levels", ErrCorrupt, maxDepth)
	}
	var file struct {
		APIVersion string                     `json:"apiVersion"`
		Generated  time.Time                  `json:"generated"`
		Entries    map[string]json.RawMessage `json:"entries"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if file.APIVersion != "v1" || file.Entries == nil {
		return nil, fmt.Errorf("%w: it lacks apiVersion v1 or entries", ErrCorrupt)
	}
	x := &Index{generated: file.Generated, charts: make(map[string]*releases, len(file.Entries))}
	for name, raw := range file.Entries {
		if !isList(raw) {
			return nil, fmt.Errorf("%w: the entries of a chart are no list", ErrCorrupt)
		}
		x.charts[name] = &releases{raw: raw}
	}
	return x, nil
}

// isList tells what Encode writes, a list of objects, from other JSON by its first bytes.
func isList(raw []byte) bool {
	inside, found := bytes.CutPrefix(bytes.TrimSpace(raw), []byte("["))
	inside = bytes.TrimSpace(inside)
	return found && (bytes.HasPrefix(inside, []byte("{")) || bytes.HasPrefix(inside, []byte("]")))
}

// Generated is the time that was given to Encode, or zero for an index that was not decoded.
func (x *Index) Generated() time.Time { return x.generated }

// Encode writes the index. The same entries and time give the same bytes, whatever the order in which they came.
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

// Find looks a version up by the name of its archive. Where the dashes leave open what is the name and what is the
// version, the one that is listed is meant. What is listed of a damaged chart is not found; Set and Remove report that to
// whoever can mend it.
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

// rival returns the listed version of the same chart that equals the given one but for the build. One that is listed
// itself has none.
func (x *Index) rival(v Version) (rival Version, found bool, err error) {
	list, ok := x.charts[v.Name]
	if !ok {
		return Version{}, false, nil
	}
	return list.rival(v.Version)
}

// Set lists a version, in place of the one whose archive has the same file name.
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

// Remove takes the version with this archive off the list.
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

// Only is the part of the index with the charts that permits says yes to: what a narrowed credential may see.
func (x *Index) Only(permits func(name string) bool) *Index {
	part := &Index{generated: x.generated, charts: make(map[string]*releases, len(x.charts))}
	for name, list := range x.charts {
		if permits(name) {
			part.charts[name] = list
		}
	}
	return part
}

// Equal reports whether both list the same; the times of writing do not matter.
func (x *Index) Equal(other *Index) bool {
	return maps.EqualFunc(x.charts, other.charts, func(a, b *releases) bool { return bytes.Equal(a.raw, b.raw) })
}

// Files are the names of all listed archives, sorted.
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

// splits yields the ways to read an archive's file name as a name and a version, the longest version first.
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
