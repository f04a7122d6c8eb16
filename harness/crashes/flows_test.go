package crashes

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"mime/multipart"
	"net"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// flows returns a flow for each way to call a function, and for each way in which a client retries.
func flows() []flow {
	return []flow{
		// This flow comes first, because later ones leave mails that are due after two minutes, and it would send them.
		{"send due mails", []string{"SendMailFunction"}, sendMails},
		{"invite a user", []string{"UsersFunction"}, inviteUser},
		{"create a token", []string{"AccessFunction"}, createToken},
		{"sign in", []string{"SessionsFunction"}, signIn},
		{"extract from a file", []string{"MediaFunction"}, extract},
		{"offer an upload", []string{"MediaFunction"}, offerUpload},
		{"publish a chart", []string{"IndexChartsFunction"}, publishChart},
		{"record a pull", []string{"RecordPullsFunction"}, recordPull},
		{"run a job", []string{"RunMediaJobsFunction"}, runJob},
	}
}

// sendMails sends the mail of an imported user. A crash after SES has accepted the mail and before that is stored sends
// it again.
func sendMails(s *service) trial {
	email := s.email()
	s.admin().Post("/v1/users/imports",
		`{"format":"csv","sendActivationEmail":true,"text":"email,name,role\n`+email+`,Ada,user\n"}`).
		WantStatus(http.StatusOK)
	return trial{
		send:     s.invoke("SendMailFunction", "sendmail/schedule.json"),
		promised: mails{to: email, count: 1},
		check: func(last response) {
			s.wantDone(last)
			if n := len(s.mails(email)); n > 2 {
				s.t.Errorf("%d mails to %s", n, email)
			}
		},
	}
}

// wantUsers checks how many users have an address.
func (s *service) wantUsers(email string, want int) {
	s.t.Helper()
	s.admin().Get("/v1/users?email="+email).WantStatus(http.StatusOK).WantValue("pagination.total", want)
}

func inviteUser(s *service) trial {
	email := s.email()
	return trial{
		send: request(s.admin().With("Idempotency-Key", s.key()), http.MethodPost, "/v1/users",
			`{"email":"`+email+`","name":"Ada","role":"user"}`),
		promised: mails{to: email, count: 1},
		check: func(last response) {
			last.WantStatus(http.StatusCreated).WantValue("data.status", "pending")
			s.wantUsers(email, 1)
		},
	}
}

// bearer returns a client with a token.
func (s *service) bearer(token string) client {
	return s.visitor().With("Authorization", "Bearer "+token)
}

const tokenBody = `{"name":"pipeline","scopes":["read:helm-charts"],"expiration_days":30}`

// token returns a user with a token and the token's id.
func (s *service) token() (owner user, token, id string) {
	s.t.Helper()
	owner = s.user("manager")
	made := s.as(owner.key).Post("/api/v1/tokens", tokenBody).WantStatus(http.StatusCreated)
	return owner, made.Text("data.token"), made.Text("data.id")
}

// wantTokens checks the number of tokens that a user has.
func (s *service) wantTokens(owner user, want int) {
	s.t.Helper()
	if got := len(s.as(owner.key).Get("/api/v1/tokens").WantStatus(http.StatusOK).List("data")); got != want {
		s.t.Errorf("%d tokens, want %d", got, want)
	}
}

func createToken(s *service) trial {
	owner := s.user("manager")
	return trial{
		send: request(s.as(owner.key).With("Idempotency-Key", s.key()), http.MethodPost, "/api/v1/tokens", tokenBody),
		check: func(last response) {
			s.bearer(last.WantStatus(http.StatusCreated).Text("data.token")).Get("/charts/index.yaml").WantStatus(http.StatusOK)
			s.wantTokens(owner, 1)
		},
	}
}

// browser returns a client that sends what browsers send to the same origin. Its address was not used before, because
// sign-ins are limited by address.
func (s *service) browser() client {
	s.serial++
	address := net.IPv4(127, 1, byte(s.serial>>8), byte(s.serial))
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: address}}
	caller := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
	c := s.visitor().With("Sec-Fetch-Site", "same-origin")
	c.RoundTrip = func(r *http.Request) (*http.Response, error) { return caller.Do(r) }
	return c
}

