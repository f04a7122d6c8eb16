package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"portside/shared/core/entitlement"
	"portside/shared/core/parallel"
	"portside/shared/core/recent"
	"portside/shared/images"
	"portside/shared/images/imagesecr"
)

// reachedManifest is a manifest that the caller may fetch.
type reachedManifest struct {
	imagesecr.Response

	isChart bool       // whether the manifest describes a chart
	way     images.Way // how the caller came to it; empty for a caller who may fetch everything
}

// reach returns the target, a manifest. Errors: those that mean "unknown", also for a manifest that the caller may not fetch.
func (g *gateway) reach(ctx context.Context, c call, accept []string) (reachedManifest, error) {
	subject, isAttachment := images.DigestOf(c.target.Reference)
	switch {
	case c.reach.IsEverything():
		return g.fetch(ctx, c, accept)
	case isAttachment:
		return g.reachAttachment(ctx, c, subject, accept)
	case c.target.ByTag():
		return g.reachTag(ctx, c, accept)
	}
	found, err := g.fetch(ctx, c, accept)
	if err != nil {
		return reachedManifest{}, err
	}
	found.way.IsChart = found.isChart
	if !c.reach.HasAllVersions(found.isChart) {
		found.way, err = g.wayToExisting(ctx, c, c.target.Reference)
	}
	return found, err
}

// reachAttachment returns the artifacts under an attachment tag if the caller may fetch the digest to which they belong.
func (g *gateway) reachAttachment(ctx context.Context, c call, subject string, accept []string) (reachedManifest, error) {
	way, err := g.wayTo(ctx, c, subject)
	if err != nil {
		return reachedManifest{}, err
	}
	found, err := g.fetch(ctx, c, accept)
	found.way = way
	return found, err
}

// reachTag does not ask the registry for a tag that the caller may fetch in no case.
func (g *gateway) reachTag(ctx context.Context, c call, accept []string) (reachedManifest, error) {
	if !c.reach.HasTag(c.target.Reference, true) {
		return reachedManifest{}, images.ErrManifestUnknown
	}
	found, err := g.fetch(ctx, c, accept)
	if err == nil && !c.reach.HasTag(c.target.Reference, found.isChart) {
		err = images.ErrManifestUnknown
	}
	found.way = images.Way{Tag: c.target.Reference, IsChart: found.isChart}
	return found, err
}

func (g *gateway) fetch(ctx context.Context, c call, accept []string) (reachedManifest, error) {
	answer, err := g.manifests.Fetch(ctx, c.target, accept)
	_, isChart := images.ChartBlobs(answer.Body)
	return reachedManifest{Response: answer, isChart: isChart}, err
}

// wayTo returns how the caller reaches a digest in the target's repository: because it is a chart and the caller may fetch all of them, by
// a way that the credential has taken, or because a permitted tag leads to it. It does not search for a digest that does not exist. Errors:
// those that mean "unknown".
func (g *gateway) wayTo(ctx context.Context, c call, digest string) (images.Way, error) {
	if c.reach.HasAllVersions(true) {
		isChart, err := g.isChart(ctx, c.target.Repository, digest)
		if isChart || err != nil {
			return images.Way{IsChart: true}, err
		}
	}
	way, isTaken, err := g.takenWay(ctx, c, digest)
	if err != nil || isTaken {
		return way, err
	}
	if _, err := g.isChart(ctx, c.target.Repository, digest); err != nil {
		return images.Way{}, err
	}
	return g.search(ctx, c, digest)
}

// wayToExisting is wayTo for a manifest that exists, and is no chart of which the caller may fetch all.
func (g *gateway) wayToExisting(ctx context.Context, c call, digest string) (images.Way, error) {
	way, isTaken, err := g.takenWay(ctx, c, digest)
	if err != nil || isTaken {
		return way, err
	}
	return g.search(ctx, c, digest)
}

// takenWay returns the way to a digest that the credential has taken, if the caller may still take it.
func (g *gateway) takenWay(ctx context.Context, c call, digest string) (way images.Way, isTaken bool, err error) {
	way, isTaken, err = g.grants.Way(ctx, c.who.CredentialID, c.target.Repository, digest)
	return way, isTaken && c.reach.Has(way), err
}

// Limits of the search for a digest. What a function remembers of it takes at most 10 MB.
const (
	maxSearched  = 200 // tags, the newest first
	searchedOnce = 40  // tags that are read before the next ones
	leadLife     = time.Minute
	maxLeads     = 2_000
	maxTagLists  = 32
)

