package e2etest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"testing"

	"portside/local/demo"
)

// Demo runs `make demo` on the stack, which publishes the chart hello and the image acme/hello unless they exist, and
// returns its output.
func (o Operator) Demo(t *testing.T) string {
	t.Helper()
	o.demo.Lock()
	defer o.demo.Unlock()
	var out bytes.Buffer
	options := demo.Options{Repo: Repository, Data: o.stack.Data, Addr: o.stack.Host(), Out: &out}
	if err := demo.Run(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	o.stack.Secrets.AddFrom([]byte(o.Line(t, "demo-token")))
	o.stack.Secrets.Add(o.Line(t, "registry-password"))
	o.stack.Secrets.CheckNotIn(t, "the demo's output", out.Bytes())
	return out.String()
}

// DemoLogin returns the token of Demo, which pulls charts and images.
func (o Operator) DemoLogin(t *testing.T) Login {
	t.Helper()
	return Login{"token", o.Line(t, "demo-token")}
}

// PackChart packs files as helm does. The arguments are names and contents in turn.
func PackChart(t *testing.T, files ...string) string {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	out := tar.NewWriter(zip)
	for i := 0; i < len(files); i += 2 {
		header := &tar.Header{Name: files[i], Mode: 0o644, Size: int64(len(files[i+1])), Typeflag: tar.TypeReg}
		if err := out.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(out.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}
