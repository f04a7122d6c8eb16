package main

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
)

// flood creates and deletes API keys of a user over several connections until the test has finished its calls.
type flood struct {
	stopped atomic.Bool
	created atomic.Int64
	workers sync.WaitGroup
}

// startFlood returns once every connection has created a key.
func (p *fixture) startFlood(userID, key string) *flood {
	const connections = 8
	f := &flood{}
	var started sync.WaitGroup
	started.Add(connections)
	for range connections {
		client := p.withKey(key)
		f.workers.Go(func() { f.run(client, "/v1/users/"+userID+"/api-keys", started.Done) })
	}
	started.Wait()
	return f
}

func (f *flood) run(client webtest.Client, path string, started func()) {
	once := sync.OnceFunc(started)
	defer once()
	for !f.stopped.Load() {
		response := client.Post(path, `{"name":"flood"}`)
		if response.Status == http.StatusCreated {
			f.created.Add(1)
			client.Delete(path + "/" + response.Text("data.id"))
		}
		once()
	}
}

func (f *flood) stop() {
	f.stopped.Store(true)
	f.workers.Wait()
}

// TestAdminStopsAFlood makes calls of an admin while users create and delete keys. Each succeeds. -v prints how long
// they took.
//
//proves:docs/security.md
func TestAdminStopsAFlood(t *testing.T) {
	p := newFixture(t)
	for i := range 3 {
		user, key := p.user(fmt.Sprintf("flood-%d@example.com", i), principal.Manager)
		f := p.startFlood(user.ID, key)
		admin, path, began := p.asAdmin(), "/v1/users/"+user.ID, awstest.RealTime()
		admin.Get("/v1/users").WantStatus(http.StatusOK)
		admin.Put(path, `{"role":"viewer"}`).WantStatus(http.StatusOK)
		admin.Delete(path + "/sessions").WantStatus(http.StatusNoContent)
		switch i {
		case 0:
			admin.Put(path, `{"status":"suspended"}`).WantStatus(http.StatusOK)
		case 1:
			admin.Delete(path).WantStatus(http.StatusNoContent)
		case 2:
			admin.Delete(path + "/credentials").WantStatus(http.StatusNoContent)
			admin.Get(path+"/api-keys").WantStatus(http.StatusOK).WantValue("data.0", nil)
		}
		t.Logf("four calls of the admin took %v together", awstest.RealTime().Sub(began).Round(time.Millisecond))
		p.withKey(key).Get("/v1/users").WantStatus(http.StatusUnauthorized)
		f.stop()
		if f.created.Load() == 0 {
			t.Error("the flood created no key")
		}
	}
	p.asAdmin().Get("/v1/users?role=viewer").WantStatus(http.StatusOK)
}

// TestDailyKeyQuota creates and deletes keys until the quota of the day is used up, also with keys that other keys have
// created.
//
//proves:docs/security.md
func TestDailyKeyQuota(t *testing.T) {
	p := newFixture(t)
	user, first := p.user("ada@example.com", principal.Viewer)
	path, key := "/v1/users/"+user.ID+"/api-keys", first
	for range credentials.MaxDaily - 1 { // the fixture has created one
		made := p.withKey(first).Post(path, `{"name":"next"}`).WantStatus(http.StatusCreated)
		if key != first {
			p.withKey(key).Delete(path + "/" + keyID(t, key)).WantStatus(http.StatusNoContent)
		}
		key = made.Text("data.key")
	}
	p.withKey(key).Post(path, `{"name":"next"}`).WantStatus(http.StatusTooManyRequests).
		WantValue("code", "QUOTA_EXCEEDED").
		WantHeader("Retry-After", "54000") // 09:00 to midnight
	p.asAdmin().Post(path, `{"name":"next"}`).WantStatus(http.StatusTooManyRequests)
	p.clock.Advance(15 * time.Hour)
	p.withKey(key).Post(path, `{"name":"next"}`).WantStatus(http.StatusCreated)
}
