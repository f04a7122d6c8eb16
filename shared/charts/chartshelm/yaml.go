package chartshelm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Limits of the YAML in an archive, including the YAML of its subcharts. Helm's reader needs about 300
// times the bytes of a small value, and about 20 times those of a long text.
const (
	maxYAML   = 4 << 20 // bytes
	maxValues = 100_000
)

// readByHelm are the files of a chart that helm's loader parses. It keeps all other files as they
// are.
var readByHelm = map[string]bool{
	"Chart.yaml": true, "Chart.lock": true, "values.yaml": true, "requirements.yaml": true, "requirements.lock": true,
}

// isParsed reports whether helm parses a file, by its path in the chart. Subcharts may be unpacked
// in folders below charts/.
func isParsed(inside string) bool {
	for {
		rest, found := strings.CutPrefix(inside, "charts/")
		if !found {
			return readByHelm[inside]
		}
		_, inside, _ = strings.Cut(rest, "/")
	}
}

// tagDirective declares a prefix that the reader writes before every tag that uses it, which can
// also expand without limit. Charts do not need it.
var tagDirective = regexp.MustCompile(`(?:^|[\n\r\x{85}\x{2028}\x{2029}\x{FEFF}])%TAG[ \t]`)

// yaml subtracts from the budget what helm's reader would need for the file, which is known before
// anything is expanded.
func (g *gauge) yaml(name string, file io.Reader, size int64) error {
	if size > g.text {
		return g.tooMuchYAML()
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(file, data); err != nil {
		return err
	}
	if !utf8.Valid(data) {
		return refuse("write it in UTF-8", "%s is not UTF-8 text", quote(name))
	}
	if tagDirective.Match(data) {
		return refuse("write the tags in full", "%s has a %%TAG directive", quote(name))
	}
	spent := weight{bytes: size, values: indicators(data)}
	if spent.values <= g.values && bytes.ContainsRune(data, '&') && bytes.ContainsRune(data, '*') {
		expanded, err := expand(data)
		if err != nil {
			return refuse("run `helm lint`, then "+packageIt, "%s cannot be read (%s)", quote(name), shorten(err))
		}
		spent = weight{bytes: max(spent.bytes, expanded.bytes), values: max(spent.values, expanded.values)}
	}
	g.text, g.values = g.text-spent.bytes, g.values-spent.values
	if g.text < 0 || g.values < 0 {
		return g.tooMuchYAML()
	}
	return nil
}

func (g *gauge) tooMuchYAML() error {
	return refuse("move large values from values.yaml to separate files, and do not use aliases",
		"the YAML files of the archive have more than %d bytes or %d values when their aliases are expanded", g.maxText(),
		maxValues)
}

func (g *gauge) maxText() int64 { return min(maxYAML, g.limit) }

// indicators counts the characters that can begin another value. There are at most twice as many
// values, because a colon can separate an empty key from an empty value.
func indicators(data []byte) int64 {
	var n int64
	for i, c := range data {
		switch c {
		case ',', ':', '?', '[', '{':
			n++
		case '-':
			if i+1 == len(data) || data[i+1] <= ' ' || data[i+1] >= utf8.RuneSelf {
				n++
			}
		}
	}
	return n
}

// weight is the size of a part of a document with every alias expanded.
type weight struct{ bytes, values int64 }

// expand reads a document without expanding its aliases, and adds up its expanded size.
func expand(data []byte) (total weight, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the reader failed with %v", p)
		}
	}()
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return weight{}, err
	}
	return scale{}.weigh(&document)
}

// scale has the weights of anchored parts. An alias follows its anchor, so each part is weighed
// once.
type scale map[*yaml.Node]weight

var errCycle = errors.New("an alias is within its own anchor")

func (s scale) weigh(n *yaml.Node) (weight, error) {
	if n.Kind == yaml.AliasNode {
		total, known := s[n.Alias]
		if !known {
			return weight{}, errCycle
		}
		return total, nil
	}
	const huge = 1 << 40 // so that no sum of weights overflows
	total := weight{bytes: int64(len(n.Value)), values: 1}
	for _, child := range n.Content {
		part, err := s.weigh(child)
		if err != nil {
			return weight{}, err
		}
		total = weight{bytes: min(total.bytes+part.bytes, huge), values: min(total.values+part.values, huge)}
	}
	if n.Anchor != "" {
		s[n] = total
	}
	return total, nil
}
