package main

import (
	"crypto/rand"
	"net/http"

	"github.com/distribution/distribution/v3/configuration"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/s3-aws" // the driver "s3"
)

const (
	// partBytes is the least that S3 takes: each upload that runs holds about two parts in memory.
	partBytes = 5 << 20
	// maxCopyBytes is S3's limit for one copy. A copy in parts is faster in the cloud, not on one disk.
	maxCopyBytes = 5 << 30
	// maxListEntries is how many repositories or tags one answer may have.
	maxListEntries = 1000
)

func (s settings) configuration() *configuration.Configuration {
	return &configuration.Configuration{
		HTTP: configuration.HTTP{
			Secret:  rand.Text(), // of uploads that are under way, which no restart survives
			Headers: http.Header{"X-Content-Type-Options": {"nosniff"}},
		},
		Catalog: configuration.Catalog{MaxEntries: maxListEntries},
		Tags:    configuration.Tags{MaxTags: maxListEntries},
		Storage: configuration.Storage{
			"s3": {
				"regionendpoint":             s.s3,
				"region":                     s.region,
				"bucket":                     s.bucket,
				"accesskey":                  s.accessKey,
				"secretkey":                  s.secretKey,
				"forcepathstyle":             true,
				"secure":                     false,
				"chunksize":                  partBytes,
				"multipartcopythresholdsize": maxCopyBytes,
			},
			"delete":   {"enabled": true},
			"redirect": {"disable": false},
			"cache":    {"blobdescriptor": "inmemory"},
			// The purge would run at a random minute of the first hour, over the whole bucket.
			"maintenance": {"uploadpurging": map[any]any{"enabled": false}},
		},
	}
}
