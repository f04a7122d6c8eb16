package rotation

import (
	"testing"
	"time"

	"portside/shared/testkit/awstest"
)

// TestMintExpiresAfterWholeDays mints tokens on each of 400 days.
func TestMintExpiresAfterWholeDays(t *testing.T) {
	zone := time.FixedZone("UTC+14", 14*3600)
	for midnight := range awstest.Days() {
		for _, days := range []int{1, 30, 90, 365} {
			now := midnight.Add(15*time.Hour + 250*time.Millisecond)
			v := Terms{OwnerID: "ada", Name: "n", Scopes: []string{"s"}, Days: days}.mint(now.In(zone))
			if life := v.ExpiresAt.Sub(now); life != time.Duration(days)*24*time.Hour {
				t.Errorf("a token of %d days, minted at %s, expires after %s", days, now, life)
			}
			if read, err := ParseValue(v.Text()); err != nil || !read.ExpiresAt.Equal(v.ExpiresAt) {
				t.Errorf("parse the value minted at %s = %v, %v", now, read, err)
			}
		}
	}
}
