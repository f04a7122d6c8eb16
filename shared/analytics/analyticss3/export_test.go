package analyticss3

// WithPages returns a BucketSizer that reads so many versions at once.
func (s BucketSizer) WithPages(size int32) BucketSizer {
	s.pageSize = size
	return s
}

// WithLister returns a BucketSizer that reads the versions from another source.
func (s BucketSizer) WithLister(source versionLister) BucketSizer {
	s.client = source
	return s
}
