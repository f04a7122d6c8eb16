// Package analyticss3 is what the dashboard has to do with S3: how much buckets hold, and the lines of the log that were counted.
package analyticss3
