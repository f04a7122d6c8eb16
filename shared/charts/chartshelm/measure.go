package chartshelm

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"portside/shared/charts"
)

const (
	maxFiles    = 10_000
	maxPath     = 512
	maxNesting  = 5 // levels of charts in charts
	maxMetadata = 256 << 10
)

// gauge measures an archive and those nested in it against one budget.
type gauge struct {
	ctx   context.Context // of one call of measure
	left  int64           // bytes after decompression
	limit int64
	files int
	// The YAML that helm parses: bytes and values, with aliases expanded.
	text, values int64
}

// measure rejects archives that are unsafe for helm's loader.
func measure(ctx context.Context, archive []byte, maxBytes int64) error {
	g := &gauge{ctx: ctx, left: maxBytes, limit: maxBytes, files: maxFiles, values: maxValues}
	g.text = g.maxText()
	return g.archive(bytes.NewReader(archive), 0)
}

func refuse(fix, reason string, args ...any) error {
	return &charts.Refusal{Reason: fmt.Sprintf(reason, args...), Fix: fix}
}

var errBudget = errors.New("the budget is used up")

// budgetReader limits the decompressed bytes, including the headers of the tar format.
type budgetReader struct {
	gauge *gauge
	from  io.Reader
}

func (r budgetReader) Read(p []byte) (int, error) {
	if err := r.gauge.ctx.Err(); err != nil {
		return 0, err
	}
	if r.gauge.left <= 0 {
		if n, err := io.ReadFull(r.from, make([]byte, 1)); n == 0 {
			return 0, err
		}
		return 0, errBudget
	}
	n, err := r.from.Read(p[:min(int64(len(p)), r.gauge.left)])
	r.gauge.left -= int64(n)
	return n, err
}

func (g *gauge) archive(compressed io.Reader, nesting int) error {
	if nesting > maxNesting {
		return refuse("list dependencies of dependencies in the chart's own Chart.yaml",
			"charts are nested deeper than %d levels", maxNesting)
	}
	inflated, err := gzip.NewReader(compressed)
	if err != nil {
		return g.asRefusal(err)
	}
	contents := budgetReader{g, inflated}
	members := &members{gauge: g, nesting: nesting, tar: tar.NewReader(contents), seen: map[string]bool{}}
	if err := members.all(); err != nil {
		return g.asRefusal(err)
	}
	// The checksum is at the end, so truncation and damage are detected here.
	if _, err := io.Copy(io.Discard, contents); err != nil {
		return g.asRefusal(err)
	}
	return nil
}

// asRefusal turns an error that the archive causes into a refusal. It returns other errors unchanged.
func (g *gauge) asRefusal(err error) error {
	switch {
	case isRefusal(err), g.ctx.Err() != nil:
		return err
	case errors.Is(err, errBudget):
		return refuse("exclude unneeded files (.helmignore), or ask the operator to raise the limit (MaxChartMegabytes)",
			"the archive has more than %d bytes after decompression", g.limit)
	}
	return refuse(packageIt+" and publish it again",
		"the file is not a gzip-compressed tar archive, or it is damaged (%s)", oneLine(err))
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// members reads the members of one archive.
type members struct {
	gauge   *gauge
	nesting int
	tar     *tar.Reader
	top     string
	seen    map[string]bool
}

func (m *members) all() error {
	for {
		header, err := m.tar.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := m.member(header); err != nil {
			return err
		}
	}
}

func (m *members) member(header *tar.Header) error {
	if m.gauge.files--; m.gauge.files < 0 {
		return refuse("exclude unneeded files (.helmignore)", "the archive contains more than %d files", maxFiles)
	}
	if err := m.checkRecords(header); err != nil {
		return err
	}
	switch header.Typeflag {
	case tar.TypeXGlobalHeader:
		return nil
	case tar.TypeReg, tar.TypeDir:
	default:
		return refuse("replace it with files, and "+packageIt,
			"the archive contains %s, which is neither a file nor a directory", quote(header.Name))
	}
	if err := m.checkPath(header.Name); err != nil {
		return err
	}
	if header.Typeflag == tar.TypeDir {
		return nil
	}
	return m.file(header)
}

// checkRecords rejects the records that give a member another size than its bytes in the archive,
// or than its header. Helm does not write them. They describe files with holes, which can become
// arbitrarily large, and files above 8 GB.
func (m *members) checkRecords(header *tar.Header) error {
	for record := range header.PAXRecords {
		if strings.HasPrefix(record, "GNU.sparse.") || record == "size" {
			return refuse(packageIt, "the archive contains %s with a record that gives it another size than it has in the archive",
				quote(header.Name))
		}
	}
	if header.Size > m.gauge.left {
		return errBudget
	}
	return nil
}

// checkPath accepts only paths that mean the same to every tool and lie in the one directory of the
// chart.
func (m *members) checkPath(name string) error {
	name = strings.TrimSuffix(name, "/")
	top, _, _ := strings.Cut(name, "/")
	if m.top == "" {
		m.top = top
	}
	switch {
	case len(name) > maxPath:
		return refuse("shorten it", "the archive contains the path %s of more than %d bytes", quote(name), maxPath)
	case path.IsAbs(name) || name != path.Clean(name) || top == ".." || top == "." || strings.ContainsAny(name, "\\\x00"):
		return refuse(packageIt, "the archive contains the path %s, which may lead out of the chart", quote(name))
	case top != m.top:
		return refuse(packageIt, "the archive has two top directories, %s and %s", quote(m.top), quote(top))
	}
	return nil
}

func (m *members) file(header *tar.Header) error {
	_, inside, found := strings.Cut(header.Name, "/")
	if !found {
		return refuse(packageIt, "the archive contains %s outside of the chart's directory", quote(header.Name))
	}
	if m.seen[header.Name] {
		return refuse(packageIt, "the archive contains %s twice", quote(header.Name))
	}
	m.seen[header.Name] = true
	if inside == "Chart.yaml" && header.Size > maxMetadata {
		return refuse("shorten it", "Chart.yaml has more than %d bytes, which every client would download with the index",
			maxMetadata)
	}
	nesting := m.nesting + strings.Count("/"+path.Dir(inside)+"/", "/charts/")
	if nesting > m.nesting && path.Base(path.Dir(inside)) == "charts" && path.Ext(inside) == ".tgz" {
		return m.gauge.archive(m.tar, nesting)
	}
	if isParsed(inside) {
		return m.gauge.yaml(header.Name, m.tar, header.Size)
	}
	return nil
}