// cookie returns the first cookie of a response whose name or value contains the text.
func cookie(r response, text string) string {
	for _, set := range r.Header.Values("Set-Cookie") {
		if pair, _, _ := strings.Cut(set, ";"); strings.Contains(pair, text) {
			return pair
		}
	}
	return ""
}

// link mails a sign-in link and returns the body with its token, and a client with the cookie of the browser that asked
// for it.
func (s *service) link(u user) (browser client, body string) {
	s.t.Helper()
	asked := s.browser().Post("/v1/sign-in/links", `{"email":"`+u.email+`"}`).WantStatus(http.StatusAccepted)
	return s.browser().With("Cookie", cookie(asked, "=")), `{"token":"` + s.mailedToken(u.email) + `"}`
}

// signIn repeats a sign-in. A link works once, so after a lost response the user asks for another one.
func signIn(s *service) trial {
	u := s.user("user")
	browser, body := s.link(u)
	return trial{
		send: request(browser, http.MethodPost, "/v1/sessions", body),
		check: func(last response) {
			if last.Status != http.StatusUnauthorized {
				last.WantStatus(http.StatusCreated)
				s.browser().With("Cookie", cookie(last, "session")).Get("/v1/sessions/current").WantStatus(http.StatusOK)
			}
			s.as(u.key).Get("/v1/sessions").WantStatus(http.StatusOK).WantValue("data.1", nil)
		},
	}
}

const extractPath = "/v1/capabilities/extract/media"

// form returns a form with a file, whose content is different each time.
func (s *service) form() (contentType, body string) {
	s.t.Helper()
	s.serial++
	var out bytes.Buffer
	form := multipart.NewWriter(&out)
	part, err := form.CreateFormFile("file", "invoice.txt")
	if err == nil {
		_, err = fmt.Fprintf(part, "Reference: invoice-%d\nTotal: 12.50 EUR\n", s.serial)
	}
	err = errors.Join(err, form.WriteField("variable1_name", "total"), form.WriteField("variable1_type", "number"),
		form.Close())
	if err != nil {
		s.t.Fatal(err)
	}
	return form.FormDataContentType(), out.String()
}

func extract(s *service) trial {
	u := s.user("user")
	contentType, body := s.form()
	return trial{
		send: request(s.as(u.key).With("Content-Type", contentType), http.MethodPost, extractPath, body),
		check: func(last response) {
			last.WantStatus(http.StatusOK).WantValue("extracted_data.total", 12.5)
			s.as(u.key).With("Content-Type", contentType).Post(extractPath, body).WantStatus(http.StatusOK).
				WantValue("", last.JSON(""))
		},
	}
}

// offerUpload asks again after a lost response, with an idempotency key.
func offerUpload(s *service) trial {
	u := s.user("user")
	return trial{
		send: request(s.as(u.key).With("Idempotency-Key", "c0ffee"), http.MethodPost, "/v1/uploads", ""),
		check: func(last response) {
			s.as(u.key).Get(last.WantStatus(http.StatusCreated).Header.Get("Location")).WantValue("status", "waiting")
		},
	}
}

// finished waits until a job has ended.
func (s *service) finished(u user, at string) (job response) {
	s.t.Helper()
	s.await("the job "+at, func() bool {
		job = s.as(u.key).Get(at).WantStatus(http.StatusOK)
		status := job.Text("status")
		return status == "succeeded" || status == "failed"
	})
	return job
}

// job returns a user and a function that starts a job of the user.
func (s *service) job() (u user, send func() response) {
	s.t.Helper()
	u = s.user("user")
	contentType, body := s.form()
	return u, request(s.as(u.key).With("Content-Type", contentType).With("Prefer", "respond-async"), http.MethodPost,
		extractPath, body)
}

// wantSuccess checks the result of a job.
func (s *service) wantSuccess(u user, accepted response) {
	s.t.Helper()
	s.finished(u, accepted.WantStatus(http.StatusAccepted).Header.Get("Location")).WantValue("status", "succeeded").
		WantValue("result.extracted_data.total", 12.5)
}

func runJob(s *service) trial {
	u, start := s.job()
	var accepted response
	return trial{
		send: func() response {
			accepted = start()
			return accepted
		},
		settle: s.settled("the job", func() bool {
			s.finished(u, accepted.WantStatus(http.StatusAccepted).Header.Get("Location"))
			return true
		}),
		check: func(last response) { s.wantSuccess(u, last) },
	}
}

