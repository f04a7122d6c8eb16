package engines

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"

	"portside/local/process"
)

// DynamoDB holds the parameters for running dynoxide.
type DynamoDB struct {
	Binary string
	// DBPath is the data file, created if missing; empty keeps all data in memory.
	DBPath string
	// Addr is host and port; empty means a free loopback port.
	Addr string
	// Log receives the engine's output (see process.Options). Nil discards it.
	Log io.Writer
}

// StartDynamoDB returns when the engine answers requests. The context bounds only the start.
func StartDynamoDB(ctx context.Context, c DynamoDB) (*Process, error) {
	if c.Addr != "" {
		if _, _, err := net.SplitHostPort(c.Addr); err != nil {
			return nil, fmt.Errorf("the address of DynamoDB must be host:port: %w", err)
		}
	}
	p, addr, err := engine{addr: c.Addr, host: RandomLoopbackHost(), command: c.command, ping: pingDynamoDB}.start(ctx)
	if err != nil {
		return nil, err
	}
	return &Process{Process: p, Endpoint: "http://" + addr}, nil
}

// RandomLoopbackHost returns an unpredictable loopback address. dynoxide checks neither signatures
// nor origins, so a web page that found the address could use it. The address is in a file that
// only its owner can read. Systems other than Linux have only 127.0.0.1.
func RandomLoopbackHost() string {
	if runtime.GOOS != "linux" {
		return "127.0.0.1"
	}
	n := rand.Uint32()                                                  //nolint:gosec // keeps stacks apart, and need not be secret
	return net.IPv4(127, byte(n>>16)|1, byte(n>>8), byte(n)|1).String() //nolint:gosec // the bytes of random bits
}

func (c DynamoDB) command(addr string) process.Options {
	host, port, _ := net.SplitHostPort(addr) // StartDynamoDB has checked it, or freeAddr has chosen it
	args := []string{"--host", host, "--port", port}
	if c.DBPath != "" {
		args = append(args, "--db-path", c.DBPath)
	}
	return process.Options{Name: "dynoxide", Path: c.Binary, Args: args, Output: c.Log, Prefix: "dynamodb | "}
}

func pingDynamoDB(ctx context.Context, addr string) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr, strings.NewReader("{}"))
	if err == nil {
		r.Header.Set("Content-Type", "application/x-amz-json-1.0")
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
		r.Header.Set("X-Amz-Date", "20260101T000000Z") // required, but not checked
		r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20260101/"+Region+
			"/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
	}
	return isOK(r, err)
}
