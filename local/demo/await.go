package demo

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"portside/local/retry"
	"portside/local/stack/folder"
)

// awaitRegistry waits while the stack builds the registry, and S3 before it. It needs no timeout, because the stack
// stops if a build fails.
func (d *demo) awaitRegistry(ctx context.Context) error {
	told := false
	return retry.Until(ctx, retry.Policy{Delay: 100 * time.Millisecond, MaxDelay: time.Second}, func() (bool, error) {
		if _, err := folder.ReadInfo(d.Data); err != nil {
			return true, fmt.Errorf("the stack does not run any more: %w", err)
		}
		if d.isRegistryBuilt(ctx) {
			return true, nil
		}
		if !told {
			told = true
			_, _ = fmt.Fprintln(d.Out, "waiting until the stack has built the container registry …") // the error has no other output
		}
		return false, nil
	})
}

func (d *demo) isRegistryBuilt(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.info.Registry+"/v2/", http.NoBody)
	if err != nil {
		return true // the push reports the mistake in the address
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode != http.StatusServiceUnavailable
}
