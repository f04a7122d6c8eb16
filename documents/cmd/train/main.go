// Command train fits the trees of documents/offline/learned to documents with known answers, and reports how well they
// do on families of documents that they were not fitted to.
//
// It reads the corpus of cmd/quality, the samples of the tests of package offline, and each folder that the option
// -more names. Such a folder has pairs of files: a document, and a JSON file with the same name and the extension .json
// added: {"set", "family", "vars": {name: {"type", "en", "short", "de", "name_de", "match", "truth": []}}}. The
// documents of strangers are not in this repository.
//
// The result depends only on the files: no step is random.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
)

// settings are the options of the command.
type settings struct {
	more  string // folder with more documents
	write bool   // write the trees
	debug string // set whose questions are printed
}

func main() {
	var s settings
	flag.StringVar(&s.more, "more", "", "folder with more documents and their answers")
	flag.BoolVar(&s.write, "write", false, "write the trees to offline/learned/trees")
	flag.StringVar(&s.debug, "debug", "", "set whose questions are printed")
	flag.Parse()
	if err := run(context.Background(), s); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s settings) error {
	all, err := readAll(ctx, s.more)
	if err != nil {
		return err
	}
	report(os.Stdout, all, s.debug)
	if !s.write {
		return nil
	}
	return writeTrees("offline/learned/trees", all)
}

// readAll reads all examples.
func readAll(ctx context.Context, more string) ([]*example, error) {
	all, err := readCorpus(ctx, "cmd/quality/testdata")
	if err != nil {
		return nil, err
	}
	samples, err := readSamples(ctx, "offline/testdata")
	if err != nil || more == "" {
		return append(all, samples...), err
	}
	strangers, err := readFolder(ctx, more)
	return append(append(all, samples...), strangers...), err
}
