package crashes

import (
	"bytes"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
)

const extractPath = "/v1/capabilities/extract/media"

// mediaFlows returns the flows of files and jobs.
func mediaFlows() []flow {
	return []flow{
		{"extract from a file", []string{"MediaFunction"}, extract},
		{"offer an upload", []string{"MediaFunction"}, offerUpload},
		{"start a job", []string{"MediaFunction"}, startJob},
		{"run a job", []string{"RunMediaJobsFunction"}, runJob},
		{"start a batch", []string{"MediaFunction"}, startBatch},
		{"run a batch", []string{"RunMediaJobsFunction"}, runBatch},
	}
}

// form returns a form with a file, whose content is different each time.
func (s *service) form() (contentType, body string) {
	s.t.Helper()
	s.people++
	var out bytes.Buffer
	form := multipart.NewWriter(&out)
	part, err := form.CreateFormFile("file", "invoice.txt")
	if err == nil {
		_, err = fmt.Fprintf(part, "Reference: invoice-%d\nTotal: 12.50 EUR\n", s.people)
	}
	err = errors.Join(err, form.WriteField("variable1_name", "total"), form.WriteField("variable1_type", "number"), form.Close())
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
			s.as(u.key).With("Content-Type", contentType).Post(extractPath, body).WantStatus(http.StatusOK).WantValue("", last.JSON(""))
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
	return u, request(s.as(u.key).With("Content-Type", contentType).With("Prefer", "respond-async"), http.MethodPost, extractPath, body)
}

// wantSuccess checks the result of a job.
func (s *service) wantSuccess(u user, accepted response) {
	s.t.Helper()
	s.finished(u, accepted.WantStatus(http.StatusAccepted).Header.Get("Location")).WantValue("status", "succeeded").
		WantValue("result.extracted_data.total", 12.5)
}

// startJob repeats the start of a job. After a lost response there are two jobs with the same result.
func startJob(s *service) trial {
	u, send := s.job()
	return trial{send: send, check: func(last response) { s.wantSuccess(u, last) }}
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
