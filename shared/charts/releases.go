package charts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"portside/shared/core/constraints"
	"portside/shared/core/entitlement"
)

const archiveSuffix = ".tgz"

// maxDepth is far more than the metadata of any chart needs. The index itself takes four levels.
const maxDepth = 64

// releases are the versions of one chart, newest first: a JSON array of the index, decoded when
// first needed. They never change, so that the indexes that Only returns can share them; each
// change makes a new value.
type releases struct {
	raw  json.RawMessage
	once sync.Once
	list []Version
	err  error

	dated     sync.Once
	lastTime  time.Time
	dateError error
}

// newReleases sorts the versions of one chart and encodes them.
func newReleases(versions []Version) (*releases, error) {
	for i, v := range versions {
		raw, err := encodeEntry(v)
		if err != nil {
			return nil, err
		}
		versions[i].Metadata = raw
	}
	slices.SortFunc(versions, newestFirst)
	r := &releases{list: versions}
	r.encode()
	return r, nil
}

func (r *releases) decode() ([]Version, error) {
	r.once.Do(func() { r.list, r.err = decodeEntries(r.raw) })
	return r.list, r.err
}

func decodeEntries(raw json.RawMessage) ([]Version, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	list := make([]Version, len(entries))
	for i, entry := range entries {
		var err error
		if list[i], err = decodeEntry(entry); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func decodeEntry(raw json.RawMessage) (Version, error) {
	var v Version
	if err := json.Unmarshal(raw, &v); err != nil {
		return Version{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	v.Metadata = raw
	return v, nil
}

// only returns the versions that the set allows, or false if it allows none. It returns r if the set allows all.
func (r *releases) only(allowed entitlement.Set) (part *releases, some bool, err error) {
	if allowed.AllowAll() {
		return r, true, nil
	}
	if len(allowed) == 0 {
		return nil, false, nil
	}
	all, err := r.decode()
	if err != nil {
		return nil, false, err
	}
	versions := constraints.Of(allowed)
	mine := slices.DeleteFunc(slices.Clone(all), func(v Version) bool { return !versions.Allow(v.Version) })
	if len(mine) == 0 {
		return nil, false, nil
	}
	part = &releases{list: mine}
	part.encode()
	return part, true, nil
}

// newest returns the time at which the newest version was created. It does not keep the decoded entries, because few
// requests need them, but the time, because many callers may see all versions of a chart.
func (r *releases) newest() (time.Time, error) {
	r.dated.Do(func() { r.lastTime, r.dateError = newestOf(r.raw) })
	return r.lastTime, r.dateError
}

func newestOf(raw json.RawMessage) (last time.Time, err error) {
	var entries []struct {
		Created time.Time `json:"created"`
	}
	if err := json.Unmarshal(raw, &entries); err != nil {
		return time.Time{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	for _, e := range entries {
		if e.Created.After(last) {
			last = e.Created
		}
	}
	return last, nil
}

func (r *releases) find(version string) (found Version, listed bool, err error) {
	list, err := r.decode()
	if err != nil {
		return Version{}, false, err
	}
	i := slices.IndexFunc(list, func(v Version) bool { return v.Version == version })
	if i < 0 {
		return Version{}, false, nil
	}
	return list[i], true, nil
}

// rival returns the listed version that differs from the given one only in its build metadata.
func (r *releases) rival(version string) (rival Version, found bool, err error) {
	list, err := r.decode()
	if err != nil {
		return Version{}, false, err
	}
	if slices.ContainsFunc(list, func(v Version) bool { return v.Version == version }) {
		return Version{}, false, nil
	}
	i := slices.IndexFunc(list, func(v Version) bool { return sameRelease(v.Version, version) })
	if i < 0 {
		return Version{}, false, nil
	}
	return list[i], true, nil
}

func (r *releases) with(v Version, raw json.RawMessage) (next *releases, changed bool, err error) {
	list, err := r.decode()
	if err != nil {
		return nil, false, err
	}
	v.Metadata = raw
	next = &releases{list: slices.Clone(list)}
	if i := slices.IndexFunc(list, func(e Version) bool { return e.Version == v.Version }); i >= 0 {
		if bytes.Equal(list[i].Metadata, raw) {
			return r, false, nil
		}
		next.list = slices.Delete(next.list, i, i+1)
	}
	at, _ := slices.BinarySearchFunc(next.list, v, newestFirst)
	next.list = slices.Insert(next.list, at, v)
	next.encode()
	return next, true, nil
}

func (r *releases) without(version string) (next *releases, changed bool, err error) {
	list, err := r.decode()
	if err != nil {
		return nil, false, err
	}
	next = &releases{list: slices.DeleteFunc(slices.Clone(list), func(v Version) bool { return v.Version == version })}
	if len(next.list) == len(list) {
		return r, false, nil
	}
	next.encode()
	return next, true, nil
}

func (r *releases) empty() bool { return len(r.list) == 0 }

// encode sets raw from list, and marks list as decoded.
func (r *releases) encode() {
	entries := make([][]byte, len(r.list))
	for i, v := range r.list {
		entries[i] = v.Metadata
	}
	r.raw = slices.Concat([]byte("["), bytes.Join(entries, []byte(",")), []byte("]"))
	r.once.Do(func() {})
}

// encodeEntry writes an entry with its keys sorted, as helm does. The fields of v replace those of its Metadata.
func encodeEntry(v Version) (json.RawMessage, error) {
	fields := map[string]any{}
	var metadata map[string]json.RawMessage
	if len(v.Metadata) > 0 {
		if err := json.Unmarshal(v.Metadata, &metadata); err != nil {
			return nil, fmt.Errorf("metadata of chart %s: %w", v.File(), err)
		}
	}
	for name, value := range metadata {
		fields[name] = value
	}
	fields["name"], fields["version"], fields["digest"] = v.Name, v.Version, v.Digest
	fields["urls"], fields["created"] = v.URLs, v.Created.UTC()
	raw, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("entry of chart %s: %w", v.File(), err)
	}
	return raw, nil
}

// tooDeep reports whether JSON is nested deeper than limit, which would make decoding expensive. Its
// result for text that is not JSON does not matter.
func tooDeep(data []byte, limit int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
		if depth > limit {
			return true
		}
	}
	return false
}
