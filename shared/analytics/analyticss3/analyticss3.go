// Package analyticss3 is the S3 adapter of analytics: it measures buckets and archives the counted
// lines of the log.
package analyticss3
