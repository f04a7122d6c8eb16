package operator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// IsInterrupted reports whether a command failed because it was stopped.
func IsInterrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.Canceled)
}

// SingleLine returns the text of an error without line breaks.
func SingleLine(err error) string { return strings.Join(strings.Fields(explain(err)), " ") }

// explain adds to an SDK error what the operator can do about it.
func explain(err error) string {
	if _, missing := errors.AsType[*types.ResourceNotFoundException](err); missing {
		return "the table does not exist: check the setting with its name (USERS_TABLE for UsersTable), --table-suffix and AWS_REGION: " +
			err.Error()
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok && api.ErrorCode() == "NoSuchBucket" {
		return "the bucket does not exist: check CHARTS_BUCKET, ANALYTICS_BUCKET, AUDIT_BUCKET or --bucket, and AWS_REGION: " + err.Error()
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		service := "DynamoDB"
		if operation, ok := errors.AsType[*smithy.OperationError](err); ok {
			service = operation.ServiceID
		}
		return fmt.Sprintf("%s refused the connection: check AWS_ENDPOINT_URL_%s, and whether the local stack still runs: %v",
			service, strings.ToUpper(strings.ReplaceAll(service, " ", "_")), err)
	}
	return err.Error()
}

// Interrupted returns the error of a command that was stopped, or else err.
func Interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("stopped; run the command again to finish")
	}
	return err
}

// ShellQuoted returns a path in the quoting of a shell.
func ShellQuoted(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:=@%,") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// ProgressInterval is the time between progress lines when stderr is not a terminal.
const ProgressInterval = 3 * time.Second
