package chartshelm_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"

	"portside/documents/heaptest"
	"portside/shared/charts"
	"portside/shared/charts/chartshelm"
)

// defaultMaxBytes is the default limit of an archive (MaxChartMegabytes).
const defaultMaxBytes = 20 << 20

// repeated returns YAML with an anchored value and a list of that many aliases of it.
func repeated(value string, times int) string {
	return "a: &a " + value + "\nb: [" + strings.TrimSuffix(strings.Repeat("*a,", times), ",") + "]\n"
}

// merged returns maps of which each merges the previous one, and a large value under each key.
func merged(levels int, value string) string {
	text := "v: &v " + value + "\nm0: &m0 {x: *v}\n"
	for i := range levels {
		text += fmt.Sprintf("m%d: &m%d {<<: *m%d, x%d: *v, y: [*m%d, *m%d]}\n", i+1, i+1, i, i, i, i)
	}
	return text
}

func letters(n int) string { return strings.Repeat("x", n) }

// inEveryFile returns archives with the text in each file that helm parses, in the chart and in its
// subcharts.
func inEveryFile(tb testing.TB, name, text string) map[string][]byte {
	tb.Helper()
	all := map[string][]byte{}
	for _, file := range []string{"Chart.yaml", "Chart.lock", "values.yaml", "requirements.yaml", "requirements.lock"} {
		hostile := []member{{name: "app/" + file, text: text}}
		if file == "Chart.yaml" {
			hostile[0].text = minimal + text
		} else {
			hostile = append(hostile, chartYAML)
		}
		inner := string(pack(tb, hostile...))
		all[name+" in "+file] = []byte(inner)
		all[name+" in packed "+file] = pack(tb, chartYAML, member{name: "app/charts/x.tgz", text: inner})
		all[name+" in unpacked "+file] = pack(tb, chartYAML,
			member{name: "app/charts/x/charts/y/" + file, text: hostile[0].text})
		all[name+" in unpacked, packed "+file] = pack(tb, chartYAML, member{name: "app/charts/x/charts/y.tgz", text: inner})
	}
	return all
}

// expanding returns archives of some kilobytes for which helm's reader would need gigabytes, or
// much more than their size.
func expanding(tb testing.TB) map[string][]byte {
	tb.Helper()
	all := map[string][]byte{}
	add := func(name, text string) {
		all[name] = pack(tb, chartYAML, member{name: "app/values.yaml", text: text})
	}
	for _, more := range []map[string][]byte{
		inEveryFile(tb, "100 KB, 300 times", repeated(letters(100<<10), 300)),
		inEveryFile(tb, "bomb of lists", yamlBomb),
	} {
		maps.Copy(all, more)
	}
	add("1 MB, 100 times", repeated(letters(1<<20), 100))
	add("200 KB, 4000 times", repeated(letters(200<<10), 4000))
	add("long key, 1000 times", "a: &a {"+letters(1000)+": &b "+letters(100<<10)+"}\nb:\n"+strings.Repeat("- {<<: *a, *b : 1}\n", 1000))
	add("quoted", repeated(`"`+letters(1<<20)+`"`, 100))
	add("folded", "a: &a >\n  "+letters(1<<20)+"\nb: ["+strings.Repeat("*a,", 100)+"]\n")
	add("merged", merged(40, letters(50<<10)))
	add("merged from lists", "a: &a {x: &x "+letters(1<<20)+"}\nb:\n"+strings.Repeat("- {<<: [*a, {y: *x}]}\n", 100))
	add("first of two documents", repeated(letters(1<<20), 100)+"---\na: 1\n")
	add("behind a byte order mark", "\uFEFF"+repeated(letters(1<<20), 100))
	add("long tags", "%TAG !t! tag:"+letters(1<<20)+":\n---\n["+strings.Repeat("!t!x y,", 5000)+"]")
	add("many maps", "a: ["+strings.Repeat("{a},", 1<<20)+"]")
	add("many pairs", "a: ["+strings.Repeat("?,", 2<<20)+"]")
	add("many lists", "a: ["+strings.Repeat("[],", 1<<20)+"]")
	add("many lines", strings.Repeat("-\n", 2<<20))
	add("many maps by aliases", "a: &a ["+strings.Repeat("{a: b},", 1000)+"]\nb: ["+strings.Repeat("*a,", 300)+"]")
	add("long text", "a: "+strings.Repeat("<", defaultMaxBytes-(1<<20)))
	return all
}

