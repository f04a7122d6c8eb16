package medias3_test

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"portside/shared/media/medias3"
	"portside/shared/testkit/awstest"
)

// offers asks for offers until one is refused with the error, and returns those that were made.
func (c *testStore) offers(t *testing.T, owner string, refusal error) []medias3.Offer {
	t.Helper()
	var made []medias3.Offer
	for range medias3.MaxOpenForms + 1 {
		offer, err := c.Offer(t.Context(), owner, medias3.MaxUploadBytes, nil)
		if errors.Is(err, refusal) {
			return made
		}
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, offer)
	}
	t.Fatalf("%d offers were made to one owner", len(made))
	return nil
}

//proves:docs/security.md
func TestOwnerHasFewOpenForms(t *testing.T) {
	c := newTestStore(t)
	first := c.offers(t, ada, medias3.ErrTooManyForms)
	if len(first) != medias3.MaxOpenForms {
		t.Fatalf("%d offers, want %d", len(first), medias3.MaxOpenForms)
	}
	if others := c.offers(t, bob, medias3.ErrTooManyForms); len(others) != medias3.MaxOpenForms {
		t.Errorf("%d offers to another owner", len(others))
	}
	for _, offer := range []medias3.Offer{first[3], first[7], first[3]} { // the last post replaces a file
		if status := post(t, offer, "a recording"); status != http.StatusNoContent {
			t.Fatalf("status %d", status)
		}
	}
	if again := c.offers(t, ada, medias3.ErrTooManyForms); len(again) != 2 {
		t.Errorf("%d offers after two files were posted, want 2", len(again))
	}
	c.advance = medias3.OfferLifetime + 2*time.Second
	if _, err := c.Offer(t.Context(), ada, medias3.MaxUploadBytes, nil); err != nil {
		t.Errorf("after all others expired: %v", err)
	}
}

func TestConcurrentOffersKeepTheQuota(t *testing.T) {
	c := newTestStore(t)
	var made atomic.Int32
	var requests sync.WaitGroup
	for range 3 * medias3.MaxOpenForms {
		requests.Go(func() {
			_, err := c.Offer(t.Context(), ada, medias3.MaxUploadBytes, nil)
			switch {
			case err == nil:
				made.Add(1)
			case !errors.Is(err, medias3.ErrTooManyForms) && !errors.Is(err, medias3.ErrUnavailable):
				t.Error(err)
			}
		})
	}
	requests.Wait()
	if made.Load() > medias3.MaxOpenForms || made.Load() == 0 {
		t.Errorf("%d offers, want at most %d", made.Load(), medias3.MaxOpenForms)
	}
}

// A posted file counts with the size that another post may give it, and later with its own.
//
//proves:docs/security.md
func TestOwnerHasLimitedBytes(t *testing.T) {
	c := newTestStore(t)
	const files = 52 // 52 × 200 MB are more than 10 GB
	for range files {
		offer, err := c.Offer(t.Context(), ada, medias3.MaxUploadBytes, nil)
		if err != nil {
			t.Fatal(err)
		}
		if status := post(t, offer, "a recording"); status != http.StatusNoContent {
			t.Fatalf("status %d", status)
		}
		if err := c.SaveUpload(t.Context(), bob, uuid.NewString(), source("a file of a request")); err != nil {
			t.Fatal(err)
		}
	}
	if made := c.offers(t, ada, medias3.ErrTooManyUploads); len(made) != 0 {
		t.Errorf("%d offers above 10 GB", len(made))
	}
	if made := c.offers(t, bob, medias3.ErrTooManyForms); len(made) != medias3.MaxOpenForms {
		t.Errorf("%d offers to an owner without posted files", len(made))
	}
	c.advance = medias3.OfferLifetime + 2*time.Second
	if _, err := c.Offer(t.Context(), ada, medias3.MaxUploadBytes, nil); err != nil {
		t.Errorf("after the files have their own size: %v", err)
	}
}

// An offer for a small file counts with the size of that file, so a batch of small documents fits.
func TestSmallOffersCountLittle(t *testing.T) {
	c := newTestStore(t)
	const files = 60 // 60 × 200 MB would be more than 10 GB
	for range files {
		offer, err := c.Offer(t.Context(), ada, 1<<20+1, nil) // counts as 2 MB
		if err != nil {
			t.Fatal(err)
		}
		if status := post(t, offer, "an invoice"); status != http.StatusNoContent {
			t.Fatalf("status %d", status)
		}
	}
	offer, err := c.Offer(t.Context(), ada, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	if status := post(t, offer, "11 letters."); status != http.StatusBadRequest {
		t.Errorf("a file above the limit of its offer has status %d, want 400", status)
	}
	if status := post(t, offer, "10 letters"); status != http.StatusNoContent {
		t.Errorf("a file of the largest size has status %d", status)
	}
}

//proves:docs/security.md
func TestOfferIDsHoldTheLimit(t *testing.T) {
	const mb = 1 << 20
	for maxBytes, want := range map[int64]int64{1: mb, mb: mb, mb + 1: 2 * mb, medias3.MaxUploadBytes: medias3.MaxUploadBytes} {
		id := medias3.NewOfferID(maxBytes, awstest.RealTime())
		if got := medias3.MaxSizeOf(id); got != want || id.Version() != 7 || id.Variant() != uuid.RFC4122 {
			t.Errorf("%d bytes: %s counts as %d, want %d", maxBytes, id, got, want)
		}
	}
}
