package medias3_test

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"portside/shared/core/idempotency"
	"portside/shared/media"
	"portside/shared/media/medias3"
)

const offerBytes = 1 << 20

// offer makes an offer of a file with offerBytes to Ada.
func (c *testStore) offer(t *testing.T, once *idempotency.Key) medias3.Offer {
	t.Helper()
	offer, err := c.Offer(t.Context(), ada, offerBytes, once)
	if err != nil {
		t.Fatal(err)
	}
	return offer
}

func TestRepeatedOfferIsTheSame(t *testing.T) {
	c := newTestStore(t)
	once := idempotency.NewKey(ada, "c0ffee", offerBytes)
	first := c.offer(t, once)
	c.advance = medias3.OfferLifetime - time.Minute
	again := c.offer(t, once)
	if first.Replayed || !again.Replayed || again.ID != first.ID || !again.ExpiresAt.Equal(first.ExpiresAt) {
		t.Fatalf("the repeated offer is %+v, want %+v", again, first)
	}
	if status := post(t, again, "a recording"); status != http.StatusNoContent {
		t.Fatalf("status %d", status)
	}
	if afterwards := c.offer(t, once); afterwards.ID != first.ID {
		t.Error("a request that was repeated after the post of the file has another offer")
	}
	if other := c.offer(t, idempotency.NewKey(ada, "another", offerBytes)); other.Replayed || other.ID == first.ID {
		t.Error("another key has the same offer")
	}
	if others, err := c.Offer(t.Context(), bob, offerBytes, idempotency.NewKey(bob, "c0ffee", offerBytes)); err != nil || others.Replayed {
		t.Errorf("another owner's offer with the same key: replayed %v, %v", others.Replayed, err)
	}
	_, err := c.Offer(t.Context(), ada, 2*offerBytes, idempotency.NewKey(ada, "c0ffee", 2*offerBytes))
	if !errors.Is(err, idempotency.ErrReused) {
		t.Errorf("the key with another limit: %v, want ErrReused", err)
	}
}

// A key makes a new offer when its offer has expired: at once, after the record has expired, and when its bucket has no
// record any more.
func TestExpiredOfferIsNotRepeated(t *testing.T) {
	c := newTestStore(t)
	once := idempotency.NewKey(ada, "c0ffee", offerBytes)
	seen := map[string]bool{c.offer(t, once).ID: true}
	for _, later := range []time.Duration{medias3.OfferLifetime, media.Retention + time.Hour} {
		c.advance += later
		offer := c.offer(t, once)
		if seen[offer.ID] || offer.Replayed {
			t.Errorf("%s later: the same offer", later)
		}
		seen[offer.ID] = true
		if again := c.offer(t, once); again.ID != offer.ID || !again.Replayed {
			t.Errorf("%s later: the new offer is not repeated", later)
		}
	}
}

