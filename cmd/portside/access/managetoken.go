package access

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/rotation"
	"portside/shared/tokens"
	"portside/shared/users"
)

// secretForm is the form of the names of secrets. A stack's RotateTokensFunction may access only the secrets below the
// stack's name; see template.yaml.
const secretForm = "STACK/NAME"

func manageTokenCommand() operator.Command {
	return operator.Command{
		Name: "manage-token", Summary: "store a token in a secret that AWS Secrets Manager rotates",
		Help: `Creates a secret that describes the token it will contain, and enables its rotation. The
first token is available moments later, and Secrets Manager rotates it from then on. The local
stack has no schedule: there, make rotate rotates the token. Running the command again leaves the
description and the token unchanged.`,
		Prepare: func(flags *flag.FlagSet) operator.Action {
			on, wanted := installation.NewTarget(flags), managedToken{days: tokens.DefaultDays}
			flags.StringVar(&wanted.secret, "secret", "", "name of the secret, `"+secretForm+"`; with --local, STACK is portside")
			flags.StringVar(&wanted.owner, "owner", "", "email `ADDRESS` of the user that the token belongs to")
			flags.StringVar(&wanted.name, "name", "", "`NAME` of the token; default: the name of the secret")
			flags.Func("scope", "`SCOPE` of the token; repeat the flag for several", func(s string) error {
				wanted.scopes = append(wanted.scopes, principal.Scope(s))
				return nil
			})
			flags.Func("days", "`DAYS` until a token expires", operator.WholeNumber(&wanted.days))
			flags.Func("every", "`DAYS` between rotations; default: two thirds of --days", func(s string) (err error) {
				if wanted.every, err = strconv.Atoi(s); err != nil || wanted.every < 1 {
					return errors.New("must be a number of days, at least 1 and less than --days")
				}
				return nil
			})
			flags.StringVar(&wanted.function, "function", "",
				"`ARN` of RotateTokensFunction (output RotationFunctionArn of the stack); not needed with --local")
			return func(ctx context.Context, p operator.Process, arguments []string) error {
				if err := operator.RejectArguments(arguments); err != nil {
					return err
				}
				wanted.local = on.Local
				if err := wanted.check(); err != nil {
					return err
				}
				t, err := on.Open(ctx, p)
				if err != nil {
					return err
				}
				return manageToken(ctx, p, t, wanted)
			}
		},
	}
}

type managedToken struct {
	secret, owner, name, function string
	scopes                        []principal.Scope
	days, every                   int
	local                         string // data folder of the local stack; empty on AWS
}

// localFunction is the ARN of RotateTokensFunction in every local stack.
const localFunction = "arn:aws:lambda:us-east-1:000000000000:function:portside-RotateTokensFunction"

// check sets the defaults and validates the flags.
func (m *managedToken) check() error {
	if m.local != "" && m.function == "" {
		m.function = localFunction
	}
	if m.name == "" {
		m.name = m.secret
	}
	if m.every == 0 { // the flag is missing
		m.every = max(1, m.days*2/3)
	}
	switch {
	case m.owner == "" || !hasSecretForm(m.secret):
		return operator.UsageError("--owner and --secret " + secretForm + " are required")
	case m.function == "":
		return operator.UsageError("--function or --local DATA is required")
	case m.every >= m.days:
		return operator.UsageError("--every must be less than --days")
	}
	if failures := (tokens.NewToken{Name: m.name, Scopes: m.scopes, Days: m.days}).Check(); len(failures) > 0 {
		return operator.UsageError(fault.Invalid(failures...).Error())
	}
	return nil
}

func hasSecretForm(name string) bool {
	stack, rest, _ := strings.Cut(name, "/")
	return stack != "" && rest != ""
}

