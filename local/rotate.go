package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"portside/local/engines"
	"portside/local/secrets"
	"portside/local/stack"
	"portside/local/stack/control"
	"portside/local/stack/folder"
	"portside/local/stack/lifetime"
)

func rotateCommand(ctx context.Context, args []string) error {
	var o stack.Options
	set := newFlagSet("rotate", &o)
	secret := set.String("secret", "", "`name` or ARN of the secret, such as portside/acme")
	if err := parseFlags(set, args); err != nil {
		return err
	}
	if *secret == "" {
		return errors.New("rotate needs a secret: make rotate SECRET=portside/acme")
	}
	info, err := folder.ReadInfo(o.Data())
	if errors.Is(err, folder.ErrNotRunning) {
		return fmt.Errorf("no local stack runs in %s: start one with `make run DATA=%s`, or set DATA to the folder of the running stack",
			o.Data(), o.Data())
	}
	if err != nil {
		return err
	}
	return control.Rotate(ctx, info, *secret, func(line string) { _, _ = fmt.Fprintln(os.Stdout, line) })
}

// secretsCommand serves Secrets Manager. RotateSecret only begins a rotation; the caller runs its
// steps. The command prints its address once it listens.
func secretsCommand(ctx context.Context, args []string) error {
	var o stack.Options
	set := newFlagSet("secrets", &o)
	if err := parseFlags(set, args); err != nil {
		return err
	}
	if o.DataDir == "" {
		return errors.New("secrets needs a data folder: local secrets -data FOLDER")
	}
	store, err := secrets.New(ctx, secrets.Config{
		Dir: o.DataDir, Region: engines.Region, AccountID: "000000000000", Now: time.Now,
	})
	if err != nil {
		return err
	}
	defer store.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: store.API(), ReadHeaderTimeout: lifetime.HeaderTimeout}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if _, err := fmt.Fprintln(os.Stdout, "listening on http://"+listener.Addr().String()); err != nil {
		return err
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