// More repetitions than there are forms take one form, also if they arrive at the same time.
func TestRepeatedOffersTakeOneForm(t *testing.T) {
	c := newTestStore(t)
	once := idempotency.NewKey(ada, "c0ffee", offerBytes)
	var mu sync.Mutex
	ids, created := map[string]bool{}, 0
	var requests sync.WaitGroup
	for range 2 * medias3.MaxOpenForms {
		requests.Go(func() {
			offer, err := c.Offer(t.Context(), ada, offerBytes, once)
			if errors.Is(err, medias3.ErrUnavailable) { // S3 could not order two writes
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			ids[offer.ID] = true
			if !offer.Replayed {
				created++
			}
		})
	}
	requests.Wait()
	if len(ids) != 1 || created > 1 {
		t.Errorf("%d offers, of which %d say that they are new", len(ids), created)
	}
	if others := c.offers(t, ada, medias3.ErrTooManyForms); len(others) != medias3.MaxOpenForms-1 {
		t.Errorf("%d forms are left, want %d", len(others), medias3.MaxOpenForms-1)
	}
}

// A request that the quota refuses does not get past it when it is repeated.
func TestRepeatedOfferKeepsTheQuota(t *testing.T) {
	c := newTestStore(t)
	once := idempotency.NewKey(ada, "c0ffee", offerBytes)
	others := c.offers(t, ada, medias3.ErrTooManyForms)
	for range 2 {
		if _, err := c.Offer(t.Context(), ada, offerBytes, once); !errors.Is(err, medias3.ErrTooManyForms) {
			t.Fatalf("error %v, want ErrTooManyForms", err)
		}
	}
	if status := post(t, others[0], "a recording"); status != http.StatusNoContent {
		t.Fatalf("status %d", status)
	}
	c.offer(t, once)
}

// A client that waits for a free form gets the whole lifetime of the offer.
func TestRefusedOfferDoesNotAge(t *testing.T) {
	c := newTestStore(t)
	once := idempotency.NewKey(ada, "c0ffee", offerBytes)
	others := c.offers(t, ada, medias3.ErrTooManyForms)
	if _, err := c.Offer(t.Context(), ada, offerBytes, once); !errors.Is(err, medias3.ErrTooManyForms) {
		t.Fatalf("error %v, want ErrTooManyForms", err)
	}
	c.advance = medias3.OfferLifetime - time.Minute
	if status := post(t, others[0], "a recording"); status != http.StatusNoContent {
		t.Fatalf("status %d", status)
	}
	offer := c.offer(t, once)
	if age := others[0].ExpiresAt.Add(c.advance).Sub(offer.ExpiresAt); offer.Replayed || age > 0 {
		t.Errorf("the offer ends %s too early, replayed: %v", age, offer.Replayed)
	}
}

// Requests that pass the check at the same moment as others, and then get no form, leave no record that ages.
func TestConcurrentlyRefusedOffersDoNotAge(t *testing.T) {
	c := newTestStore(t)
	others := c.offers(t, ada, medias3.ErrTooManyForms)
	if status := post(t, others[0], "a recording"); status != http.StatusNoContent {
		t.Fatalf("status %d", status)
	}
	var refused [8]*idempotency.Key
	var requests sync.WaitGroup
	for i := range refused {
		requests.Go(func() {
			once := idempotency.NewKey(ada, fmt.Sprint("key ", i), offerBytes)
			if _, err := c.Offer(t.Context(), ada, offerBytes, once); errors.Is(err, medias3.ErrTooManyForms) {
				refused[i] = once
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	requests.Wait()
	c.advance = medias3.OfferLifetime - time.Minute
	if status := post(t, others[1], "a recording"); status != http.StatusNoContent {
		t.Fatalf("status %d", status)
	}
	for _, once := range refused {
		if once == nil {
			continue
		}
		offer := c.offer(t, once)
		if offer.Replayed || offer.ExpiresAt.Before(others[0].ExpiresAt.Add(c.advance)) {
			t.Errorf("the offer ends at %s, replayed: %v", offer.ExpiresAt, offer.Replayed)
		}
		break // it takes the only free form
	}
}

func TestUploadStatus(t *testing.T) {
	c := newTestStore(t)
	offer := c.offer(t, nil)
	waiting, err := c.Upload(t.Context(), ada, offer.ID)
	if err != nil || waiting.Size != 0 || !waiting.UploadedAt.IsZero() || !waiting.ExpiresAt.Equal(offer.ExpiresAt) {
		t.Errorf("before the post: %+v, %v", waiting, err)
	}
	if status := post(t, offer, "a recording"); status != http.StatusNoContent {
		t.Fatalf("status %d", status)
	}
	uploaded, err := c.Upload(t.Context(), ada, offer.ID)
	if err != nil || uploaded.Size != 11 || !uploaded.ExpiresAt.Equal(uploaded.UploadedAt.Add(media.Retention)) {
		t.Errorf("after the post: %+v, %v", uploaded, err)
	}
	neverOffered := medias3.NewOfferID(offerBytes, offer.ExpiresAt.Add(-time.Minute)).String()
	for name, other := range map[string]struct{ owner, id string }{
		"another owner": {bob, offer.ID}, "never offered": {ada, neverOffered}, "no ID": {ada, "../x"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := c.Upload(t.Context(), other.owner, other.id); !errors.Is(err, medias3.ErrNoUpload) {
				t.Errorf("%v, want ErrNoUpload", err)
			}
		})
	}
	unused := c.offer(t, nil)
	c.advance = medias3.OfferLifetime
	if _, err := c.Upload(t.Context(), ada, unused.ID); !errors.Is(err, medias3.ErrNoUpload) {
		t.Errorf("an offer that has expired: %v, want ErrNoUpload", err)
	}
	c.advance = media.Retention + time.Second
	if _, err := c.Upload(t.Context(), ada, offer.ID); !errors.Is(err, medias3.ErrNoUpload) {
		t.Errorf("after a day: %v, want ErrNoUpload", err)
	}
}