// objects returns a client of S3 with the developer's credentials.
func (s *service) objects() *s3.Client {
	return s3.New(s3.Options{
		Region: s.info.Region, BaseEndpoint: &s.info.S3, UsePathStyle: true,
		Credentials: s.keys(),
	})
}

// keys returns the developer's credentials of the engines.
func (s *service) keys() aws.CredentialsProvider {
	return credentials.NewStaticCredentialsProvider(s.info.AccessKeyID, s.info.SecretAccessKey, "")
}

// chart returns the archive of a chart.
func (s *service) chart(name, version string) []byte {
	s.t.Helper()
	definition := "apiVersion: v2\nname: " + name + "\nversion: " + version + "\n"
	var out bytes.Buffer
	compressor := gzip.NewWriter(&out)
	archive := tar.NewWriter(compressor)
	err := archive.WriteHeader(&tar.Header{Name: name + "/Chart.yaml", Mode: 0o644, Size: int64(len(definition))})
	if err == nil {
		_, err = archive.Write([]byte(definition))
	}
	if err := errors.Join(err, archive.Close(), compressor.Close()); err != nil {
		s.t.Fatal(err)
	}
	return out.Bytes()
}

// upload uploads a chart, as the vendor's pipeline does.
func (s *service) upload(name, version string) response {
	s.t.Helper()
	_, err := s.objects().PutObject(s.t.Context(), &s3.PutObjectInput{
		Bucket: aws.String(s.info.Buckets["ChartsBucket"]), Key: aws.String("charts/" + name + "-" + version + ".tgz"),
		Body: bytes.NewReader(s.chart(name, version)),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return response{Method: "PUT", Target: name, Status: http.StatusOK}
}

// status returns the status of a version of a chart in the API.
func (s *service) status(name, version string) int {
	s.t.Helper()
	return s.admin().Get("/v1/charts/" + name + "/" + version).Status
}

// chartName returns the name of a chart that does not exist.
func (s *service) chartName() string {
	s.serial++
	return fmt.Sprintf("buoy%d", s.serial)
}

func publishChart(s *service) trial {
	name := s.chartName()
	return trial{
		send:   func() response { return s.upload(name, "1.0.0") },
		settle: s.settled("the chart "+name, func() bool { return s.status(name, "1.0.0") == http.StatusOK }),
		check: func(response) {
			s.admin().Get("/v1/charts/"+name).WantStatus(http.StatusOK).WantValue("data.0.version", "1.0.0").
				WantValue("data.1", nil)
		},
	}
}

// published publishes a chart.
func (s *service) published() (name string) {
	s.t.Helper()
	name = s.chartName()
	s.upload(name, "1.0.0")
	s.settled("the chart "+name, func() bool { return s.status(name, "1.0.0") == http.StatusOK })()
	return name
}

// pull returns a function that pulls a chart with a new token, the owner of the token, and the path of its pulls.
func (s *service) pull(name string) (send func() response, owner user, pulls string) {
	s.t.Helper()
	owner, token, id := s.token()
	authorization := "Basic " + base64.StdEncoding.EncodeToString([]byte("any:"+token))
	send = request(s.visitor().With("Authorization", authorization), http.MethodGet, "/charts/"+name+"-1.0.0.tgz", "")
	return send, owner, "/api/v1/pulls?token=" + id
}

// hasPull returns a function that reports whether a pull is recorded.
func (s *service) hasPull(owner user, pulls string) func() bool {
	return func() bool { return len(s.as(owner.key).Get(pulls).WantStatus(http.StatusOK).List("data")) > 0 }
}

func recordPull(s *service) trial {
	name := s.pullable()
	send, owner, pulls := s.pull(name)
	return trial{
		send:   send,
		settle: s.settled("the pull of "+name, s.hasPull(owner, pulls)),
		check: func(last response) {
			last.WantStatus(http.StatusFound)
			s.as(owner.key).Get(pulls).WantStatus(http.StatusOK).WantValue("data.0.repository", name).WantValue("data.1", nil)
		},
	}
}

// pullable returns a chart that all trials pull.
func (s *service) pullable() string {
	s.t.Helper()
	if s.pulled == "" {
		s.pulled = s.published()
	}
	return s.pulled
}
