package smoketest

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"portside/cmd/portside/chain"
	"portside/shared/credentials"
)

const extractionBody = `{"text": "Invoice number: INV-7\nDue date: 3 March 2026", "variables": {"due_date": {"type": "date"}}}`

func (s *trial) signed() map[string]string { return map[string]string{"X-API-Key": s.key.Reveal()} }

func (s *trial) withToken() map[string]string {
	return map[string]string{"Authorization": "Bearer " + s.token}
}

func (s *trial) checkHealth(ctx context.Context) (string, error) {
	var health struct{ Version, Commit string }
	if err := s.api.sendAndDecode(ctx, request{method: http.MethodGet, path: "/v1/health", want: http.StatusOK}, &health); err != nil {
		return "", err
	}
	if s.commit != "" && health.Commit != s.commit {
		return "", fmt.Errorf("the service runs the commit %s instead of %s", health.Commit, s.commit)
	}
	return "release " + health.Version + ", commit " + health.Commit, nil
}

func (s *trial) checkLogin(ctx context.Context) (string, error) {
	wrong := map[string]string{"X-API-Key": credentials.Mint(credentials.APIKey).Reveal()}
	if _, _, err := s.api.send(ctx, request{http.MethodGet, "/v1/users?limit=1", nil, wrong, http.StatusUnauthorized}); err != nil {
		return "", err
	}
	if _, _, err := s.api.send(ctx, request{http.MethodGet, "/v1/users?limit=1", nil, s.signed(), http.StatusOK}); err != nil {
		return "", err
	}
	return "a wrong key is refused, a right one is accepted", nil
}

// checkUser creates a user. The service sends an invitation by mail, except in the first hour, when the step for mails
// checks that.
func (s *trial) checkUser(ctx context.Context) (string, error) {
	var created struct{ Data struct{ ID, Email string } }
	body := fmt.Appendf(nil, `{"email": %q, "name": "Smoke test", "role": "viewer", "sendActivationEmail": %t}`, s.names.probe, !s.isFirstHour)
	if err := s.api.sendAndDecode(ctx, request{http.MethodPost, "/v1/users", body, s.signed(), http.StatusCreated}, &created); err != nil {
		return "", err
	}
	path, read := "/v1/users/"+created.Data.ID, created
	if err := s.api.sendAndDecode(ctx, request{http.MethodGet, path, nil, s.signed(), http.StatusOK}, &read); err != nil {
		return "", err
	}
	if read != created {
		return "", fmt.Errorf("GET %s returned the user %s", path, read.Data.ID)
	}
	if _, _, err := s.api.send(ctx, request{http.MethodDelete, path, nil, s.signed(), http.StatusNoContent}); err != nil {
		return "", err
	}
	return "created, read, deleted", nil
}

func (s *trial) checkToken(ctx context.Context) (result string, err error) {
	s.token, err = s.createToken(ctx, s.signed(), s.scopes())
	return "created", err
}

// createToken creates a token with the scopes of scopes.
func (s *trial) createToken(ctx context.Context, header map[string]string, scopes string) (string, error) {
	var created struct{ Data struct{ Token string } }
	body := fmt.Appendf(nil, `{"name": "smoke test", "scopes": [%s], "expiration_days": 1}`, scopes)
	err := s.api.sendAndDecode(ctx, request{http.MethodPost, "/api/v1/tokens", body, header, http.StatusCreated}, &created)
	return created.Data.Token, err
}

// scopes returns the elements of a JSON array: the scopes for the probe chart and, if images are tried, the probe
// image.
func (s *trial) scopes() string {
	scopes := `"read:helm-charts:` + s.names.chart + `"`
	if s.repository != "" {
		scopes += `, "read:docker-images:` + s.repository + `"`
	}
	return scopes
}

func (s *trial) checkExtraction(ctx context.Context) (string, error) {
	const path = "/v1/capabilities/extract"
	body, _, err := s.api.send(ctx, request{http.MethodPost, path, []byte(extractionBody), s.signed(), http.StatusOK})
	if err != nil {
		return "", err
	}
	if !strings.Contains(string(body), "2026-03-03") {
		return "", fmt.Errorf("the date is missing in the answer %s", body)
	}
	return "a date was found in a text", nil
}

// checkAuditLog checks that the audit log is sealed, and still has the head of the last test. It stores the new head
// for the next test.
func (s *trial) checkAuditLog(ctx context.Context) (string, error) {
	if bucket, _ := s.Lookup("AUDIT_BUCKET"); bucket == "" && s.Stack.Buckets["AuditBucket"] == "" && s.headFile == "" {
		return "", skippedStep("not checked, because AUDIT_BUCKET names no bucket")
	}
	kept, err := chain.ReadHead(s.headFile)
	if err != nil {
		return "", err
	}
	verifier, err := chain.Verifier(s.Tables, s.Process)
	if err != nil {
		return "", err
	}
	report, err := verifier.VerifyEnd(ctx, kept)
	if err != nil {
		return "", err
	}
	if found := report.Finding; found != nil {
		return "", fmt.Errorf("the object %s was %s: %s; run portside verify-audit", found.Object, found.Problem, found.Detail)
	}
	if err := chain.Staleness(report); err != nil {
		return "", err
	}
	if report.Objects == 0 {
		return "", skippedStep("nothing is sealed yet: the first object appears 25 minutes after the end of the first hour")
	}
	return chain.SealedUntil(report) + "; the head is " + report.Newest.Head().String(), chain.WriteHead(s.headFile, report.Newest)
}
