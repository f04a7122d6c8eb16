package seals_test

import (
	"testing"
	"time"

	"portside/shared/audit/seals"
	"portside/shared/core/audit"
	"portside/shared/dynamo/auditlog"
)

// TestMisplacedEventIsNotSealed copies an event into the other partitions of its day before the hour is sealed. An ID
// must not be in the chain twice, because no seal after it could be read.
//
//proves:docs/security.md
func TestMisplacedEventIsNotSealed(t *testing.T) {
	b := newLogbook(t)
	b.at(90 * time.Minute)
	b.at(91 * time.Minute)
	b.at(200 * time.Minute)
	id := b.ids[0]
	at, _ := audit.TimeOf(id)
	for _, partition := range auditlog.Partitions(at) {
		if partition == auditlog.Partition(at, id) {
			continue
		}
		misplaced := changed(b.event(id), "pk", partition)
		b.putItem(misplaced)
		b.seal(5*time.Hour + 25*time.Minute)
		if r := b.verify(seals.Verification{}); r.Finding == nil || !r.Finding.InTable || r.Finding.EventID != id {
			t.Errorf("%s: found %+v, want the event in the table", partition, r.Finding)
		}
		b.deleteItem(misplaced)
		if r := b.verify(seals.Verification{}); r.Finding != nil {
			t.Errorf("%s: found %+v after it was removed", partition, r.Finding)
		}
	}
}
