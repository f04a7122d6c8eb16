package medias3

// SetMaxUpload changes the size of uploads that can be read.
func (s *Store) SetMaxUpload(size int64) { s.maxUploadBytes = size }

// Parts of the IDs of offers.
var (
	NewOfferID = newOfferID
	MaxSizeOf  = maxSizeOf
)
