package medias3

// Bound makes uploads that can be read smaller.
func (s *Store) Bound(most int64) { s.most = most }
