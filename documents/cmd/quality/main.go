// Command quality measures how well files are read and understood, and writes the figures to QUALITY.md.
//
// It reads the files in testdata with package files, extracts values with the offline engine, and compares them with the right
// values, which are beside the files. All data is in the repository and nothing depends on the machine or the time, so the same
// code writes the same figures, and a change shows as a difference of QUALITY.md. A figure that misses its target is marked MISS.
// The exit code is 1 only if something could not be measured.
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

// save writes the report if it changed, and prints whether it did.
func save(path, report string) (string, error) {
	before, err := os.ReadFile(path)
	switch {
	case err == nil && string(before) == report:
		return path + " is as it was", nil
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return "", err
	}
	if err := os.WriteFile(path, []byte(report), 0o644); err != nil {
		return "", err
	}
	return path + " differs from what was there: look at `git diff` and commit it", nil
}

const intro = `# Quality

How well files are read and understood by the offline engine, as ` + "`make quality`" + ` measures it. The command writes this file, so a
change of a reader or of the engine shows as a difference here. MISS marks a missed target.
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
			found.total(), grouped("format", answers, byFormat), grouped("language", answers, byLang), grouped("type", answers, byType),
		}},
		{"On documents it had not seen", unseenWords, []table{unseenTable()}},
		{"Files without an answer", "Their values count as abstained.", []table{found.failures}},
		{"Wrong values", "Every one of them.", []table{wrongOnes(answers)}},
		{"Abstentions", "What the document says and the engine did not find.", []table{abstentions(answers)}},
		{"Text of PDF", "F1 of the words against pdftotext, each file of documents/pdf/testdata.", []table{pdfTable(readings)}},
		{"Text of office files", officeWords, []table{officeTable(readings)}},
		{"Summaries", summaryWords, []table{coverTable(covers)}},
	} {
		s.writeTo(&text)
	}
	return text.String()
}

const extractionWords = `From %d files of documents/cmd/quality/testdata, through the service: the format is detected, the file is read,
the values are extracted and checked. Correct is the right value, or null where the document does not say it; abstained is null
instead of a value; wrong is any other value. The rules have seen these texts.`

// unseenWords and unseenTable have figures that no command can measure again, because the rules have seen every document in the
// repository.
const unseenWords = `The files above are those that the rules were made with. On 21 November 2026 the rules were measured with
65 other files: invented documents of 17 kinds in the ten languages and 13 formats with 559 values, all written before the rules
were changed, and split by a hash of their names into two halves. The first half served to improve the rules, and most of it is
among the files above since. The second was counted three times, and of it these sums, which files failed, and a panic were looked at; it is
not kept here. Whoever wrote the documents also wrote the rules, so a stranger's documents may fare worse. One file of the second
half, a CSV that begins with a form, was taken for plain text; its eight values count as abstained. Some more words for the
beginning, the end and the signing of contracts, and a round of mending what attackers made the rules say wrongly, came after the last
count.`

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

const officeWords = "Recall of the words that another program finds, each file of documents/office/testdata."

const summaryWords = `Phrases that a summary of medium length must mention, in the documents of
documents/offline/summary/testdata/summaries. There is no target: which sentences are the important ones is a matter of taste.`
