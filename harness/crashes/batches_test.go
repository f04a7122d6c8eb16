package crashes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
)

const batchPath = "/v1/capabilities/extract/batch"

// uploadFile stores a file and returns the ID of its upload.
func (s *service) uploadFile(u user, text string) (id string) {
	s.t.Helper()
	offer := s.as(u.key).Post("/v1/uploads", "").WantStatus(http.StatusCreated)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	var failed []error
	for name, value := range offer.JSON("fields").(map[string]any) {
		failed = append(failed, form.WriteField(name, fmt.Sprint(value)))
	}
	part, err := form.CreateFormFile("file", "invoice.txt")
	if err == nil {
		_, err = io.WriteString(part, text)
	}
	if err := errors.Join(append(failed, err, form.Close())...); err != nil {
		s.t.Fatal(err)
	}
	bucket := s.visitor().With("Content-Type", form.FormDataContentType())
	bucket.BaseURL = ""
	bucket.Post(offer.Text("url"), body.String()).WantStatus(http.StatusNoContent)
	return offer.Text("uploadId")
}

// batch returns a user and a function that starts a batch of the user. The last of its three documents cannot be read.
func (s *service) batch() (u user, send func() response) {
	s.t.Helper()
	u = s.user("user")
	var documents []string
	for i, text := range []string{"Total: 10.50 EUR\n", "Total: 11.50 EUR\n", "\n"} {
		documents = append(documents, fmt.Sprintf(`{"uploadId":%q,"name":"invoice-%d.txt"}`, s.uploadFile(u, text), i))
	}
	body := `{"documents":[` + strings.Join(documents, ",") + `],"variables":{"total":{"type":"number"}}}`
	return u, request(s.as(u.key), http.MethodPost, batchPath, body)
}

// wantResults checks the documents of a batch and its table of results.
func (s *service) wantResults(u user, accepted response) {
	s.t.Helper()
	job := s.finished(u, accepted.WantStatus(http.StatusAccepted).Header.Get("Location")).WantValue("status", "succeeded").
		WantValue("batch.succeeded", 2).WantValue("batch.failed", 1)
	bucket := s.visitor()
	bucket.BaseURL = ""
	table := bucket.Get(job.Text("batch.csvUrl")).WantStatus(http.StatusOK).Body
	for _, want := range []string{"name,uploadId,status,error,total\r\n", "succeeded,,10.5\r\n", "succeeded,,11.5\r\n", "failed,"} {
		if !strings.Contains(string(table), want) {
			s.t.Errorf("the results of a batch lack %q:\n%s", want, table)
		}
	}
}

// startBatch repeats the start of a batch, which returns the job that the first request has started.
func startBatch(s *service) trial {
	u, send := s.batch()
	var jobs []string
	return trial{
		send: func() response {
			accepted := send()
			if accepted.Status == http.StatusAccepted {
				jobs = append(jobs, accepted.Text("id"))
			}
			return accepted
		},
		check: func(last response) {
			if len(jobs) > 1 && jobs[0] != jobs[1] {
				s.t.Errorf("the repeated start of a batch started another job: %q", jobs)
			}
			s.wantResults(u, last)
		},
	}
}

func runBatch(s *service) trial {
	u, start := s.batch()
	var accepted response
	return trial{
		send: func() response {
			accepted = start()
			return accepted
		},
		settle: s.settled("the batch", func() bool {
			s.finished(u, accepted.WantStatus(http.StatusAccepted).Header.Get("Location"))
			return true
		}),
		check: func(last response) { s.wantResults(u, last) },
	}
}
