package crashes

import (
	"fmt"
	"net/http"
)

// projectFlows returns the flows of projects.
func projectFlows() []flow {
	projects := []string{"ProjectsFunction"}
	return []flow{
		{"create a project", projects, createProject},
		{"change a project", projects, changeProject},
		{"delete a project", projects, deleteProject},
	}
}

// wantProjects checks the number of projects that a user owns.
func (s *service) wantProjects(owner user, want int) {
	s.t.Helper()
	listed := s.as(owner.key).Get("/v1/projects?limit=100").WantStatus(http.StatusOK).WantValue("pagination.hasMore", false)
	got := 0
	for i := range listed.List("data") {
		if "/v1/users/"+listed.Text(fmt.Sprintf("data.%d.ownerId", i)) == owner.at {
			got++
		}
	}
	if got != want {
		s.t.Errorf("%d projects of %s, want %d", got, owner.at, want)
	}
}

func createProject(s *service) trial {
	owner := s.user("manager")
	body := fmt.Sprintf(`{"name":"Harbour %d"}`, s.people)
	return trial{
		send: request(s.as(owner.key).With("Idempotency-Key", s.key()), http.MethodPost, "/v1/projects", body),
		check: func(last response) {
			at := last.WantStatus(http.StatusCreated).Header.Get("Location")
			s.as(owner.key).Get(at).WantStatus(http.StatusOK).WantValue("data", last.JSON("data"))
			s.wantProjects(owner, 1)
		},
	}
}

// project returns a user with a project, and the project's path.
func (s *service) project() (owner user, at string) {
	s.t.Helper()
	owner = s.user("manager")
	made := s.as(owner.key).Post("/v1/projects", fmt.Sprintf(`{"name":"Harbour %d"}`, s.people)).WantStatus(http.StatusCreated)
	return owner, made.Header.Get("Location")
}

func changeProject(s *service) trial {
	owner, at := s.project()
	return trial{
		send: request(s.as(owner.key), http.MethodPut, at, `{"description":"quays","status":"archived"}`),
		check: func(last response) {
			last.WantStatus(http.StatusOK)
			s.as(owner.key).Get(at).WantStatus(http.StatusOK).WantValue("data", last.JSON("data")).WantHeader("ETag", `"2"`).
				WantValue("data.description", "quays")
			s.wantProjects(owner, 1)
		},
	}
}

func deleteProject(s *service) trial {
	owner, at := s.project()
	return trial{
		send: request(s.as(owner.key), http.MethodDelete, at, ""),
		check: func(last response) {
			if last.Status != http.StatusNotFound {
				last.WantStatus(http.StatusNoContent)
			}
			s.as(owner.key).Get(at).WantStatus(http.StatusNotFound)
			s.wantProjects(owner, 0)
		},
	}
}
