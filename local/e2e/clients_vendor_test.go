package e2e

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// bigLayer exceeds Lambda's payload limit of 6 MB.
const bigLayer = 12 << 20

// images holds the vendor's pushed images.
type images struct {
	api   v1.Image // acme/api:1.0 and acme/api:latest
	big   v1.Image // acme/big:1.0
	tool  v1.Image // globex/tool:1.0
	multi v1.ImageIndex
	arm   v1.Image // part of acme/multi:1.0, which also has an image for amd64
}

func (m *customerStack) pushImages(t *testing.T) {
	t.Helper()
	m.images = images{
		api: randomImage(t, "amd64", 40<<10, 3), big: randomImage(t, "amd64", bigLayer, 1),
		tool: randomImage(t, "amd64", 1<<10, 1), arm: randomImage(t, "arm64", 1<<10, 2),
	}
	m.images.multi = mutate.AppendManifests(empty.Index,
		mutate.IndexAddendum{Add: randomImage(t, "amd64", 1<<10, 2), Descriptor: platform("amd64")},
		mutate.IndexAddendum{Add: m.images.arm, Descriptor: platform("arm64")})
	for at, pushed := range map[string]v1.Image{
		"acme/api:1.0": m.images.api, "acme/api:latest": m.images.api, "acme/big:1.0": m.images.big, "globex/tool:1.0": m.images.tool,
	} {
		if err := remote.Write(m.tag(t, at), pushed, m.pusher()); err != nil {
			t.Fatal(err)
		}
	}
	if err := remote.WriteIndex(m.tag(t, "acme/multi:1.0"), m.images.multi, m.pusher()); err != nil {
		t.Fatal(err)
	}
}

// randomImage returns an image with layers of random bytes, which do not compress.
func randomImage(t *testing.T, architecture string, size, layers int64) v1.Image {
	t.Helper()
	made, err := random.Image(size, layers)
	if err != nil {
		t.Fatal(err)
	}
	config, err := made.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = "linux", architecture
	if made, err = mutate.ConfigFile(made, config); err != nil {
		t.Fatal(err)
	}
	return made
}

func platform(architecture string) v1.Descriptor {
	return v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: architecture}}
}

// tag returns a reference to an image in the upstream registry.
func (m *customerStack) tag(t *testing.T, at string) name.Tag {
	t.Helper()
	tag, err := name.NewTag(m.upstream+"/"+at, name.Insecure)
	if err != nil {
		t.Fatal(err)
	}
	return tag
}

func (m *customerStack) pusher() remote.Option {
	return remote.WithAuth(&authn.Basic{Username: "AWS", Password: m.upstreamPassword})
}

// publishCharts packages charts with helm and publishes them in the repository and in the registry.
func (m *customerStack) publishCharts(t *testing.T) {
	t.Helper()
	vendor := m.machine(t, login{"AWS", m.upstreamPassword})
	m.vendor = vendor
	keyring(t, vendor.path("secring.gpg"), vendor.path("pubring.gpg"))
	keyring(t, vendor.path("none.gpg"), vendor.path("stranger.gpg"))
	vendor.packageChart(t, "anchor", "1.0.0")
	vendor.packageChart(t, "anchor", "1.1.0")
	vendor.packageChart(t, "beacon", "0.3.0", "--sign", "--key", "vendor@example.com", "--keyring", "secring.gpg")
	for _, file := range []string{"anchor-1.0.0.tgz", "anchor-1.1.0.tgz", "beacon-0.3.0.tgz.prov", "beacon-0.3.0.tgz"} {
		m.publish(t, file, vendor.read(t, file))
	}
	vendor.packageChart(t, "compass", "2.0.0")
	vendor.withPasswordInput().execute(t, "helm", "registry", "login", m.upstream, "--plain-http", "-u", "AWS", "--password-stdin").
		wantExit(t, 0)
	vendor.execute(t, "helm", "push", "compass-2.0.0.tgz", "oci://"+m.upstream+"/charts", "--plain-http").wantExit(t, 0)
}

// packageChart packages a chart whose only template contains its value.
func (c machine) packageChart(t *testing.T, named, version string, options ...string) {
	t.Helper()
	for file, text := range map[string]string{
		"Chart.yaml":  "apiVersion: v2\nname: " + named + "\nversion: " + version + "\ndescription: The " + named + "\nappVersion: \"7\"\n",
		"values.yaml": "greeting: hello from " + named + " " + version + "\n",
		"templates/configmap.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n" +
			"data:\n  greeting: {{ .Values.greeting | quote }}\n",
	} {
		c.write(t, filepath.Join(named, file), text)
	}
	c.execute(t, "helm", append([]string{"package", named}, options...)...).wantExit(t, 0)
}

// keyring creates a key in the format of GnuPG 1, which helm requires.
func keyring(t *testing.T, secret, public string) {
	t.Helper()
	entity, err := openpgp.NewEntity("Vendor", "", "vendor@example.com", nil)
	if err != nil {
		t.Fatal(err)
	}
	var private, shared bytes.Buffer
	if err := entity.SerializePrivate(&private, nil); err != nil {
		t.Fatal(err)
	}
	if err := entity.Serialize(&shared); err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string][]byte{secret: private.Bytes(), public: shared.Bytes()} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// publish uploads a file as the vendor's pipeline does.
func (m *customerStack) publish(t *testing.T, file, content string) {
	t.Helper()
	_, err := m.s3Client().PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: m.bucket(), Key: aws.String("charts/" + file), Body: strings.NewReader(content),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// deleteChart deletes a published file.
func (m *customerStack) deleteChart(t *testing.T, file string) {
	t.Helper()
	_, err := m.s3Client().DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: m.bucket(), Key: aws.String("charts/" + file)})
	if err != nil {
		t.Fatal(err)
	}
}

// awaitRejection waits for the reason of a rejected file and checks its words.
func (m *customerStack) awaitRejection(t *testing.T, file, words string) {
	t.Helper()
	var reason []byte
	await(t, "the reason why "+file+" was rejected", func() bool {
		found, err := m.s3Client().GetObject(t.Context(), &s3.GetObjectInput{
			Bucket: m.bucket(), Key: aws.String("rejected/" + file + ".reason.txt"),
		})
		if err != nil {
			return false
		}
		defer found.Body.Close()
		reason, err = io.ReadAll(found.Body)
		return err == nil
	})
	if !strings.Contains(string(reason), words) {
		t.Errorf("the reason for %s is %q", file, reason)
	}
}

func (m *customerStack) bucket() *string { return aws.String(m.info.Buckets["ChartsBucket"]) }