// checkStack rejects a secret that the stack's function may not access. In template.yaml, the names of tables begin
// with the name of the stack.
func (m managedToken) checkStack(usersTable string) error {
	stack, _, isKnown := strings.Cut(usersTable, "-UsersTable")
	if isKnown && !strings.HasPrefix(m.secret, stack+"/") {
		return operator.UsageError("--secret must begin with " + stack + "/, because the function of the stack " + stack +
			" may not access other secrets")
	}
	return nil
}

func manageToken(ctx context.Context, p operator.Process, t *installation.Tables, m managedToken) error {
	if err := m.checkStack(t.Names.Users); err != nil {
		return err
	}
	owner, err := t.Users.ByEmail(ctx, users.NewUser{Email: m.owner}.Normal().Email)
	if errors.Is(err, users.ErrNotFound) {
		return fmt.Errorf("no user has the address %s", m.owner)
	}
	if err != nil {
		return err
	}
	if owner.Status != users.Active {
		return fmt.Errorf("the user %s is not active, so a token of this user would not work", m.owner)
	}
	isNew, err := m.create(ctx, t.Secrets, owner.ID)
	if err != nil {
		return err
	}
	if isNew {
		p.Report("created the secret %s", m.secret)
	}
	return m.enableRotation(ctx, p, t.Secrets)
}

// create creates the secret, and reports whether it did. An existing secret must describe the same
// token.
func (m managedToken) create(ctx context.Context, client *secretsmanager.Client, ownerID string) (isNew bool, err error) {
	terms := rotation.Terms{OwnerID: ownerID, Name: m.name, Days: m.days}
	for _, s := range m.scopes {
		terms.Scopes = append(terms.Scopes, string(s))
	}
	_, err = client.CreateSecret(ctx, &secretsmanager.CreateSecretInput{
		Name: &m.secret, SecretString: aws.String(rotation.Value{Terms: terms}.Text()),
		Description: aws.String("An access token of " + m.owner + ", renewed by Portside."),
	})
	if _, exists := errors.AsType[*types.ResourceExistsException](err); !exists {
		return err == nil, err
	}
	found, err := client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &m.secret})
	if err != nil {
		return false, err
	}
	value, err := rotation.ParseValue(aws.ToString(found.SecretString))
	if err != nil {
		return false, fmt.Errorf("the secret %s exists and does not describe a token: choose another name", m.secret)
	}
	isSame := value.OwnerID == terms.OwnerID && value.Name == terms.Name && value.Days == terms.Days &&
		slices.Equal(value.Scopes, terms.Scopes)
	if !isSame {
		return false, fmt.Errorf("the secret %s describes a different token: change its value in Secrets Manager, or choose another name",
			m.secret)
	}
	return false, nil
}

// enableRotation makes Secrets Manager rotate the secret now and on a schedule, unless rotation is
// already enabled.
func (m managedToken) enableRotation(ctx context.Context, p operator.Process, client *secretsmanager.Client) error {
	found, err := client.DescribeSecret(ctx, &secretsmanager.DescribeSecretInput{SecretId: &m.secret})
	if err != nil {
		return err
	}
	if aws.ToBool(found.RotationEnabled) {
		p.Report("the rotation of the secret %s is already enabled; nothing to do", m.secret)
		return nil
	}
	_, err = client.RotateSecret(ctx, &secretsmanager.RotateSecretInput{
		SecretId: &m.secret, RotationLambdaARN: &m.function,
		RotationRules: &types.RotationRulesType{AutomaticallyAfterDays: aws.Int64(int64(m.every))},
	})
	if err != nil {
		return err
	}
	p.Report("%s", m.announcement())
	return nil
}

// announcement says when the token is created and replaced. The local Secrets Manager has no schedule.
func (m managedToken) announcement() string {
	begin := "Secrets Manager now creates the token of the secret " + m.secret
	if m.local != "" {
		return begin + fmt.Sprintf("; no schedule replaces it on this machine: run `make rotate SECRET=%s DATA=%s`", m.secret, m.local)
	}
	return begin + fmt.Sprintf(", and replaces it every %d days", m.every)
}
