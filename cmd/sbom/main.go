// Command sbom writes a software bill of materials of a release, as CycloneDX JSON, to its standard output:
//
//	go run ./cmd/sbom -release DIR [-root DIR]
//
// The folder of the release has one folder per function with its binary, and the command line for each platform, as
// `make release` writes them. The modules come from the build information in the binaries, so the document names the
// linked modules, which can be fewer than those in go.mod. The libraries of the portal come from the manifest beside
// them. The same release always has the same document, byte for byte.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/CycloneDX/cyclonedx-go"
)

func main() {
	log.SetFlags(0)
	release := flag.String("release", ".local/release", "folder of the release")
	root := flag.String("root", ".", "folder of the project")
	flag.Parse()
	if err := write(os.Stdout, *root, *release); err != nil {
		log.Fatalf("sbom: %v", err)
	}
}

func write(w io.Writer, root, release string) error {
	programs, err := readPrograms(release)
	if err != nil {
		return err
	}
	packages, err := readEmbedded(root)
	if err != nil {
		return err
	}
	encoder := cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false)
	if err := encoder.EncodeVersion(describe(programs, packages), cyclonedx.SpecVersion1_6); err != nil {
		return fmt.Errorf("write the document: %w", err)
	}
	return nil
}
