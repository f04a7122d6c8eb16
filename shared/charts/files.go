package charts

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits of the data that is read for one version.
const (
	// MaxTextBytes is how much of each file is returned. Four files of this size fit into the
	// response of a Lambda function even if JSON escapes every byte.
	MaxTextBytes = 128 << 10
	// maxUnpackedBytes is above the largest archive that the indexer can be configured to accept.
	maxUnpackedBytes = 128 << 20
)

// Text is a text file. It is cut if Content is shorter than Size.
type Text struct {
	Content string // at most MaxTextBytes
	Size    int64  // of the whole file in bytes
}

// Files are the files of a chart that people read. Each is nil if the chart does not have it.
type Files struct {
	Readme *Text // the file that `helm show readme` prints
	Values *Text // values.yaml
	Schema *Text // values.schema.json
}

// readFiles reads the files of an archive that the indexer has accepted. It stops as soon as it has
// all of them, and after maxUnpackedBytes.
func readFiles(archive io.Reader) (Files, error) {
	unpacked, err := gzip.NewReader(archive)
	if err != nil {
		return Files{}, fmt.Errorf("decompress: %w", err)
	}
	var files Files
	members := tar.NewReader(io.LimitReader(unpacked, maxUnpackedBytes))
	for files.Readme == nil || files.Values == nil || files.Schema == nil {
		header, err := members.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return Files{}, fmt.Errorf("read the next file: %w", err)
		}
		field := files.fieldFor(header.Name)
		if field == nil || *field != nil || header.Typeflag != tar.TypeReg {
			continue
		}
		if *field, err = readText(members, header.Size); err != nil {
			return Files{}, err
		}
	}
	return files, nil
}

// fieldFor returns the field for a member of the archive, or nil. It knows the names of readme files that
// Helm recognizes.
func (f *Files) fieldFor(member string) **Text {
	_, name, _ := strings.Cut(member, "/")
	switch name {
	case "values.yaml":
		return &f.Values
	case "values.schema.json":
		return &f.Schema
	}
	switch strings.ToLower(name) {
	case "readme.md", "readme.txt", "readme":
		return &f.Readme
	}
	return nil
}

func readText(from io.Reader, size int64) (*Text, error) {
	content, err := io.ReadAll(io.LimitReader(from, MaxTextBytes))
	if err != nil {
		return nil, fmt.Errorf("read a file: %w", err)
	}
	return &Text{Content: string(content), Size: size}, nil
}

// Metadata has the fields of Chart.yaml that the catalog shows. The author of
// the chart controls them, so they are untrusted; addresses may have any scheme.
type Metadata struct {
	AppVersion   string            `json:"appVersion"`
	Description  string            `json:"description"`
	Type         string            `json:"type"`
	KubeVersion  string            `json:"kubeVersion"`
	Home         string            `json:"home"`
	Icon         string            `json:"icon"`
	Deprecated   bool              `json:"deprecated"`
	Keywords     []string          `json:"keywords"`
	Sources      []string          `json:"sources"`
	Maintainers  []Maintainer      `json:"maintainers"`
	Dependencies []Dependency      `json:"dependencies"`
	Annotations  map[string]string `json:"annotations"`
}

// Maintainer is a person or organization that maintains a chart.
type Maintainer struct {
	Name  string `json:"name"`
	Email string `json:"email"`
	URL   string `json:"url"`
}

// Dependency is a chart on which a chart depends.
type Dependency struct {
	Name       string `json:"name"`
	Version    string `json:"version"` // a range
	Repository string `json:"repository"`
	Alias      string `json:"alias"`
	Condition  string `json:"condition"`
}

// DecodeMetadata decodes the metadata of a version.
func (v Version) DecodeMetadata() (Metadata, error) {
	var m Metadata
	if err := json.Unmarshal(v.Metadata, &m); err != nil {
		return Metadata{}, fmt.Errorf("metadata of chart %s: %w", v.File(), err)
	}
	return m, nil
}
