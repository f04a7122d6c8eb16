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

// DynamoDB says how to run dynoxide.
type DynamoDB struct {
	Binary string
	// DBPath is the file of the data, made when it is not there; empty keeps all in memory.
	DBPath string
	// Addr is host and port; empty takes a free port of the loopback.
	Addr string
	// Log receives the engine's output, see process.Options. Nil discards it.
	Log io.Writer
}

// StartDynamoDB returns when the engine answers. The context bounds the start only.
func StartDynamoDB(ctx context.Context, c DynamoDB) (*Process, error) {
	if c.Addr != "" {
		if _, _, err := net.SplitHostPort(c.Addr); err != nil {
			return nil, fmt.Errorf("the address of DynamoDB must be host:port: %w", err)
		}
	}
	p, addr, err := engine{addr: c.Addr, host: hiddenHost(), command: c.command, ping: pingDynamoDB}.start(ctx)
	if err != nil {
		return nil, err
	}
	return &Process{Process: p, Endpoint: "http://" + addr}, nil
}

// hiddenHost is an address of the loopback that nobody guesses. dynoxide checks neither signature nor origin, and would
// answer the page of any web site that found it; where it listens is known from a file that only its owner may read.
// Other systems than Linux have no more of the loopback than 127.0.0.1.
func hiddenHost() string {
	if runtime.GOOS != "linux" {
		return "127.0.0.1"
	}
	n := rand.Uint32()
	return net.IPv4(127, byte(n>>16)|1, byte(n>>8), byte(n)|1).String()
}

func (c DynamoDB) command(addr string) process.Options {
	host, port, _ := net.SplitHostPort(addr) // checked by StartDynamoDB, or made by freeAddr
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
		r.Header.Set("X-Amz-Date", "20260101T000000Z") // it must be there, but need not be true
		r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20260101/"+Region+
			"/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
	}
	return answers(r, err)
}
