// Package distribution has the end-to-end tests of charts and images: publishing, pulling with the programs of
// customers, credentials and their renewal, and the pages of the portal about them.
package distribution

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
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

	"portside/local/e2e/e2etest"
)

func TestMain(m *testing.M) { e2etest.Main(m) }

// shop is the shared stack with charts and images, which its tests only read.
type shop struct {
	*e2etest.Stack
	*goods

	manager   e2etest.Client // can create tokens
	managerID string
}

// goods are the published charts and images. The images are in the repositories harbor/… and globex/tool, the charts
// are anchor and beacon, and compass in the registry.
type goods struct {
	once   sync.Once
	images images
	files  map[string]string // the charts' archives and the keyrings
}

// published are the goods on the shared stack.
var published goods

// images holds the vendor's pushed images.
type images struct {
	api   v1.Image // harbor/api:1.0 and harbor/api:latest
	big   v1.Image // harbor/big:1.0
	tool  v1.Image // globex/tool:1.0
	multi v1.ImageIndex
	arm   v1.Image // part of harbor/multi:1.0, which also has an image for amd64
}

// bigLayer exceeds Lambda's payload limit of 6 MB.
const bigLayer = 12 << 20

// newShop returns the shared stack with its goods, for a new manager.
func newShop(t *testing.T) shop {
	t.Helper()
	s := onShelf(e2etest.Shared(t))
	s.once.Do(func() {
		s.pushImages(t)
		s.publishCharts(t)
	})
	at, key := s.Users.Activate(t, "manager", "manager")
	s.manager, s.managerID = s.As(t, key), e2etest.UserID(at)
	return s
}

// onShelf returns a stack as a shop without a manager.
func onShelf(p *e2etest.Stack) shop { return shop{Stack: p, goods: &published} }

func (s shop) pushImages(t *testing.T) {
	t.Helper()
	s.images = images{
		api: randomImage(t, "amd64", 40<<10, 3), big: randomImage(t, "amd64", bigLayer, 1),
		tool: randomImage(t, "amd64", 1<<10, 1), arm: randomImage(t, "arm64", 1<<10, 2),
	}
	s.images.multi = mutate.AppendManifests(empty.Index,
		mutate.IndexAddendum{Add: randomImage(t, "amd64", 1<<10, 2), Descriptor: platform("amd64")},
		mutate.IndexAddendum{Add: s.images.arm, Descriptor: platform("arm64")})
	for at, pushed := range map[string]v1.Image{
		"harbor/api:1.0": s.images.api, "harbor/api:latest": s.images.api, "harbor/big:1.0": s.images.big,
		"globex/tool:1.0": s.images.tool,
	} {
		s.push(t, at, pushed)
	}
	if err := remote.WriteIndex(s.tag(t, "harbor/multi:1.0"), s.images.multi, s.pusher(t)); err != nil {
		t.Fatal(err)
	}
}

