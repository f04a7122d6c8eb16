package sessions

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestRequestsForMailsTakeTheSameTime compares a request that has nothing to do with one whose mail server does not
// answer.
//
//proves:docs/security.md
func TestRequestsForMailsTakeTheSameTime(t *testing.T) {
	for name, request := range map[string]func(context.Context) (MailRequested, error){
		"unknown address": func(context.Context) (MailRequested, error) { return MailRequested{}, nil },
		"slow mail server": func(ctx context.Context) (MailRequested, error) {
			<-ctx.Done()
			return MailRequested{}, ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				almost, later := make(chan struct{}), make(chan struct{})
				time.AfterFunc(time.Second-1, func() { close(almost) })
				defer time.AfterFunc(time.Second+1, func() { close(later) }).Stop()
				service := NewService(Dependencies{RequestMailTime: time.Second})
				_, err := service.inRequestMailTime(t.Context(), request)
				if isSlow := errors.Is(err, context.DeadlineExceeded); isSlow != (name == "slow mail server") {
					t.Errorf("%s: %v", name, err)
				}
				select {
				case <-almost:
				default:
					t.Errorf("%s: returns too early", name)
				}
				select {
				case <-later:
					t.Errorf("%s: returns too late", name)
				default:
				}
			})
		})
	}
}
