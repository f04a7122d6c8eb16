package demo

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"go.yaml.in/yaml/v3"
)

// chartFiles holds the newest version of the chart.
//
//go:embed all:chart
var chartFiles embed.FS

const (
	chartName    = "hello"
	metadataFile = "chart/" + chartName + "/Chart.yaml"
)

func archiveName(version string) string { return chartName + "-" + version + ".tgz" }

// archive packs the chart as the given version. It does not compress, because the output of
// compress/gzip may change with Go's version, and a version with other bytes would be refused.
func archive(version string) ([]byte, error) {
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.NoCompression)
	if err != nil {
		return nil, err
	}
	out := tar.NewWriter(zip)
	err = fs.WalkDir(chartFiles, "chart", func(path string, entry fs.DirEntry, err error) error { // in lexical order
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := chartFile(path, version)
		if err != nil {
			return err
		}
		return addFile(out, strings.TrimPrefix(path, "chart/"), content, 0o644)
	})
	if err := errors.Join(err, out.Close(), zip.Close()); err != nil {
		return nil, fmt.Errorf("pack %s: %w", archiveName(version), err)
	}
	return packed.Bytes(), nil
}

func chartFile(path, version string) ([]byte, error) {
	content, err := chartFiles.ReadFile(path)
	if path == metadataFile {
		content = bytes.ReplaceAll(content, []byte(newestVersion), []byte(version))
	}
	return content, err
}

// addFile writes a file with a header that does not depend on this machine.
func addFile(out *tar.Writer, name string, content []byte, mode int64) error {
	header := &tar.Header{Name: name, Mode: mode, Size: int64(len(content)), ModTime: epoch, Typeflag: tar.TypeReg,
		Format: tar.FormatUSTAR}
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	_, err := out.Write(content)
	return err
}

// metadata returns Chart.yaml as JSON and as a map.
func metadata(version string) (text []byte, fields map[string]any, err error) {
	content, err := chartFile(metadataFile, version)
	if err != nil {
		return nil, nil, err
	}
	if err := yaml.Unmarshal(content, &fields); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", metadataFile, err)
	}
	text, err = json.Marshal(fields)
	return text, fields, err
}
