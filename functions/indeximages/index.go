package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"portside/shared/images"
	"portside/shared/images/imagesecr"
)

// event is an event of Amazon ECR (docs.aws.amazon.com/AmazonECR, "ECR Image Action") or of the schedule, whose detail
// is a text.
type event struct {
	Detail json.RawMessage `json:"detail"`
}

// action is the detail of an event of Amazon ECR.
type action struct {
	Repository string `json:"repository-name"`
	Digest     string `json:"image-digest"`
	Tag        string `json:"image-tag"`
}

type handler struct {
	indexer  images.Indexer
	registry *imagesecr.Registry
	now      func() time.Time
}

// handle reads the current state from the registry, so events may be repeated, late and in any order.
func (h handler) handle(ctx context.Context, e event) error {
	var d action
	if json.Unmarshal(e.Detail, &d) != nil || d.Repository == "" {
		return h.indexEverything(ctx)
	}
	switch {
	case !images.IsRepository(d.Repository):
		return fmt.Errorf("the event names the repository %q", d.Repository)
	case !h.registry.Offers(d.Repository):
		return nil // the events of ECR are about all repositories of the account
	case images.IsTag(d.Tag):
		return h.indexer.Index(ctx, d.Repository, d.Tag)
	case images.IsDigest(d.Digest):
		return h.indexDigest(ctx, d.Repository, d.Digest)
	default:
		return h.indexRepository(ctx, d.Repository)
	}
}

// indexDigest indexes a manifest that was pushed or deleted without a tag. A deleted manifest may have had tags, so
// then all tags of the repository are indexed.
func (h handler) indexDigest(ctx context.Context, repository, digest string) error {
	_, err := h.registry.Fetch(ctx, imagesecr.Request{
		Method: http.MethodHead, Accept: imagesecr.ManifestTypes,
		Target: images.Target{Kind: images.Manifest, Repository: repository, Reference: digest},
	})
	if images.IsUnknown(err) {
		return h.indexRepository(ctx, repository)
	}
	if err != nil {
		return err
	}
	return h.indexer.IndexDigest(ctx, repository, digest)
}

func (h handler) indexRepository(ctx context.Context, repository string) error {
	tags, err := imagesecr.All(ctx, maxPages, func(ctx context.Context, at url.Values) ([]string, url.Values, error) {
		return h.registry.Tags(ctx, repository, at)
	})
	if err != nil && !images.IsUnknown(err) {
		return err
	}
	return h.indexer.IndexAll(ctx, repository, tags)
}

// reserve is the time that indexEverything keeps for its last repository.
const reserve = 3 * time.Minute

const secondsPerDay = 24 * 60 * 60

// indexEverything indexes all repositories. It starts with another repository each day, so that it reaches all of them
// even if one run has not enough time. A repository for which the index is full does not stop the run.
func (h handler) indexEverything(ctx context.Context) error {
	repositories, err := imagesecr.All(ctx, maxPages, h.registry.Repositories)
	if err != nil {
		return err
	}
	if len(repositories) > 0 {
		first := int(h.now().Unix()/secondsPerDay) % len(repositories)
		repositories = slices.Concat(repositories[first:], repositories[:first])
	}
	var full error
	for i, repository := range repositories {
		if end, isLimited := ctx.Deadline(); isLimited && time.Until(end) < reserve {
			slog.WarnContext(ctx, "not enough time to index all repositories", "indexed", i, "repositories", len(repositories))
			return full
		}
		err := h.indexRepository(ctx, repository)
		if errors.Is(err, images.ErrIndexFull) {
			full = errors.Join(full, err)
			continue
		}
		if err != nil {
			return fmt.Errorf("index %s: %w", repository, err)
		}
	}
	slog.InfoContext(ctx, "indexed all repositories", "repositories", len(repositories))
	return full
}

// maxPages is the largest number of pages of a list that are read: a million names.
const maxPages = 1_000