// nearLimits returns archives just below the limits: the worst cases that are accepted or passed to
// helm.
func nearLimits(tb testing.TB) map[string][]byte {
	tb.Helper()
	all := map[string][]byte{}
	add := func(name, text string) {
		all[name] = pack(tb, chartYAML, member{name: "app/values.yaml", text: text})
	}
	const values, text = 99_000, 4<<20 - 1000
	add("escaped text", "a: "+strings.Repeat("<", text))
	add("escaped text by aliases", repeated(strings.Repeat("<", 100<<10), 39))
	add("maps", "a: ["+strings.Repeat("{a},", values/2)+"]")
	add("maps with an alias", "x: &x y\nz: *x\na: ["+strings.Repeat("{a},", values/2)+"]")
	add("pairs", "a: ["+strings.Repeat("?,", values/2)+"]")
	add("pairs without keys", "a: ["+strings.Repeat(":,", values/2)+"]")
	add("lists", "a: ["+strings.Repeat("[],", values/2)+"]")
	add("lines", strings.Repeat("-\n", values))
	add("comments", "a: &a b\nc: *a\n"+strings.Repeat("#\n", text/2-100))
	add("comments of lines", "a: &a b\nc: *a\nd:\n"+strings.Repeat("- #\n", 90_000))
	add("blank lines", "a: &a b\nc: *a\n"+strings.Repeat("\n", text-100)+"d: e\n")
	add("deep", "a: &a b\nc: *a\nd: "+strings.Repeat("[", 9000)+strings.Repeat("]", 9000))
	add("deep maps", "a: &a b\nc: *a\nd: "+strings.Repeat("{a: ", 4500)+strings.Repeat("}", 4500))
	add("too deep", "a: &a b\nc: *a\nd: "+strings.Repeat("[", 50_000))
	add("chain", chain(30_000))
	add("long names", "a: &"+letters(1<<20)+" b\nc: *"+letters(1<<20)+"\n")
	all["large files"] = pack(tb, chartYAML, member{name: "app/a", text: zeros(5 << 20)},
		member{name: "app/b", text: zeros(5 << 20)},
		member{name: "app/c", text: zeros(5 << 20)}, member{name: "app/d", text: zeros(4 << 20)})
	large := string(pack(tb, chartYAML, member{name: "app/a", text: zeros(4 << 20)}))
	packed := []member{chartYAML}
	for _, name := range []string{"a", "b", "c", "d"} {
		packed = append(packed, member{name: "app/charts/" + name + ".tgz", text: large})
	}
	all["large files in packed charts"] = pack(tb, packed...)
	return all
}

// chain returns anchors of which each contains an alias of the previous one.
func chain(links int) string {
	var text strings.Builder
	text.WriteString("x0: &x0 a\n")
	for i := range links {
		fmt.Fprintf(&text, "x%d: &x%d [*x%d]\n", i+1, i+1, i)
	}
	return text.String()
}

// sparse returns archives of sparse files, or of files whose size differs from what the header
// claims.
func sparse(tb testing.TB) map[string][]byte {
	tb.Helper()
	const hole = "8589934592" // 8 GB
	all := map[string][]byte{
		"old GNU holes": oldHoles(tb),
		"1.0 holes": withRecords(tb, "GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=app/x",
			"GNU.sparse.realsize="+hole),
		"0.1 holes": withRecords(tb, "GNU.sparse.size="+hole, "GNU.sparse.numblocks=1", "GNU.sparse.map=0,5"),
		"0.0 holes": withRecords(tb, "GNU.sparse.size="+hole, "GNU.sparse.numblocks=1", "GNU.sparse.offset=0",
			"GNU.sparse.numbytes=5"),
		"another size":   withRecords(tb, "size=3"),
		"size too large": withRecords(tb, "size="+hole),
	}
	for name, archive := range maps.Clone(all) {
		all[name+" in a subchart"] = pack(tb, chartYAML, member{name: "app/charts/x.tgz", text: string(archive)})
	}
	return all
}

