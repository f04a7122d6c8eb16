package stack_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"portside/local/stack"
	"portside/testclient"
)

// Rules of a Makefile. The first builds an engine when the test calls release.
const (
	engineRule       = "\nengine-%:\n\t@while [ ! -e .local/late/$*.released ]; do sleep 0.01; done; mv .local/late/$* .local/bin\n"
	brokenEngineRule = "\nengine-%:\n\t@echo undefined: engine; exit 1\n"
)

// filesFunction may call S3.
const filesFunction = `
  FilesFunction:
    Type: AWS::Serverless::Function
    Metadata: { BuildMethod: makefile }
    Properties:
      Runtime: provided.al2023
      Handler: bootstrap
      CodeUri: .
      Policies:
        - Statement:
            - { Effect: Allow, Action: s3:GetObject, Resource: !Sub "${FilesBucket.Arn}/*" }
      Events:
        S3:
          Type: HttpApi
          Properties: { ApiId: !Ref HttpApi, Method: GET, Path: /s3 }
`

// withoutEngines returns the options of a stack that builds its engines by the rule.
func withoutEngines(t *testing.T, rule string) stack.Options {
	t.Helper()
	o := options(repo(t))
	o.BuildOnRequest, o.BuildEngines = true, true
	appendTo(t, filepath.Join(o.RepoDir, "Makefile"), rule)
	appendTo(t, filepath.Join(o.RepoDir, "template.yaml"), filesFunction)
	functions := filepath.Join(o.RepoDir, "functions")
	if err := os.CopyFS(filepath.Join(functions, "files"), os.DirFS(filepath.Join(functions, "notes"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(o.RepoDir, ".local", "late"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"s3server", "registryserver"} {
		if err := os.Rename(filepath.Join(o.RepoDir, ".local", "bin", engine), filepath.Join(o.RepoDir, ".local", "late", engine)); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(content, text...), 0o644); err != nil {
		t.Fatal(err)
	}
}

// release lets the build of an engine end.
func release(t *testing.T, o stack.Options, engine string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(o.RepoDir, ".local", "late", engine+".released"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

// get returns the status and the body of a response.
func get(t *testing.T, address string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error() // between the end of the placeholder and the start of the engine
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return response.StatusCode, string(body)
}

func TestTheStackAnswersWhileItsEnginesAreBuilt(t *testing.T) {
	o := withoutEngines(t, engineRule)
	s := start(t, o)
	info := s.Info()
	perform(t, info.API, step{"GET", "/hello", "", 200, "hello from"})
	for engine, address := range map[string]string{"S3": info.S3 + "/healthz", "the registry": info.Registry + "/v2/"} {
		if status, body := get(t, address); status != http.StatusServiceUnavailable || !strings.Contains(body, "is being built") {
			t.Errorf("%s: %d %q", engine, status, body)
		}
	}
	answered := make(chan int, 1)
	go func() {
		status, _ := get(t, info.API+"/s3")
		answered <- status
	}()
	await(t, "the function that calls S3 is built", func() bool {
		return strings.Contains(o.Log.(*testclient.Log).String(), "built FilesFunction")
	})
	release(t, o, "s3server")
	if status := <-answered; status != http.StatusOK {
		t.Errorf("the function did not wait for S3: it got %d", status)
	}
	if status, _ := get(t, info.Registry+"/v2/"); status != http.StatusServiceUnavailable {
		t.Errorf("before the registry is built: %d", status)
	}
	release(t, o, "registryserver")
	await(t, "the registry answers", func() bool {
		status, _ := get(t, info.Registry+"/v2/")
		return status == http.StatusUnauthorized
	})
	image, err := random.Image(1000, 2)
	if err != nil {
		t.Fatal(err)
	}
	host, auth := registryLogin(t, s)
	if err := remote.Write(reference(t, host+"/acme/api:1.0.0"), image, remote.WithContext(t.Context()), auth); err != nil {
		t.Error(err)
	}
}

func TestTheStackStopsWhileItsEnginesAreBuilt(t *testing.T) {
	o := withoutEngines(t, engineRule)
	s := start(t, o)
	await(t, "the build has begun", func() bool { return strings.Contains(o.Log.(*testclient.Log).String(), "building s3server") })
	stop(t, s)
	if status, _ := get(t, s.Info().S3+"/healthz"); status != 0 {
		t.Errorf("after the stop, the address of S3 answers %d", status)
	}
}

func TestAnEngineThatDoesNotBuildStopsTheStack(t *testing.T) {
	s := start(t, withoutEngines(t, brokenEngineRule))
	err := <-s.Failed()
	if err == nil || !strings.HasPrefix(err.Error(), "s3server does not build:\nundefined: engine\n") {
		t.Errorf("error %v", err)
	}
}
