package smoketest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// orError returns the error, or one with the text.
func orError(err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	return fmt.Errorf(format, args...)
}

// checkRegistryBase checks the path with which clients of registries begin, and that its answer tells them how to log
// in.
func (s *trial) checkRegistryBase(ctx context.Context) (string, error) {
	_, header, err := s.api.send(ctx, request{method: http.MethodGet, path: "/v2/", want: http.StatusUnauthorized})
	if err != nil {
		return "", err
	}
	if header.Get("WWW-Authenticate") == "" {
		return "", errors.New("GET /v2/ answered 401 without WWW-Authenticate, so clients do not log in")
	}
	_, _, err = s.api.send(ctx, request{http.MethodGet, "/v2/", nil, s.withToken(), http.StatusOK})
	return "/v2/ asks for a login and accepts a token", err
}

// mostCatalogPages is more than the pages of a registry with a hundred thousand repositories.
const mostCatalogPages = 200

// catalogOf returns the repositories in the catalog of the registry that a token sees.
func (s *trial) catalogOf(ctx context.Context, token string) (names []string, err error) {
	header := map[string]string{"Authorization": "Bearer " + token}
	path := "/v2/_catalog?n=1000"
	for range mostCatalogPages {
		body, answer, err := s.api.send(ctx, request{http.MethodGet, path, nil, header, http.StatusOK})
		if err != nil {
			return nil, err
		}
		var page struct{ Repositories []string }
		if err := json.Unmarshal(body, &page); err != nil {
			return nil, fmt.Errorf("%s answered no JSON: %w", path, err)
		}
		names = append(names, page.Repositories...)
		link, _, hasNext := strings.Cut(strings.TrimPrefix(answer.Get("Link"), "<"), ">")
		if !hasNext {
			return names, nil
		}
		path = link
	}
	return nil, fmt.Errorf("the catalog has more than %d pages", mostCatalogPages)
}

// checkCatalog checks the catalog of an admin, which has the repository, and of the customer, which has nothing else.
func (s *trial) checkCatalog(ctx context.Context) (string, error) {
	token, err := s.createToken(ctx, s.signed(), `"read:docker-images"`)
	if err != nil {
		return "", err
	}
	all, err := s.catalogOf(ctx, token)
	if err != nil {
		return "", fmt.Errorf("as an admin: %w", err)
	}
	if !slices.Contains(all, s.repository) {
		return "", fmt.Errorf("as an admin: the catalog of %d repositories lacks %s", len(all), s.repository)
	}
	own, err := s.catalogOf(ctx, s.customerToken)
	if err != nil {
		return "", fmt.Errorf("as a customer: %w", err)
	}
	if !slices.Equal(own, []string{s.repository}) {
		return "", fmt.Errorf("as a customer: the catalog has %q instead of only %s", own, s.repository)
	}
	return fmt.Sprintf("of %d repositories, the customer sees only %s", len(all), s.repository), nil
}

// checkImageList checks the list of images of the portal, for the same callers as the catalog.
func (s *trial) checkImageList(ctx context.Context) (string, error) {
	all, err := s.imagesOf(ctx, s.signed())
	if err != nil || !slices.Contains(all, s.repository) {
		return "", orError(err, "as an admin: the list %q lacks %s", all, s.repository)
	}
	own, err := s.imagesOf(ctx, s.asMember())
	if err != nil || !slices.Equal(own, []string{s.repository}) {
		return "", orError(err, "as a customer: the list has %q instead of only %s", own, s.repository)
	}
	return "an admin sees " + s.repository + ", the customer sees nothing else", nil
}

// imagesOf returns the repositories whose names contain the name of the probe's.
func (s *trial) imagesOf(ctx context.Context, header map[string]string) (names []string, err error) {
	cursor := ""
	for range mostCatalogPages {
		var page struct {
			Data       []struct{ Repository string }
			Pagination struct{ Next string }
		}
		path := "/v1/images?limit=100&q=" + url.QueryEscape(s.repository) + cursor
		if err := s.api.sendAndDecode(ctx, request{http.MethodGet, path, nil, header, http.StatusOK}, &page); err != nil {
			return nil, err
		}
		for _, image := range page.Data {
			names = append(names, image.Repository)
		}
		if page.Pagination.Next == "" {
			return names, nil
		}
		cursor = "&cursor=" + url.QueryEscape(page.Pagination.Next)
	}
	return nil, fmt.Errorf("the list of images has more than %d pages", mostCatalogPages)
}

// checkHeads checks what `curl -I -L` shows of a manifest and a layer. Clients plan downloads with the length.
func (s *trial) checkHeads(ctx context.Context) (string, error) {
	for path, content := range map[string][]byte{
		s.imagePath("manifests", s.probe.manifest): s.probe.manifest, s.imagePath("blobs", s.probe.layer): s.probe.layer,
	} {
		_, header, err := s.api.send(ctx, request{http.MethodHead, path, nil, s.withToken(), http.StatusOK})
		if err != nil {
			return "", err
		}
		if got, want := header.Get("Content-Length"), strconv.Itoa(len(content)); got != want {
			return "", fmt.Errorf("HEAD %s has the Content-Length %q instead of %s", path, got, want)
		}
		if strings.Contains(path, "/manifests/") && header.Get("Docker-Content-Digest") != digestOf(content) {
			return "", fmt.Errorf("HEAD %s has the Docker-Content-Digest %q", path, header.Get("Docker-Content-Digest"))
		}
	}
	return "HEAD of a manifest and of a layer has their lengths", nil
}

