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

// bigLayer is more than Lambda could ever answer with: 6 MB, as base64.
const bigLayer = 12 << 20

// images are what the vendor has pushed, by repository and tag.
type images struct {
	api   v1.Image // acme/api:1.0 and acme/api:latest
	big   v1.Image // acme/big:1.0
	tool  v1.Image // globex/tool:1.0
	multi v1.ImageIndex
	arm   v1.Image // of acme/multi:1.0, beside an image for amd64
}

func (m *market) pushImages(t *testing.T) {
	t.Helper()
	m.images = images{
		api: image(t, "amd64", 40<<10, 3), big: image(t, "amd64", bigLayer, 1),
		tool: image(t, "amd64", 1<<10, 1), arm: image(t, "arm64", 1<<10, 2),
	}
	m.images.multi = mutate.AppendManifests(empty.Index,
		mutate.IndexAddendum{Add: image(t, "amd64", 1<<10, 2), Descriptor: platform("amd64")},
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

// image has layers of random bytes, which are as large compressed.
func image(t *testing.T, architecture string, size, layers int64) v1.Image {
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

// tag is an image in the upstream registry.
func (m *market) tag(t *testing.T, at string) name.Tag {
	t.Helper()
	tag, err := name.NewTag(m.upstream+"/"+at, name.Insecure)
	if err != nil {
		t.Fatal(err)
	}
	return tag
}

func (m *market) pusher() remote.Option {
	return remote.WithAuth(&authn.Basic{Username: "AWS", Password: m.upstreamPassword})
}

// publishCharts packages charts with helm, and gives them to customers in both ways that there are.
func (m *market) publishCharts(t *testing.T) {
	t.Helper()
	vendor := m.machine(t, login{"AWS", m.upstreamPassword})
	m.vendor = vendor
	keyring(t, vendor.path("secring.gpg"), vendor.path("pubring.gpg"))
	keyring(t, vendor.path("none.gpg"), vendor.path("stranger.gpg"))
	vendor.chart(t, "anchor", "1.0.0")
	vendor.chart(t, "anchor", "1.1.0")
	vendor.chart(t, "beacon", "0.3.0", "--sign", "--key", "vendor@example.com", "--keyring", "secring.gpg")
	for _, file := range []string{"anchor-1.0.0.tgz", "anchor-1.1.0.tgz", "beacon-0.3.0.tgz.prov", "beacon-0.3.0.tgz"} {
		m.publish(t, file, vendor.read(t, file))
	}
	vendor.chart(t, "compass", "2.0.0")
	vendor.typing().execute(t, "helm", "registry", "login", m.upstream, "--plain-http", "-u", "AWS", "--password-stdin").is(t, 0)
	vendor.execute(t, "helm", "push", "compass-2.0.0.tgz", "oci://"+m.upstream+"/charts", "--plain-http").is(t, 0)
}

// chart packages a chart whose one template shows its value.
func (c machine) chart(t *testing.T, named, version string, options ...string) {
	t.Helper()
	for file, text := range map[string]string{
		"Chart.yaml":  "apiVersion: v2\nname: " + named + "\nversion: " + version + "\ndescription: The " + named + "\nappVersion: \"7\"\n",
		"values.yaml": "greeting: hello from " + named + " " + version + "\n",
		"templates/configmap.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n" +
			"data:\n  greeting: {{ .Values.greeting | quote }}\n",
	} {
		c.write(t, filepath.Join(named, file), text)
	}
	c.execute(t, "helm", append([]string{"package", named}, options...)...).is(t, 0)
}

// keyring makes a key in the format of GnuPG 1, which is the one that helm reads.
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

// publish puts a file where the vendor's pipeline does.
func (m *market) publish(t *testing.T, file, content string) {
	t.Helper()
	_, err := m.store().PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: m.bucket(), Key: aws.String("charts/" + file), Body: strings.NewReader(content),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// withdraw takes back what was published.
func (m *market) withdraw(t *testing.T, file string) {
	t.Helper()
	_, err := m.store().DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: m.bucket(), Key: aws.String("charts/" + file)})
	if err != nil {
		t.Fatal(err)
	}
}

// awaitReason waits for the vendor to be told why a file was refused, and for the words.
func (m *market) awaitReason(t *testing.T, file, words string) {
	t.Helper()
	var reason []byte
	await(t, "the reason why "+file+" is refused", func() bool {
		found, err := m.store().GetObject(t.Context(), &s3.GetObjectInput{
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
		t.Errorf("%s is refused with %q", file, reason)
	}
}

func (m *market) store() *s3.Client {
	return s3.New(s3.Options{Region: m.info.Region, BaseEndpoint: &m.info.S3, Credentials: m.keys(), UsePathStyle: true})
}

func (m *market) bucket() *string { return aws.String(m.info.Buckets["ChartsBucket"]) }
