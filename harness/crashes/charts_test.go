package crashes

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// chartFlows returns the flows of charts and their pulls.
func chartFlows() []flow {
	return []flow{
		{"publish a chart", []string{"IndexChartsFunction"}, publishChart},
		{"delete a chart", []string{"IndexChartsFunction"}, deleteChart},
		{"record a pull", []string{"RecordPullsFunction"}, recordPull},
		{"count a pull", []string{"CountPullsFunction"}, countPull},
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
	s.people++
	return fmt.Sprintf("buoy%d", s.people)
}

func publishChart(s *service) trial {
	name := s.chartName()
	return trial{
		send:   func() response { return s.upload(name, "1.0.0") },
		settle: s.settled("the chart "+name, func() bool { return s.status(name, "1.0.0") == http.StatusOK }),
		check: func(response) {
			s.admin().Get("/v1/charts/"+name).WantStatus(http.StatusOK).WantValue("data.0.version", "1.0.0").WantValue("data.1", nil)
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

func deleteChart(s *service) trial {
	name := s.published()
	return trial{
		send: func() response {
			_, err := s.objects().DeleteObject(s.t.Context(), &s3.DeleteObjectInput{
				Bucket: aws.String(s.info.Buckets["ChartsBucket"]), Key: aws.String("charts/" + name + "-1.0.0.tgz"),
			})
			if err != nil {
				s.t.Fatal(err)
			}
			return response{Method: "DELETE", Target: name, Status: http.StatusOK}
		},
		settle: s.settled("the end of the chart "+name, func() bool { return s.status(name, "1.0.0") == http.StatusNotFound }),
		check:  func(response) { s.admin().Get("/v1/charts/" + name).WantStatus(http.StatusNotFound) },
	}
}

// pull pulls a chart with a new token, and returns the owner and the path of the token's pulls.
func (s *service) pull(name string) (send func() response, owner user, pulls string) {
	s.t.Helper()
	owner, token, id := s.token()
	authorization := "Basic " + base64.StdEncoding.EncodeToString([]byte("any:"+token))
	send = request(s.visitor().With("Authorization", authorization), http.MethodGet, "/charts/"+name+"-1.0.0.tgz", "")
	return send, owner, "/api/v1/pulls?token=" + id
}

// hasPull reports whether a pull is recorded.
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

func countPull(s *service) trial {
	send, owner, pulls := s.pull(s.pullable())
	s.killer.watch(point{}, "RecordPullsFunction")
	send().WantStatus(http.StatusFound)
	s.settled("the pull", s.hasPull(owner, pulls))() // the list shows a pull before it can be counted
	return trial{
		send: s.invoke("CountPullsFunction", "countpulls/schedule.json"),
		check: func(last response) {
			s.wantDone(last)
			listed := s.admin().Get("/api/v1/pulls?limit=100&repository=" + s.pulled).WantStatus(http.StatusOK)
			all := len(listed.List("data")) // the newest first; the flows may run over midnight
			day := func(i int) string { return listed.Text(fmt.Sprintf("data.%d.at", i))[:len(time.DateOnly)] }
			s.admin().Get("/v1/analytics/pulls?by=artifact&period=custom&startDate="+day(all-1)+"&endDate="+day(0)).WantStatus(http.StatusOK).
				WantValue("data.entries.0.repository", s.pulled).WantValue("data.entries.0.pulls", all)
		},
	}
}