// encodedPaths are paths with the status that each must get. docs/api.md has the rules: the gateway decodes a path
// once, and an encoded question mark ends it. A user ID that is one part of a path gets a 400, because it is no UUID;
// two parts belong to no operation.
var encodedPaths = []struct {
	path string
	want int
}{
	{"/v1%2Fhealth", http.StatusOK}, {"/v1/health%3Fx", http.StatusOK},
	{"/v1/users/a%2Fb", http.StatusNotFound}, {"/v1/users/a%252Fb", http.StatusBadRequest}, {"/v1/users/100%25", http.StatusBadRequest},
}

// plusVersion is a version of the probe chart with a plus sign.
const plusVersion = "0.0.2+probe"

// checkPaths requests paths with encoded characters, and a chart whose version has a plus sign.
func (s *trial) checkPaths(ctx context.Context) (string, error) {
	for _, q := range encodedPaths {
		if _, _, err := s.api.send(ctx, request{http.MethodGet, q.path, nil, s.signed(), q.want}); err != nil {
			return "", err
		}
	}
	err := s.withChart(ctx, plusVersion, func(archive []byte) error {
		for _, path := range []string{s.chartFile(plusVersion), strings.ReplaceAll(s.chartFile(plusVersion), "+", "%2B")} {
			pulled, err := s.pullChart(ctx, "/charts/"+path)
			if err != nil || !bytes.Equal(pulled, archive) {
				return orError(err, "the archive under /charts/%s differs from the published one", path)
			}
		}
		return nil
	})
	return "%2F, %252F, %25, %3F, + and %2B mean what docs/api.md says", err
}

// checkMail invites a user, and checks that SES has accepted the mail.
func (s *trial) checkMail(ctx context.Context) (string, error) {
	to := cmp.Or(s.mailTo, s.names.probe)
	body, err := json.Marshal(map[string]string{"email": to, "name": "Smoke test", "role": "viewer", "customerId": s.customerID})
	if err != nil {
		return "", err
	}
	var created struct{ Data struct{ ID string } }
	if err := s.api.sendAndDecode(ctx, request{http.MethodPost, "/v1/users", body, s.signed(), http.StatusCreated}, &created); err != nil {
		if taken, isStatus := errors.AsType[*statusError](err); isStatus && taken.status == http.StatusConflict {
			err = adviceError{err, "pass an address that no user has with --mail-to, such as ada+portside@example.com"}
		}
		return "", err
	}
	var invitation struct{ Data struct{ Status string } }
	path := "/v1/users/" + created.Data.ID + "/invitation"
	if err := s.api.sendAndDecode(ctx, request{http.MethodGet, path, nil, s.signed(), http.StatusOK}, &invitation); err != nil {
		return "", err
	}
	if status := invitation.Data.Status; status != "sent" {
		return "", fmt.Errorf("the mail to %s has the status %s instead of sent: SES has not accepted it", to, status)
	}
	return "SES has accepted the mail to " + to + "; its link does not work, because the user is removed", nil
}

// checkOldAddress checks that API Gateway does not answer under its own address, behind which AWS WAF would not see a
// request.
func (s *trial) checkOldAddress(ctx context.Context) (string, error) {
	if s.executeAPI == "" {
		return "", skippedStep("not tried, because the service has no domain; EXECUTE_API_URL or --execute-api names the address")
	}
	_, _, err := newClient(s.executeAPI).send(ctx, request{method: http.MethodGet, path: "/v1/health", want: http.StatusNotFound})
	if refused, isStatus := errors.AsType[*statusError](err); isStatus && refused.status == http.StatusForbidden {
		err = nil
	}
	return s.executeAPI + " refuses requests", err
}

// checkPullLog waits until the pull of the probe chart is in the pull log.
func (s *trial) checkPullLog(ctx context.Context) (string, error) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		var page struct{ Data []struct{ Repository string } }
		path := "/api/v1/pulls?kind=chart&userId=" + s.admin.ID
		if err := s.api.sendAndDecode(ctx, request{http.MethodGet, path, nil, s.signed(), http.StatusOK}, &page); err != nil {
			return "", err
		}
		if len(page.Data) > 0 {
			return "has the pull of " + page.Data[0].Repository, nil
		}
		select {
		case <-ctx.Done():
			return "", errors.New("the pull of the chart is not in the pull log")
		case <-tick.C:
		}
	}
}

// checkHosts names the hosts to which clients connect: those of this test's downloads, and those to which the portal
// uploads files.
func (s *trial) checkHosts(ctx context.Context) (string, error) {
	hosts := maps.Clone(s.api.hosts)
	_, header, err := s.api.send(ctx, request{method: http.MethodGet, path: "/portal/sign-in", want: http.StatusOK})
	if err != nil {
		return "", err
	}
	uploads := 0
	for directive := range strings.SplitSeq(header.Get("Content-Security-Policy"), ";") {
		name, sources, _ := strings.Cut(strings.TrimSpace(directive), " ")
		for source := range strings.FieldsSeq(sources) {
			if host := hostOf(source); name == "connect-src" && host != "" {
				hosts[host] = true
				uploads++
			}
		}
	}
	if uploads == 0 {
		return "", errors.New("the header Content-Security-Policy of the portal names no host for uploads")
	}
	return "customers must allow " + strings.Join(slices.Sorted(maps.Keys(hosts)), ", "), nil
}

// hostOf returns the host of an address, with its port if it names one. It returns nothing for other texts.
func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Host
}
