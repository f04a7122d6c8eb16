package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/google/uuid"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/users"
)

func bootstrapCommand() command {
	return command{
		name: "bootstrap", summary: "make the first admin, with an API key",
		help: `Makes an active admin and an API key. The key goes to --key-file (readable by its owner
only), else to stdout; it is shown this once. Running it again does nothing while the key
in the file works. If the file is missing or its key no longer works, the same admin gets
another key.`,
		prepare: func(flags *flag.FlagSet) action {
			on, wanted := newTarget(flags), firstAdmin{}
			flags.StringVar(&wanted.email, "email", "", "the admin's e-mail `ADDRESS`")
			flags.StringVar(&wanted.name, "name", "", "the admin's `NAME`")
			flags.StringVar(&wanted.keyFile, "key-file", "", "write the key to this `FILE`; without it, to stdout")
			flags.BoolVar(&wanted.force, "force", false, "make this admin although there is another one")
			return func(ctx context.Context, p process, arguments []string) error {
				if err := noArguments(arguments); err != nil {
					return err
				}
				if wanted.email == "" || wanted.name == "" {
					return usageError("--email and --name are needed")
				}
				t, err := on.open(ctx, p)
				if err != nil {
					return err
				}
				return (&bootstrap{process: p, tables: t, firstAdmin: wanted}).run(ctx)
			}
		},
	}
}

type firstAdmin struct {
	email, name string
	keyFile     string // empty: stdout
	force       bool
}

type bootstrap struct {
	process
	*tables
	firstAdmin
}

func (b *bootstrap) run(ctx context.Context) error {
	before, found, err := readKeyFile(b.keyFile)
	if err != nil {
		return err
	}
	admin, made, err := b.admin(ctx)
	if err != nil {
		return err
	}
	if made {
		b.say("made the admin %s", admin.Email)
	}
	if !found {
		return b.issue(ctx, admin)
	}
	works, err := b.works(ctx, before, admin)
	if err != nil {
		return err
	}
	if works {
		b.say("the key in %s works; nothing to do", b.keyFile)
		return nil
	}
	b.say("the key in %s does not work any more", b.keyFile)
	return b.issue(ctx, admin)
}

// admin returns the active admin with the address, whom it makes if there is no such user.
func (b *bootstrap) admin(ctx context.Context) (admin users.User, made bool, err error) {
	input := users.NewUser{Email: b.email, Name: b.name, Role: principal.Admin}
	if err := invalid(input.Check()); err != nil {
		return users.User{}, false, err
	}
	found, err := b.users.ByEmail(ctx, input.Normal().Email)
	if errors.Is(err, users.ErrNotFound) {
		return b.create(ctx, input)
	}
	if err != nil {
		return users.User{}, false, err
	}
	if found.Role != principal.Admin || found.Status != users.Active {
		return users.User{}, false, fmt.Errorf("the user %s exists and is not an active admin (%s, %s): choose another --email",
			found.Email, found.Role, found.Status)
	}
	return found, false, nil
}

func (b *bootstrap) create(ctx context.Context, input users.NewUser) (admin users.User, made bool, err error) {
	others, err := b.users.ActiveAdmins(ctx)
	if err != nil {
		return users.User{}, false, err
	}
	if others > 0 && !b.force {
		return users.User{}, false, errors.New("there is an active admin already, and bootstrap is for the first one: " +
			"use that admin's --email, create users through the API, or give --force")
	}
	service := users.NewService(b.users, nil, newID, b.now) // no invitation, hence no inviter
	created, err := service.Create(ctx, users.CreateOptions{Caller: principal.Operator()}, input)
	if errors.Is(err, users.ErrEmailTaken) {
		return users.User{}, false, errors.New("the address was taken just now: run it again")
	}
	return created.User, err == nil, err
}

// works reports whether the key lets the admin in.
func (b *bootstrap) works(ctx context.Context, key credentials.Secret, admin users.User) (bool, error) {
	stored, err := b.credentials.Get(ctx, key.ID())
	if errors.Is(err, credentials.ErrUnknown) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	works := key.Kind() == credentials.APIKey && key.Matches(stored.Hash) && stored.Works(b.now())
	if works && stored.Owner.ID != admin.ID {
		return false, fmt.Errorf("%s holds a working key of another user: choose another --key-file", b.keyFile)
	}
	return works, nil
}

// issue writes the key to its file before it registers it: whoever is killed in between leaves a key that does not work
// yet, which the next run replaces, and never a working key that nobody knows.
func (b *bootstrap) issue(ctx context.Context, admin users.User) error {
	secret := credentials.Mint(credentials.APIKey)
	if err := writeKeyFile(b.keyFile, secret); err != nil {
		return err
	}
	err := b.users.Issue(ctx, admin, credentials.Credential{
		ID: secret.ID(), Kind: credentials.APIKey, Hash: secret.Hash(), Name: "bootstrap", CreatedAt: b.now().UTC(),
		Owner: credentials.Owner{ID: admin.ID, Role: admin.Role, Active: true},
	})
	if errors.Is(err, versions.ErrStale) {
		return errors.New("the admin was changed just now: run it again")
	}
	if err != nil {
		return err
	}
	if b.keyFile != "" {
		b.say("the API key %s of %s is in %s", secret.ID(), admin.Email, b.keyFile)
		return nil
	}
	b.say("the API key %s of %s, shown this once:", secret.ID(), admin.Email)
	_, err = fmt.Fprintln(b.stdout, secret.Reveal())
	return err
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// invalid is nil where no rule is broken.
func invalid(failures []fault.Field) error {
	if len(failures) == 0 {
		return nil
	}
	return errors.New(reason(fault.Invalid(failures...)))
}
