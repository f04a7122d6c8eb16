package access

import (
	"strings"
	"testing"

	"portside/shared/credentials"
)

func TestSetRateLimit(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	key, err := credentials.Parse(strings.TrimSpace(o.Run("bootstrap", "--email", "ada@example.com", "--name", "Ada").Stdout))
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []struct {
		flag string
		want int
	}{{"500", 500}, {"0", 0}} {
		o.Expect(o.Run("set-rate-limit", "--credential", key.ID(), "--per-minute", limit.flag), 0, key.ID())
		if stored, err := o.Tables.Credentials.Get(t.Context(), key.ID()); err != nil || stored.RateLimit != limit.want {
			t.Errorf("the limit is %d with error %v, want %d", stored.RateLimit, err, limit.want)
		}
	}
	o.Expect(o.Run("set-rate-limit", "--credential", "nobody", "--per-minute", "5"), 1, `no credential has the ID "nobody"`)
}