// withRecords packs Chart.yaml and a file with PAX records, which archive/tar reads but does not
// write.
func withRecords(tb testing.TB, records ...string) []byte {
	tb.Helper()
	var text strings.Builder
	for _, record := range records {
		for size := len(record) + 2; ; size++ { // the size includes its own digits
			line := fmt.Sprintf("%d %s\n", size, record)
			if len(line) == size {
				text.WriteString(line)
				break
			}
		}
	}
	body := "1\n0\n5\n" + zeros(506) + "hello" // the map of a 1.0 file, and its data
	return gzipped(tb, tarFile(tb, tar.Header{Name: "app/Chart.yaml", Size: int64(len(minimal))}, minimal)+
		rawMember("PaxHeaders/x", tar.TypeXHeader, text.String())+rawMember("app/x", tar.TypeReg, body)+zeros(1024))
}

// oldHoles returns a file of type S: 5 bytes, then a hole up to 2 MB.
func oldHoles(tb testing.TB) []byte {
	tb.Helper()
	block := []byte(rawMember("app/x", tar.TypeGNUSparse, "hello"))
	copy(block[257:], "ustar  \x00")
	copy(block[386:], "00000000000\x0000000000005\x00") // offset and size of the data
	copy(block[483:], "00010000000\x00")                // size with the hole
	seal(block[:512])
	return gzipped(tb, tarFile(tb, tar.Header{Name: "app/Chart.yaml", Size: int64(len(minimal))},
		minimal)+string(block)+zeros(1024))
}

func tarFile(tb testing.TB, header tar.Header, text string) string {
	tb.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	header.Typeflag, header.Mode = tar.TypeReg, 0o644
	if err := w.WriteHeader(&header); err != nil {
		tb.Fatal(err)
	}
	_, err := io.WriteString(w, text)
	if err := errors.Join(err, w.Flush()); err != nil {
		tb.Fatal(err)
	}
	return out.String()
}

// rawMember returns a member with its header, padded to blocks.
func rawMember(name string, kind byte, text string) string {
	block := make([]byte, 512)
	copy(block, name)
	copy(block[100:], "0000644\x000000000\x000000000\x00")
	copy(block[124:], fmt.Sprintf("%011o\x0000000000000\x00", len(text)))
	block[156] = kind
	copy(block[257:], "ustar\x0000")
	seal(block)
	return string(block) + text + zeros((512-len(text)%512)%512)
}

// seal writes the checksum of a header.
func seal(block []byte) {
	copy(block[148:], "        ")
	sum := 0
	for _, c := range block {
		sum += int(c)
	}
	copy(block[148:], fmt.Sprintf("%06o\x00 ", sum))
}

//proves:docs/security.md
func TestExpandingArchivesAreRejectedBeforeHelmReadsThem(t *testing.T) {
	const most = 100 << 20
	for name, archive := range expanding(t) {
		t.Run(name, func(t *testing.T) {
			var err error
			grown := heaptest.Peak(most, func() { _, err = chartshelm.New(defaultMaxBytes).Inspect(t.Context(), file, archive) })
			refusal, is := errors.AsType[*charts.Refusal](err)
			if !is || strings.Contains(err.Error(), "helm cannot read") {
				t.Fatalf("error = %v, want a refusal before helm reads it", err)
			}
			checkRefusal(t, refusal)
			if grown > most {
				t.Errorf("Inspect took %d MB", grown>>20)
			}
		})
	}
}

func TestFilesWithHolesAreRejected(t *testing.T) {
	for name, archive := range sparse(t) {
		t.Run(name, func(t *testing.T) {
			_, err := chartshelm.New(defaultMaxBytes).Inspect(t.Context(), file, archive)
			refusal, is := errors.AsType[*charts.Refusal](err)
			if !is || !strings.Contains(err.Error(), "another size than it has") &&
				!strings.Contains(err.Error(), "neither a file nor") {
				t.Fatalf("error = %v", err)
			}
			checkRefusal(t, refusal)
		})
	}
}

// TestMemoryIsBounded is important because an archive that exceeds the function's memory would return
// with every retry and every rebuild.
func TestMemoryIsBounded(t *testing.T) {
	const most = 150 << 20
	for _, corpus := range []map[string][]byte{nearLimits(t), sparse(t)} {
		for name, archive := range corpus {
			t.Run(name, func(t *testing.T) {
				var err error
				grown := heaptest.Peak(most, func() { _, err = chartshelm.New(defaultMaxBytes).Inspect(t.Context(), file, archive) })
				if _, is := errors.AsType[*charts.Refusal](err); err != nil && !is {
					t.Error(err)
				}
				if grown > most {
					t.Errorf("Inspect took %d MB", grown>>20)
				}
			})
		}
	}
}
