// Command quality measures how well the readers read files and how well the offline engine answers from them. It writes
// the figures to QUALITY.md.
//
// It reads the files in testdata with package files, extracts values with the offline engine, and compares them with
// the expected values, which are stored beside the files. All data is in the repository, and nothing depends on the
// machine or the time. So the same code writes the same figures, and a change of the code shows in the diff of
// QUALITY.md. A figure that misses its target is marked MISS. The exit code is 1 only if something could not be
// measured.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"portside/documents/offline"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "quality:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("quality", flag.ContinueOnError)
	dir := flags.String("dir", ".", "`folder` of the module documents")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	report, err := measure(ctx, *dir)
	if err != nil {
		return err
	}
	verdict, err := save(filepath.Join(*dir, "QUALITY.md"), report)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n%s\n", report, verdict)
	return err
}

// measure returns the whole report.
func measure(ctx context.Context, dir string) (string, error) {
	engine := offline.New()
	set, err := findSamples(filepath.Join(dir, "cmd", "quality", "testdata"))
	if err != nil {
		return "", err
	}
	found, err := extractAll(ctx, engine, set)
	if err != nil {
		return "", err
	}
	readings, err := readAll(ctx, filepath.Join(dir, "pdf", "testdata"), filepath.Join(dir, "office", "testdata"))
	if err != nil {
		return "", err
	}
	stories, err := findStories(filepath.Join(dir, "offline", "summary", "testdata", "summaries"))
	if err != nil {
		return "", err
	}
	covers, err := coverAll(ctx, engine, stories)
	if err != nil {
		return "", err
	}
	return report(found, readings, covers), nil
}

// save writes the report if it changed, and returns a sentence that says whether it did.
func save(path, report string) (string, error) {
	before, err := os.ReadFile(path)
	switch {
	case err == nil && string(before) == report:
		return path + " is unchanged", nil
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return "", err
	}
	if err := os.WriteFile(path, []byte(report), 0o644); err != nil {
		return "", err
	}
	return path + " has changed: review it with `git diff` and commit it", nil
}

const intro = `# Quality

How well the readers read files and how well the offline engine answers from them. ` + "`make quality`" + ` measures both and writes this
file, so the effect of a change shows in its diff. The sections with a date have figures of that day, which it does not measure again.
MISS marks a missed target.
`

// section is a heading, a paragraph and tables.
type section struct {
	title, words string
	tables       []table
}

func (s section) writeTo(text *strings.Builder) {
	fmt.Fprintf(text, "\n## %s\n\n%s\n", s.title, s.words)
	for _, t := range s.tables {
		if len(t) == 1 {
			text.WriteString("\nNone.\n")
			continue
		}
		fmt.Fprintf(text, "\n%s", t)
	}
}

// report formats all tables.
func report(found extraction, readings []reading, covers []cover) string {
	answers := found.answers
	var text strings.Builder
	text.WriteString(intro)
	for _, s := range []section{
		{"Extraction", fmt.Sprintf(extractionWords, found.files), []table{
			found.total(), grouped("format", answers, byFormat), grouped("language", answers, byLang),
			grouped("type", answers, byType),
		}},
		{"Extraction from unseen documents", unseenWords, []table{unseenTable()}},
		{"Extraction from documents of strangers", strangersWords, []table{strangersTable(), heldTable(), reliabilityTable()}},
		{"Line items of invoices of strangers", linesWords, []table{linesTable()}},
		{"Files without an answer", "Their values count as abstained.", []table{found.failures}},
		{"Wrong values", "Values that differ from the expected ones.", []table{wrongOnes(answers)}},
		{"Abstentions", "Values that the document states and the engine did not find.", []table{abstentions(answers)}},
		{"Text of PDF files", pdfWords, []table{pdfTable(readings)}},
		{"Text of office files", officeWords, []table{officeTable(readings)}},
		{"Summaries", summaryWords, []table{coverTable(covers)}},
	} {
		s.writeTo(&text)
	}
	return text.String()
}

const extractionWords = `Values of %d files in documents/cmd/quality/testdata. As in the service, each file's format is detected, the file
is read, and the values are extracted and checked. A value is correct if it equals the expected value, or if it is null and the
document does not state it. It is abstained if it is null although the document states it. Any other value is wrong. The engine's
rules were developed with these files, and its trees were fitted to them.`

// unseenWords and unseenTable have figures that no command can measure again, because the rules have been developed
// with all documents in the repository.
const unseenWords = `On 21 November 2026, the engine was scored on 65 other files, which no command can repeat. They were invented
documents of 17 kinds in the ten languages and 13 formats, with 559 values. All were written before the rules were changed, and a
hash of their names split them into two halves. The first half was then used to improve the rules, so its second score is not on
unseen documents; most of it is now in the test data above. The second half was scored three times. Only its sums, the names of the
failed files and one panic were examined, and it is not in the repository. The author of the documents also wrote the rules, so
scores on documents of other authors may be lower. One file of the second half, a CSV that begins with a form, was detected as plain
text; its eight values count as abstained. After the last score, the rules gained words for the beginning, the end and the signing
of contracts, and defenses against documents that are written to mislead them.`

