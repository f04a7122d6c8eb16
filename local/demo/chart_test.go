package demo

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// If this test fails because the chart has changed, publish a new version: existing data folders
// keep the old bytes under the old version.
func TestArchivesNeverChange(t *testing.T) {
	for version, want := range map[string]string{
		"1.0.0": "a68136410bfd1368b3fd1f6d728d8e9f6cf84b9e2779f79d8870a521f1112a28", "1.1.0": "70ceda3625f951fa3f409b2bca4eaa8203efec52a46548084d608b18aaaeafdf",
	} {
		t.Run(version, func(t *testing.T) {
			packed, err := archive(version)
			if err != nil {
				t.Fatal(err)
			}
			if sum := sha256.Sum256(packed); hex.EncodeToString(sum[:]) != want {
				t.Errorf("digest of version %s = %x", version, sum)
			}
		})
	}
}

func TestArchiveContents(t *testing.T) {
	var names []string
	for name, content := range unpack(t, "1.0.0") {
		names = append(names, name)
		if strings.Contains(content, newestVersion) {
			t.Errorf("%s of version 1.0.0 contains %s", name, newestVersion)
		}
	}
	slices.Sort(names)
	want := "hello/Chart.yaml hello/templates/NOTES.txt hello/templates/_helpers.tpl hello/templates/deployment.yaml " +
		"hello/templates/service.yaml hello/values.yaml"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("the archive contains %s", got)
	}
}

// unpack returns the files of an archive and checks that their headers do not depend on time and
// machine.
func unpack(t *testing.T, version string) map[string]string {
	t.Helper()
	packed, err := archive(version)
	if err != nil {
		t.Fatal(err)
	}
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	in := tar.NewReader(zip)
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		if !header.ModTime.Equal(epoch) || header.Uid != 0 || header.Uname != "" || header.Mode != 0o644 {
			t.Errorf("%s has the header %+v", header.Name, header)
		}
		files[header.Name] = string(content)
	}
}
