package build

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestABuildThatSomebodyWaitsForGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q turns
		for _, name := range []string{"first", "second"} {
			if err := q.take(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
		var begun []string
		for _, name := range []string{"third", "fourth", "fifth"} {
			go func() {
				if err := q.take(t.Context(), name); err == nil {
					begun = append(begun, name)
				}
			}()
			synctest.Wait()
		}
		q.putFirst("fifth")
		for range 3 {
			q.done()
			synctest.Wait()
		}
		if len(begun) != 3 || begun[0] != "fifth" || begun[1] != "third" {
			t.Errorf("the builds began in the order %v", begun)
		}
	})
}

func TestATurnThatNobodyWantsIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q turns
		for range maxBuilds {
			if err := q.take(t.Context(), "running"); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() { failed <- q.take(ctx, "canceled") }()
		synctest.Wait()
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("take returned %v", err)
		}
		q.done()
		if err := q.take(t.Context(), "next"); err != nil {
			t.Error(err)
		}
	})
}