// push pushes an image to the vendor's registry.
func (s shop) push(t *testing.T, at string, image v1.Image) {
	t.Helper()
	if err := remote.Write(s.tag(t, at), image, s.pusher(t)); err != nil {
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
func (s shop) tag(t *testing.T, at string) name.Tag {
	t.Helper()
	tag, err := name.NewTag(s.Upstream()+"/"+at, name.Insecure)
	if err != nil {
		t.Fatal(err)
	}
	return tag
}

func (s shop) pusher(t *testing.T) remote.Option {
	t.Helper()
	return remote.WithAuth(&authn.Basic{Username: "AWS", Password: s.upstreamPassword(t)})
}

func (s shop) upstreamPassword(t *testing.T) string {
	t.Helper()
	password := s.Operator.Line(t, "registry-password")
	s.Secrets.Add(password)
	return password
}

// publishCharts packages charts with helm and publishes them in the repository and in the registry.
func (s shop) publishCharts(t *testing.T) {
	t.Helper()
	vendor := s.machine(t, login("AWS", s.upstreamPassword(t)))
	keyring(t, vendor, "secring.gpg", "pubring.gpg")
	keyring(t, vendor, "none.gpg", "stranger.gpg")
	vendor.packageChart(t, "anchor", "1.0.0")
	vendor.packageChart(t, "anchor", "1.1.0")
	vendor.packageChart(t, "beacon", "0.3.0", "--sign", "--key", "vendor@example.com", "--keyring", "secring.gpg")
	vendor.packageChart(t, "compass", "2.0.0")
	s.files = map[string]string{}
	for _, file := range []string{"pubring.gpg", "stranger.gpg", "compass-2.0.0.tgz", "beacon-0.3.0.tgz.prov"} {
		s.files[file] = vendor.ReadFile(t, file)
	}
	s.publish(t, "beacon-0.3.0.tgz.prov", s.files["beacon-0.3.0.tgz.prov"])
	for _, file := range []string{"anchor-1.0.0.tgz", "anchor-1.1.0.tgz", "beacon-0.3.0.tgz"} {
		s.files[file] = vendor.ReadFile(t, file)
		s.publish(t, file, s.files[file])
	}
	vendor.WithPasswordInput().Execute(t, "helm", "registry", "login", s.Upstream(), "--plain-http", "-u", "AWS",
		"--password-stdin").
		WantExit(t, 0)
	vendor.Execute(t, "helm", "push", "compass-2.0.0.tgz", "oci://"+s.Upstream()+"/charts", "--plain-http").WantExit(t, 0)
}

// machine is a customer's computer with the programs that pull charts and images.
type machine struct{ e2etest.Machine }

// machine returns a new computer whose user has the login.
func (s shop) machine(t *testing.T, l e2etest.Login) machine {
	t.Helper()
	return machine{s.Machine(t, l)}
}

// withPassword passes the password as standard input, so that it is not an argument.
func (c machine) withPassword() machine { return machine{c.WithPasswordInput()} }

// packageChart packages a chart whose only template contains its value.
func (c machine) packageChart(t *testing.T, named, version string, options ...string) {
	t.Helper()
	for file, text := range map[string]string{
		"Chart.yaml":  "apiVersion: v2\nname: " + named + "\nversion: " + version + "\ndescription: The " + named + "\nappVersion: \"7\"\n",
		"values.yaml": "greeting: hello from " + named + " " + version + "\n",
		"templates/configmap.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n" +
			"data:\n  greeting: {{ .Values.greeting | quote }}\n",
	} {
		c.WriteFile(t, filepath.Join(named, file), text)
	}
	c.Execute(t, "helm", append([]string{"package", named}, options...)...).WantExit(t, 0)
}

// publishVersions packages and publishes versions of a chart that only this test uses, and returns its name.
func (s shop) publishVersions(t *testing.T, vendor machine, versions ...string) (chart string) {
	t.Helper()
	chart = s.Name("anchor") + "-chart" // no prefix of the name of another test's chart
	for _, version := range versions {
		vendor.packageChart(t, chart, version)
		s.publish(t, chart+"-"+version+".tgz", vendor.ReadFile(t, chart+"-"+version+".tgz"))
	}
	return chart
}

// keyring creates a key in the format of GnuPG 1, which helm requires.
func keyring(t *testing.T, c machine, secret, public string) {
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
	c.WriteFile(t, secret, private.String())
	c.WriteFile(t, public, shared.String())
}

// publish uploads a file as the vendor's pipeline does.
func (s shop) publish(t *testing.T, file, content string) {
	t.Helper()
	s.Operator.PutObject(t, "ChartsBucket", "charts/"+file, content)
}

// deleteChart deletes a published file.
func (s shop) deleteChart(t *testing.T, file string) {
	t.Helper()
	_, err := s.Operator.S3().DeleteObject(t.Context(),
		&s3.DeleteObjectInput{Bucket: s.bucket(), Key: aws.String("charts/" + file)})
	if err != nil {
		t.Fatal(err)
	}
}

// awaitRejection waits for the reason of a rejected file and checks its words.
func (s shop) awaitRejection(t *testing.T, file, words string) {
	t.Helper()
	var reason []byte
	e2etest.Await(t, "the reason why "+file+" was rejected", func() bool {
		found, err := s.Operator.S3().GetObject(t.Context(), &s3.GetObjectInput{
			Bucket: s.bucket(), Key: aws.String("rejected/" + file + ".reason.txt"),
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

func (s shop) bucket() *string { return aws.String(s.Info.Buckets["ChartsBucket"]) }

func login(user, password string) e2etest.Login { return e2etest.Login{User: user, Password: password} }

// createToken creates an access token of the manager, which works with any user name.
func (s shop) createToken(t *testing.T, scopes ...string) e2etest.Login {
	t.Helper()
	body := `{"name":"e2e","scopes":["` + strings.Join(scopes, `","`) + `"],"expiration_days":1}`
	return login("any-name", s.manager.For(t).Post("/api/v1/tokens", body).WantStatus(http.StatusCreated).
		Text("data.token"))
}

// requestPassword obtains a user name and password of the manager by a credential request, its approval and the mailed
// link.
func (s shop) requestPassword(t *testing.T, level string) e2etest.Login {
	t.Helper()
	const requests = "/api/v1/credential-requests"
	made := s.manager.For(t).Post(requests, `{"accessLevel":"`+level+`","justification":"e2e"}`).
		WantStatus(http.StatusCreated)
	_, before := s.Mail.Newest(t, "manager")
	s.Admin(t).Post(requests+"/"+made.Text("data.id")+"/approve", `{}`).WantStatus(http.StatusOK)
	s.Mail.Await(t, "manager", before)
	_, link := s.Mail.Link(t, "manager")
	got := s.Anonymous(t).Post(requests+"/collect", `{"token":"`+link+`"}`).WantStatus(http.StatusOK)
	return login(got.Text("data.username"), got.Text("data.password"))
}

func (s shop) revoke(t *testing.T, l e2etest.Login) e2etest.Login {
	t.Helper()
	s.manager.For(t).Delete("/api/v1/tokens/" + l.ID()).WantStatus(http.StatusNoContent)
	return l
}

func (s shop) expire(t *testing.T, l e2etest.Login) e2etest.Login {
	t.Helper()
	s.Users.Expire(t, l.Password)
	return l
}