// search looks for a digest behind the tags of the repository that the caller may fetch. It finds a digest among the newest maxSearched of
// them. It does not search for a caller who may fetch all charts and nothing else, because the tag of a chart leads only to the chart.
func (g *gateway) search(ctx context.Context, c call, digest string) (images.Way, error) {
	if c.reach.IsOnlyCharts() && c.reach.HasAllVersions(true) {
		return images.Way{}, images.ErrManifestUnknown
	}
	tags, err := g.searchedTags(ctx, c)
	if err != nil {
		return images.Way{}, err
	}
	for part := range slices.Chunk(tags, searchedOnce) {
		ways := make([]images.Way, len(part))
		err := parallel.Each(len(part), maxConcurrentCalls, func(i int) error {
			lead, err := g.lead(ctx, c.target.Repository, part[i])
			if err == nil && slices.Contains(lead.digests, digest) && c.reach.HasTag(part[i], lead.isChart) {
				ways[i] = images.Way{Tag: part[i], IsChart: lead.isChart}
			}
			return err
		})
		if err != nil {
			return images.Way{}, err
		}
		if i := slices.IndexFunc(ways, func(w images.Way) bool { return w.Tag != "" }); i >= 0 {
			return ways[i], nil
		}
	}
	return images.Way{}, images.ErrManifestUnknown
}

// searchedTags returns the tags that a search reads. Unknown repositories have none.
func (g *gateway) searchedTags(ctx context.Context, c call) ([]string, error) {
	all, isKept := g.leads.tags.Get(c.target.Repository)
	if !isKept {
		var err error
		if all, err = g.allTags(ctx, c.target.Repository); err != nil && !isUnknown(err) {
			return nil, err
		}
		slices.SortFunc(all, entitlement.NewestFirst) // once, because it takes much longer than a search
		g.leads.tags.Put(c.target.Repository, all)
	}
	var tags []string
	for _, tag := range all {
		if len(tags) < maxSearched && isVisibleTag(c, tag, true) {
			tags = append(tags, tag)
		}
	}
	return tags, nil
}

// leadCache keeps what tags lead to for leadLife, so that a client that asks for digests at random does not burden the registry.
type leadCache struct {
	tags  *recent.Cache[string, []string] // by the repository, the newest first
	leads *recent.Cache[leadKey, lead]
}

type leadKey struct{ repository, tag string }

// lead is what a tag leads to: its manifest, and the manifests in an index. Blobs are not searched for.
type lead struct {
	digests []string
	isChart bool
}

func newLeadCache(now func() time.Time) *leadCache {
	return &leadCache{
		tags:  recent.New[string, []string](maxTagLists, leadLife, now),
		leads: recent.New[leadKey, lead](maxLeads, leadLife, now),
	}
}

// lead returns what a tag leads to. A tag that does not exist any more, or that cannot be read, leads to nothing.
func (g *gateway) lead(ctx context.Context, repository, tag string) (lead, error) {
	key := leadKey{repository, tag}
	if kept, ok := g.leads.leads.Get(key); ok {
		return kept, nil
	}
	target := images.Target{Kind: images.Manifest, Repository: repository, Reference: tag}
	answer, err := g.manifests.Fetch(ctx, target, manifestTypes)
	if err != nil && !isUnknown(err) && !errors.Is(err, images.ErrLarge) {
		return lead{}, err
	}
	var found lead
	if err == nil {
		found.digests = []string{answer.Digest()}
		_, found.isChart = images.ChartBlobs(answer.Body)
		if document, err := images.ParseDocument(answer.Body); err == nil {
			for _, listed := range document.Manifests[:min(len(document.Manifests), maxPartsOfPull)] {
				found.digests = append(found.digests, listed.Digest)
			}
		}
	}
	g.leads.leads.Put(key, found)
	return found, nil
}

// grant stores the way of the caller to everything that a manifest names.
func (g *gateway) grant(ctx context.Context, c call, found reachedManifest) error {
	document, err := images.ParseDocument(found.Body)
	if err != nil {
		return nil //nolint:nilerr // a manifest without parts
	}
	digests := document.References()
	if digest := found.Digest(); images.IsDigest(digest) {
		digests = append(digests, digest)
	}
	return g.grants.add(ctx, images.Grant{CredentialID: c.who.CredentialID, Repository: c.target.Repository, Way: found.way}, digests)
}

// grantLog remembers which grants were stored, because a client asks for the same manifest several times during one pull.
type grantLog struct {
	images.Grants

	stored *recent.Cache[grantKey, images.Way]
}

type grantKey struct{ credential, repository, digest string }

// Limits of what a function remembers about grants. It takes at most 2 MB. Another instance may replace a way, so it is stored again soon.
const (
	maxStoredGrants = 4_000
	storedGrantLife = time.Minute
)

func newGrantLog(grants images.Grants, now func() time.Time) *grantLog {
	return &grantLog{Grants: grants, stored: recent.New[grantKey, images.Way](maxStoredGrants, storedGrantLife, now)}
}

// add stores the way to those digests to which it was not stored just before.
func (l *grantLog) add(ctx context.Context, to images.Grant, digests []string) error {
	digests = slices.DeleteFunc(digests, func(digest string) bool {
		way, isStored := l.stored.Get(grantKey{to.CredentialID, to.Repository, digest})
		return isStored && way == to.Way
	})
	if err := l.Grant(ctx, to, digests); err != nil {
		return err
	}
	for _, digest := range digests {
		l.stored.Put(grantKey{to.CredentialID, to.Repository, digest}, to.Way)
	}
	return nil
}
