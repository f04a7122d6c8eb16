package main

import (
	"crypto/rand"
	"net/http"
	"time"

	"github.com/distribution/distribution/v3/configuration"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/s3-aws" // the driver "s3"
)

const (
	// partBytes is S3's minimum. Each running upload holds about two parts in memory.
	partBytes = 5 << 20
	// maxCopyBytes is S3's limit for one copy. Copying in parts is faster in the cloud, but not on
	// one disk.
	maxCopyBytes = 5 << 30
	// maxListEntries limits the repositories or tags in one response.
	maxListEntries = 1000
	// notificationTimeout is long enough for the stack, which only queues a notification.
	notificationTimeout = 5 * time.Second
)

func (s settings) configuration() *configuration.Configuration {
	var notifications configuration.Notifications
	if s.events != "" {
		notifications.Endpoints = []configuration.Endpoint{{
			Name: "events", URL: s.events, Timeout: notificationTimeout, Threshold: 3, Backoff: time.Second,
			Ignore: configuration.Ignore{Actions: []string{"pull", "mount"}, MediaTypes: []string{"application/octet-stream"}},
		}}
	}
	return &configuration.Configuration{
		Notifications: notifications,
		HTTP: configuration.HTTP{
			Secret:  rand.Text(), // signs the state of running uploads; they do not survive a restart
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
			// The purge would scan the whole bucket at a random minute of the first hour.
			"maintenance": {"uploadpurging": map[any]any{"enabled": false}},
		},
	}
}
