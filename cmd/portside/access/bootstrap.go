package access

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/dynamo/layout"
	"portside/shared/users"
	"portside/shared/users/usersfile"
)

func bootstrapCommand() operator.Command {
	return operator.Command{
		Name: "bootstrap", Summary: "create the first admin, with an API key",
		Help: `Creates an active admin and an API key. The key is written to --key-file (readable only
by the file's owner) or, without --key-file, to stdout. It is shown only once. Running the
command again does nothing as long as the key in the file works. If the file is missing or
its key no longer works, the command issues another key for the same admin.`,
		Prepare: func(flags *flag.FlagSet) operator.Action {
			on, wanted := installation.NewTarget(flags), firstAdmin{}
			flags.StringVar(&wanted.email, "email", "", "the admin's email `ADDRESS`")
			flags.StringVar(&wanted.name, "name", "", "the admin's `NAME`")
			flags.StringVar(&wanted.keyFile, "key-file", "", "write the key to this `FILE`; default: stdout")
			flags.BoolVar(&wanted.force, "force", false, "create this admin even if another active admin exists")
			return func(ctx context.Context, p operator.Process, arguments []string) error {
				if err := operator.RejectArguments(arguments); err != nil {
					return err
				}
				if wanted.email == "" || wanted.name == "" {
					return operator.UsageError("--email and --name are required")
				}
				t, err := on.Open(ctx, p)
				if err != nil {
					return err
				}
				return (&bootstrap{Process: p, Tables: t, firstAdmin: wanted}).run(ctx)
			}
		},
	}
}

type firstAdmin struct {
	email, name string
	keyFile     string // empty means stdout
	force       bool
}

type bootstrap struct {
	operator.Process
	*installation.Tables
	firstAdmin
}

func (b *bootstrap) run(ctx context.Context) error {
	before, found, err := readKeyFile(b.keyFile)
	if err != nil {
		return err
	}
	if err := layout.Mark(ctx, b.Client, b.Names.Users); err != nil {
		return err
	}
	admin, isNew, err := b.admin(ctx)
	if err != nil {
		return err
	}
	if isNew {
		b.Report("created the admin %s", admin.Email)
	}
	if !found {
		return b.issue(ctx, admin)
	}
	works, err := b.works(ctx, before, admin)
	if err != nil {
		return err
	}
	if works {
		b.Report("the key in %s works; nothing to do", b.keyFile)
		return nil
	}
	b.Report("the key in %s no longer works", b.keyFile)
	return b.issue(ctx, admin)
}

// admin returns the active admin with the address, and creates the admin if no such user exists.
func (b *bootstrap) admin(ctx context.Context) (admin users.User, isNew bool, err error) {
	input := users.NewUser{Email: b.email, Name: b.name, Role: principal.Admin}
	if err := invalid(input.Check()); err != nil {
		return users.User{}, false, err
	}
	found, err := b.Users.ByEmail(ctx, input.Normal().Email)
	if errors.Is(err, users.ErrNotFound) {
		return b.create(ctx, input)
	}
	if err != nil {
		return users.User{}, false, err
	}
	if found.CustomerID != "" {
		return users.User{}, false, fmt.Errorf("the user %s belongs to a customer: choose another --email", found.Email)
	}
	if found.Role != principal.Admin || found.Status != users.Active {
		return users.User{}, false, fmt.Errorf("the user %s exists and is not an active admin (%s, %s): choose another --email",
			found.Email, found.Role, found.Status)
	}
	return found, false, nil
}

func (b *bootstrap) create(ctx context.Context, input users.NewUser) (admin users.User, isNew bool, err error) {
	others, err := b.Users.ActiveAdmins(ctx)
	if err != nil {
		return users.User{}, false, err
	}
	if others > 0 && !b.force {
		return users.User{}, false, errors.New("an active admin already exists, and bootstrap creates only the first one: " +
			"pass the --email of that admin, create users through the API, or pass --force")
	}
	service := users.NewService(b.Users, nil, installation.NewID, b.Now) // no invitations, so no inviter
	created, err := service.Create(ctx, users.CreateOptions{Caller: principal.Operator()}, input)
	if errors.Is(err, users.ErrEmailTaken) {
		return users.User{}, false, errors.New("another user has just taken the address: run the command again")
	}
	return created.User, err == nil, err
}

// works reports whether the key authenticates the admin.
func (b *bootstrap) works(ctx context.Context, key credentials.Secret, admin users.User) (bool, error) {
	stored, err := b.Credentials.Get(ctx, key.ID())
	if errors.Is(err, credentials.ErrUnknown) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	works := key.Kind() == credentials.APIKey && key.Matches(stored.Hash) && stored.Works(b.Now())
	if works && stored.Owner.ID != admin.ID {
		return false, fmt.Errorf("%s contains a working key of another user: choose another --key-file", b.keyFile)
	}
	return works, nil
}

// issue writes the key to its file before it registers the key. If the process is killed in
// between, the file contains a key that does not work, and the next run replaces it. The other order
// could leave a working key that is not in the file.
func (b *bootstrap) issue(ctx context.Context, admin users.User) error {
	secret := credentials.Mint(credentials.APIKey)
	if err := writeKeyFile(b.keyFile, secret); err != nil {
		return err
	}
	err := b.Users.Keys.Issue(ctx, admin, users.Issued{Key: credentials.Credential{
		ID: secret.ID(), Kind: credentials.APIKey, Hash: secret.Hash(), Name: "bootstrap", CreatedAt: b.Now().UTC(),
		Owner: credentials.OwnerOf(admin.Person()),
	}})
	if errors.Is(err, versions.ErrStale) {
		return errors.New("the admin has just been changed: run the command again")
	}
	if err != nil {
		return err
	}
	if b.keyFile != "" {
		b.Report("the API key %s of %s is in %s", secret.ID(), admin.Email, b.keyFile)
		return nil
	}
	b.Report("the API key %s of %s follows; it is shown only once:", secret.ID(), admin.Email)
	_, err = fmt.Fprintln(b.Stdout, secret.Reveal())
	return err
}

// invalid returns the failures as one error, or nil if there are none.
func invalid(failures []fault.Field) error {
	if len(failures) == 0 {
		return nil
	}
	return errors.New(strings.Join(usersfile.Reasons(fault.Invalid(failures...)), "; "))
}
