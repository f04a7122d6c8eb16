package secrets_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/smithy-go"

	"portside/local/secrets"
	"portside/testclient"
)

const name = "portside/acme"

// fixture is the local Secrets Manager with the SDK's client.
type fixture struct {
	t      *testing.T
	dir    string
	store  *secrets.Store
	client *secretsmanager.Client
}

func openStore(t *testing.T, dir string, invoke func(context.Context, string, []byte) error) *fixture {
	t.Helper()
	store, err := secrets.New(t.Context(), secrets.Config{
		Dir: dir, Region: "us-east-1", AccountID: "000000000000", Invoke: invoke,
		Now: func() time.Time { return time.Date(2028, 2, 29, 12, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	server := httptest.NewServer(store.API())
	t.Cleanup(server.Close)
	return &fixture{t, dir, store, secretsmanager.New(secretsmanager.Options{
		BaseEndpoint: &server.URL, Region: "us-east-1", RetryMaxAttempts: 1, HTTPClient: testclient.SDKClient{},
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	})}
}

func version(n int) *string { return aws.String(fmt.Sprintf("00000000-0000-4000-8000-%012d", n)) }

// create creates the secret; its first version has the value "one".
func (s *fixture) create() {
	s.t.Helper()
	_, err := s.client.CreateSecret(s.t.Context(), &secretsmanager.CreateSecretInput{
		Name: aws.String(name), ClientRequestToken: version(1), SecretString: aws.String("one"),
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *fixture) put(n int, text string, stages ...string) error {
	_, err := s.client.PutSecretValue(s.t.Context(), &secretsmanager.PutSecretValueInput{
		SecretId: aws.String(name), ClientRequestToken: version(n), SecretString: &text, VersionStages: stages,
	})
	return err
}

func (s *fixture) move(stage string, from, to *string) error {
	_, err := s.client.UpdateSecretVersionStage(s.t.Context(), &secretsmanager.UpdateSecretVersionStageInput{
		SecretId: aws.String(name), VersionStage: &stage, RemoveFromVersionId: from, MoveToVersionId: to,
	})
	return err
}

// stages returns the stages of all versions, such as "1:AWSCURRENT".
func (s *fixture) stages() string {
	s.t.Helper()
	out, err := s.client.DescribeSecret(s.t.Context(), &secretsmanager.DescribeSecretInput{SecretId: aws.String(name)})
	if err != nil {
		s.t.Fatal(err)
	}
	var all []string
	for id, stages := range out.VersionIdsToStages {
		slices.Sort(stages)
		all = append(all, strings.TrimLeft(id[24:], "0")+":"+strings.Join(stages, "+"))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func (s *fixture) wantStages(want string) {
	s.t.Helper()
	if got := s.stages(); got != want {
		s.t.Errorf("stages are %s, want %s", got, want)
	}
}

func (s *fixture) wantRefusal(err error, code string) {
	s.t.Helper()
	if refused, ok := errors.AsType[smithy.APIError](err); !ok || refused.ErrorCode() != code {
		s.t.Errorf("got %v, want %s", err, code)
	}
}

func (s *fixture) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *fixture) readValue(in secretsmanager.GetSecretValueInput) (string, error) {
	in.SecretId = aws.String(name)
	out, err := s.client.GetSecretValue(s.t.Context(), &in)
	if err != nil {
		return "", err
	}
	return aws.ToString(out.SecretString), nil
}

func TestStagesMove(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	s.create()
	s.wantStages("1:AWSCURRENT")
	s.must(s.put(2, "two"))
	s.wantStages("1:AWSPREVIOUS 2:AWSCURRENT")
	s.must(s.put(3, "three", "AWSPENDING"))
	s.wantStages("1:AWSPREVIOUS 2:AWSCURRENT 3:AWSPENDING")
	s.wantRefusal(s.move("AWSCURRENT", nil, version(3)), "InvalidParameterException")
	s.wantRefusal(s.move("AWSCURRENT", version(1), version(3)), "InvalidParameterException")
	s.wantRefusal(s.move("AWSCURRENT", version(2), version(9)), "ResourceNotFoundException")
	s.wantRefusal(s.move("AWSCURRENT", version(2), nil), "InvalidParameterException")
	s.must(s.move("AWSCURRENT", version(2), version(3)))
	s.wantStages("2:AWSPREVIOUS 3:AWSCURRENT+AWSPENDING")
	s.must(s.move("AWSPENDING", version(3), nil))
	s.wantStages("2:AWSPREVIOUS 3:AWSCURRENT")
}

func TestVersionValueIsImmutable(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	s.create()
	s.must(s.put(2, "two", "AWSPENDING"))
	s.must(s.put(2, "two", "AWSPENDING"))
	s.wantRefusal(s.put(2, "other", "AWSPENDING"), "ResourceExistsException")
	for in, want := range map[secretsmanager.GetSecretValueInput]string{
		{}: "one", {VersionStage: aws.String("AWSPENDING")}: "two", {VersionId: version(2)}: "two",
		{VersionId: version(2), VersionStage: aws.String("AWSPENDING")}: "two",
	} {
		if got, err := s.readValue(in); got != want || err != nil {
			t.Errorf("read %q, %v, want %q", got, err, want)
		}
	}
	_, err := s.readValue(secretsmanager.GetSecretValueInput{VersionId: version(1), VersionStage: aws.String("AWSPENDING")})
	s.wantRefusal(err, "InvalidRequestException")
	_, err = s.readValue(secretsmanager.GetSecretValueInput{VersionId: version(9)})
	s.wantRefusal(err, "ResourceNotFoundException")
	_, err = s.client.CreateSecret(t.Context(),
		&secretsmanager.CreateSecretInput{Name: aws.String(name), SecretString: aws.String("x")})
	s.wantRefusal(err, "ResourceExistsException")
	s.create() // the same request again
}

func TestInvalidRequestsAreRefused(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	s.create()
	s.wantRefusal(s.put(2, strings.Repeat("x", 65537)), "InvalidParameterException")
	for _, bad := range []string{"../escape\x00", "a b", "", strings.Repeat("x", 600), "ü"} {
		_, err := s.client.CreateSecret(t.Context(),
			&secretsmanager.CreateSecretInput{Name: &bad, SecretString: aws.String("x")})
		s.wantRefusal(err, "ValidationException")
	}
	for _, id := range []string{"..", "portside", "../secrets/portside%2Facme",
		"arn:aws:secretsmanager:us-east-1:000000000000:secret:x"} {
		_, err := s.client.GetSecretValue(t.Context(), &secretsmanager.GetSecretValueInput{SecretId: &id})
		s.wantRefusal(err, "ResourceNotFoundException")
	}
	_, err := s.client.ListSecrets(t.Context(), &secretsmanager.ListSecretsInput{})
	s.wantRefusal(err, "UnknownOperationException")
	_, err = s.client.RotateSecret(t.Context(), &secretsmanager.RotateSecretInput{SecretId: aws.String(name)})
	s.wantRefusal(err, "InvalidRequestException")
}

func TestSecretsAreFoundByNameAndARN(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	s.create()
	found, err := s.client.DescribeSecret(t.Context(), &secretsmanager.DescribeSecretInput{SecretId: aws.String(name)})
	s.must(err)
	whole := aws.ToString(found.ARN)
	for _, id := range []string{name, whole, whole[:len(whole)-7]} {
		out, err := s.client.GetSecretValue(t.Context(), &secretsmanager.GetSecretValueInput{SecretId: &id})
		if err != nil || aws.ToString(out.SecretString) != "one" || out.CreatedDate == nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestDeletedSecret(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	s.create()
	_, err := s.client.DeleteSecret(t.Context(), &secretsmanager.DeleteSecretInput{SecretId: aws.String(name)})
	s.must(err)
	_, err = s.readValue(secretsmanager.GetSecretValueInput{})
	s.wantRefusal(err, "InvalidRequestException")
	_, err = s.client.DeleteSecret(t.Context(), &secretsmanager.DeleteSecretInput{
		SecretId: aws.String(name), ForceDeleteWithoutRecovery: aws.Bool(true),
	})
	s.must(err)
	_, err = s.readValue(secretsmanager.GetSecretValueInput{})
	s.wantRefusal(err, "ResourceNotFoundException")
}

func TestFilesArePrivateAndSurviveRestart(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "secrets"), nil)
	s.create()
	s.must(s.put(2, "two"))
	err := filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		s.must(err)
		info, err := entry.Info()
		s.must(err)
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
	s.must(err)
	again := openStore(t, s.dir, nil)
	again.wantStages("1:AWSPREVIOUS 2:AWSCURRENT")
	if got, err := again.readValue(secretsmanager.GetSecretValueInput{VersionStage: aws.String("AWSPREVIOUS")}); got != "one" ||
		err != nil {
		t.Errorf("after a restart: %q, %v", got, err)
	}
}

func TestOldVersionsAreDeleted(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	s.create()
	for n := 2; n < 110; n++ {
		s.must(s.put(n, fmt.Sprint(n)))
	}
	out, err := s.client.ListSecretVersionIds(t.Context(), &secretsmanager.ListSecretVersionIdsInput{
		SecretId: aws.String(name), IncludeDeprecated: aws.Bool(true),
	})
	if err != nil || len(out.Versions) != 100 {
		t.Errorf("%d versions are left, %v; want 100", len(out.Versions), err)
	}
	s.wantStages("108:AWSPREVIOUS 109:AWSCURRENT")
}

func TestUnsignedRequestsAreRefused(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader("{}"))
	r.Header.Set("X-Amz-Target", "secretsmanager.GetSecretValue")
	w := httptest.NewRecorder()
	s.store.API().ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "MissingAuthenticationTokenException") {
		t.Errorf("an unsigned request got %d %s", w.Code, w.Body)
	}
}

func TestIncompleteFilesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{".new-123", ".new-x.json", "other"} { // a secret may be named .new-x
		if err := os.WriteFile(filepath.Join(dir, file), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".new-folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	openStore(t, dir, nil)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	if want := []string{".new-folder", ".new-x.json", "other"}; !slices.Equal(left, want) {
		t.Errorf("%v are left, want %v", left, want)
	}
}

func TestCorruptFileIsInternalError(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	s.must(os.WriteFile(filepath.Join(s.dir, "broken.json"), []byte("{"), 0o600))
	_, err := s.client.DescribeSecret(t.Context(), &secretsmanager.DescribeSecretInput{SecretId: aws.String("broken")})
	s.wantRefusal(err, "InternalServiceError")
}

// TestSecretsOfTheStack deploys templates one after the other. Secrets that others have created stay as they are.
func TestSecretsOfTheStack(t *testing.T) {
	f := openStore(t, t.TempDir(), nil)
	f.create()
	for _, secretsOfStack := range []map[string]string{
		{"stack-A": "a", "stack-B": "b"}, {"stack-A": "a2"}, {"stack-A": "a2"}, {}, {"stack-B": "b"},
	} {
		if err := f.store.Deploy(secretsOfStack); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"stack-A", "stack-B", name} {
			want := secretsOfStack[id]
			if id == name {
				want = "one"
			}
			got, err := f.client.GetSecretValue(t.Context(), &secretsmanager.GetSecretValueInput{SecretId: &id})
			if (err != nil) != (want == "") || err == nil && *got.SecretString != want {
				t.Errorf("%v: %s is %v, %v", secretsOfStack, id, got, err)
			}
		}
	}
}
