package faults

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// letter is an accepted mail.
type letter struct{ to, text string }

// post has the mails of one run.
type post struct {
	mu      sync.Mutex
	letters []letter
}

// receive passes a request on to SES and keeps the mail that SES accepts.
func (p *post) receive(w http.ResponseWriter, r *http.Request, api http.Handler) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, r)
	var in struct {
		Destination struct{ ToAddresses []string }
		Content     struct {
			Simple struct {
				Body struct{ Text struct{ Data string } }
			}
		}
	}
	if err := json.Unmarshal(body, &in); err == nil && answer.Code == http.StatusOK {
		p.mu.Lock()
		p.letters = append(p.letters, letter{in.Destination.ToAddresses[0], in.Content.Simple.Body.Text.Data})
		p.mu.Unlock()
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// last returns the newest mail to an address, or "" if there is none.
func (p *post) last(to string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range slices.Backward(p.letters) {
		if l.to == to {
			return l.text
		}
	}
	return ""
}

// count returns the number of mails to an address.
func (p *post) count(to string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.letters {
		if l.to == to {
			n++
		}
	}
	return n
}

// token returns the word after a path in a mail.
func token(text, path string) string {
	_, rest, found := strings.Cut(text, path)
	if words := strings.Fields(rest); found && len(words) > 0 {
		return words[0]
	}
	return ""
}
