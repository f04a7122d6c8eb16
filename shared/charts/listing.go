package charts

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"sync"
)

// Listing is the index for one caller, who may see all or some charts. It never changes.
type Listing struct {
	Body     []byte
	Tag      string // a hash of Body, equal in all processes for equal bodies
	Complete bool   // whether the caller may see all charts
	packed   func() []byte
}

func newListing(body []byte, complete bool) *Listing {
	sum := sha256.Sum256(body)
	return &Listing{
		Body: body, Tag: hex.EncodeToString(sum[:16]), Complete: complete,
		packed: sync.OnceValue(func() []byte { return pack(body) }),
	}
}

// Packed returns Body compressed with gzip. It is computed once, when first needed.
func (l *Listing) Packed() []byte { return l.packed() }

// pack uses the fastest level. The other levels take several times the processor time to save a
// third more.
func pack(body []byte) []byte {
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err == nil {
		_, err = zip.Write(body)
	}
	if err == nil {
		err = zip.Close()
	}
	if err != nil {
		panic("charts: compress an index in memory: " + err.Error())
	}
	return packed.Bytes()
}
