package drain_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"portside/local/drain"
)

// refuse answers before it has read the body, or after the first bytes.
func refuse(limit int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
		http.Error(w, "refused", http.StatusRequestEntityTooLarge)
	})
}

// TestClientsGetTheResponsesToLargeBodies refuses bodies that are much larger than what the sockets buffer. The client
// reads the response only after it has sent the whole body, as many clients do.
func TestClientsGetTheResponsesToLargeBodies(t *testing.T) {
	large := bytes.Repeat([]byte("x"), 24<<20)
	for _, limit := range []int64{0, 1 << 20} {
		server := httptest.NewServer(drain.Handler(refuse(limit)))
		t.Cleanup(server.Close)
		for name, body := range map[string]io.Reader{
			"with a length": bytes.NewReader(large), "in chunks": io.MultiReader(bytes.NewReader(large)), "empty": http.NoBody,
		} {
			status, err := post(t, server.Listener.Addr().String(), body)
			if err != nil || status != http.StatusRequestEntityTooLarge {
				t.Errorf("limit %d, %s: %d, %v", limit, name, status, err)
			}
		}
	}
}

// post sends a body, and then reads the response.
func post(t *testing.T, address string, body io.Reader) (status int, err error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address, body)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := r.Write(conn); err != nil {
		return 0, err
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), r)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

// TestClientsThatWaitForPermissionNeedNotSend asks for the permission to send a body, and gets the response instead.
func TestClientsThatWaitForPermissionNeedNotSend(t *testing.T) {
	server := httptest.NewServer(drain.Handler(http.NotFoundHandler()))
	t.Cleanup(server.Close)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	const head = "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n"
	if _, err := io.WriteString(conn, head); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("got %s", response.Status)
	}
}

// TestReadBodiesStayOnTheConnection sends requests whose bodies the handler reads, and which need no other connection.
// On a busy machine, net/http can open a few more.
func TestReadBodiesStayOnTheConnection(t *testing.T) {
	addresses := map[string]bool{}
	server := httptest.NewServer(drain.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		addresses[r.RemoteAddr] = true
		_, _ = io.Copy(w, r.Body)
	})))
	t.Cleanup(server.Close)
	for range 50 {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, bytes.NewReader([]byte("hello")))
		if err != nil {
			t.Fatal(err)
		}
		response, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || string(text) != "hello" {
			t.Errorf("got %q, %v", text, err)
		}
	}
	if len(addresses) > 5 {
		t.Errorf("50 requests came from %d connections, want one", len(addresses))
	}
}