func unseenTable() table {
	return table{
		{"measured", "values", "correct", "abstained", "wrong", "correct %", "wrong %"},
		{"first half, before", "287", "193", "87", "7", "67.2 %", "2.4 %"},
		{"first half, after", "287", "279", "8", "0", "97.2 %", "0.0 %"},
		{"second half, before", "272", "179", "82", "11", "65.8 %", "4.0 %"},
		{"second half, in between", "272", "218", "48", "6", "80.1 %", "2.2 %"},
		{"second half, after", "272", "225", "42", "5", "82.7 %", "1.8 %"},
	}
}

// strangersWords and its tables have figures of make train MORE=…, whose documents are not in this repository.
const strangersWords = `On 30 November 2026, the trees were scored on 574 public documents by cross-validation: the documents of each family
were scored with trees that were fitted without them. They are the development half of the sets; a hash of their families
keeps the other half apart. The questions have a name and a description; the last column has the share of correct values if
the variable has only the description and the name "q1". For the column "absent", the right values were removed from the
candidates, so only null is correct. E-invoices as XML are read by the paths of the standard, without trees. "make train
MORE=…" repeats the cross-validation for those who have the documents.

The second table has documents of the other half, to which nothing was fitted: 60 contracts, each as a PDF and as text, 100
receipts and 60 agreements, with the values that their authors publish. "Before" is the engine of 29 November. Nobody read
the documents, but the wrong values of a sample that has some of them were listed once, before the rules were changed. If the
document does not have the value, null is correct. Of the answers with a confidence of 0.9 and more, 97.7 % are right; before,
90.9 % were. Some published values are errors.

The third table compares the probability of a value with how often a value with such a probability was right, before the
rules for values without labels and for cells of tables change it. It has all questions of the cross-validation, also those
about the documents of this repository. In a third of them, the right values were removed.

On the same day, a person who did not know the engine asked 530 questions about 45 documents of their own, in ten languages and eight
formats: 59 % of the answers were right, 36 % null and 5 % wrong. Most of the wrong ones were mended afterwards.

The test of wordings in package offline asks 6,600 wordings of 34 values in ten languages, which the author of the
grammar did not write. Of five languages, the trees were fitted to the wordings; of the other five (Spanish, Italian,
Dutch, Portuguese and Romanian), they saw none.`

func strangersTable() table {
	return table{
		{"set", "values", "correct %", "wrong %", "absent: null %", "description alone: correct %"},
		{"pages of e-invoices, without their XML (ZUGFeRD corpus)", "402", "83.8 %", "0.7 %", "95.3 %", "83.1 %"},
		{"advertising contracts (VRDU, DeepForm)", "264", "70.1 %", "1.9 %", "95.8 %", "57.6 %"},
		{"non-disclosure agreements (Kleister)", "374", "79.1 %", "1.3 %", "95.8 %", "79.4 %"},
		{"invoices (invoice2data)", "19", "57.9 %", "0.0 %", "78.9 %", "57.9 %"},
		{"invoices (Parsee)", "18", "61.1 %", "0.0 %", "100.0 %", "61.1 %"},
		{"contracts as PDF (CUAD)", "240", "76.2 %", "1.7 %", "93.4 %", "74.2 %"},
		{"contracts as text (CUAD)", "386", "78.8 %", "4.1 %", "92.3 %", "78.8 %"},
		{"receipts (SROIE)", "674", "74.8 %", "2.8 %", "88.3 %", "71.4 %"},
		{"cells of tables of reports (ICDAR 2013)", "31", "61.3 %", "6.5 %", "90.3 %", "61.3 %"},
	}
}

func heldTable() table {
	return table{
		{"set", "question", "values", "correct %", "wrong %", "before: correct %", "before: wrong %"},
		{"contracts as PDF (CUAD)", "name and description", "254", "76.0 %", "2.8 %", "71.7 %", "7.9 %"},
		{"contracts as text (CUAD)", "name and description", "254", "75.6 %", "3.1 %", "70.1 %", "14.6 %"},
		{"receipts (SROIE)", "name and description", "375", "74.9 %", "1.9 %", "64.0 %", "4.8 %"},
		{"all of these", "name", "883", "76.0 %", "2.7 %", "69.3 %", "8.9 %"},
		{"all of these", "description", "883", "74.0 %", "2.0 %", "67.2 %", "7.6 %"},
		{"non-disclosure agreements (Kleister)", "name and description", "240", "76.2 %", "4.6 %", "75.0 %", "3.8 %"},
	}
}

func reliabilityTable() table {
	return table{
		{"probability", "values", "right"},
		{"0.1 to 0.2", "1,238", "17.9 %"},
		{"0.2 to 0.3", "930", "32.5 %"},
		{"0.3 to 0.4", "835", "45.2 %"},
		{"0.4 to 0.5", "639", "49.1 %"},
		{"0.5 to 0.6", "588", "71.7 %"},
		{"0.6 to 0.7", "577", "72.4 %"},
		{"0.7 to 0.8", "597", "81.7 %"},
		{"0.8 to 0.9", "1,170", "86.4 %"},
		{"0.9 to 1", "9,722", "97.7 %"},
	}
}

const pdfWords = "F1 score of the words compared with those of pdftotext, for each file in documents/pdf/testdata."

const officeWords = "Recall of the words that another program finds, for each file in documents/office/testdata."

const summaryWords = `How many of the expected phrases a summary of medium length mentions, for the documents in
documents/offline/summary/testdata/summaries. The score has no target, because people disagree about which sentences are important.`
