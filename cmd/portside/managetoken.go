package main

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

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/rotation"
	"portside/shared/tokens"
	"portside/shared/users"
)

// secretPrefix is that of all secrets which RotateTokensFunction may touch; see template.yaml.
const secretPrefix = "portside/"

func manageTokenCommand() command {
	return command{
		name: "manage-token", summary: "keep a token in a secret that AWS Secrets Manager renews",
		help: `Makes a secret that says which token it is to hold, and turns its rotation on: the first
token is there moments later, and Secrets Manager renews it from then on. Running it again
leaves the secret's terms and token as they are.`,
		prepare: func(flags *flag.FlagSet) action {
			on, wanted := newTarget(flags), managedToken{}
			flags.StringVar(&wanted.secret, "secret", "", "the secret's `NAME`, which begins with "+secretPrefix)
			flags.StringVar(&wanted.owner, "owner", "", "e-mail `address` of the user whom the token acts for")
			flags.StringVar(&wanted.name, "name", "", "the token's `NAME`; without it, the secret's")
			flags.Func("scope", "what the token may fetch (`SCOPE`); give it once for each", func(s string) error {
				wanted.scopes = append(wanted.scopes, principal.Scope(s))
				return nil
			})
			flags.IntVar(&wanted.days, "days", tokens.DefaultDays, "`DAYS` until a token expires")
			flags.Func("every", "`DAYS` between renewals; without it, two thirds of --days", func(s string) (err error) {
				if wanted.every, err = strconv.Atoi(s); err != nil || wanted.every < 1 {
					return errors.New("it must be a number of days, at least 1 and less than --days")
				}
				return nil
			})
			flags.StringVar(&wanted.function, "function", "", "`ARN` of RotateTokensFunction (the stack's output RotationFunctionArn); not with --local")
			return func(ctx context.Context, p process, arguments []string) error {
				if err := noArguments(arguments); err != nil {
					return err
				}
				if err := wanted.check(on.local != ""); err != nil {
					return err
				}
				t, err := on.open(ctx, p)
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
}

// localFunction is RotateTokensFunction of a local stack, which has no other account.
const localFunction = "arn:aws:lambda:us-east-1:000000000000:function:portside-RotateTokensFunction"

// check completes what may be left out.
func (m *managedToken) check(local bool) error {
	if local && m.function == "" {
		m.function = localFunction
	}
	if m.name == "" {
		m.name = m.secret
	}
	if m.every == 0 { // not given
		m.every = max(1, m.days*2/3)
	}
	switch {
	case m.owner == "" || !strings.HasPrefix(m.secret, secretPrefix) || m.secret == secretPrefix:
		return usageError("--owner and --secret " + secretPrefix + "… are needed")
	case m.function == "":
		return usageError("--function is needed, or --local DATA")
	case m.every >= m.days:
		return usageError("--every must be less than --days")
	}
	if failures := (tokens.NewToken{Name: m.name, Scopes: m.scopes, Days: m.days}).Check(); len(failures) > 0 {
		return usageError(fault.Invalid(failures...).Error())
	}
	return nil
}

func manageToken(ctx context.Context, p process, t *tables, m managedToken) error {
	owner, err := t.users.ByEmail(ctx, users.NewUser{Email: m.owner}.Normal().Email)
	if errors.Is(err, users.ErrNotFound) {
		return fmt.Errorf("there is no user with the address %s", m.owner)
	}
	if err != nil {
		return err
	}
	if owner.Status != users.Active {
		return fmt.Errorf("%s is not active, so no token of this user would work", m.owner)
	}
	made, err := m.create(ctx, t.secrets, owner.ID)
	if err != nil {
		return err
	}
	if made {
		p.say("made the secret %s", m.secret)
	}
	return m.turnOn(ctx, p, t.secrets)
}

// create reports whether it made the secret; one that is there must be one of ours.
func (m managedToken) create(ctx context.Context, client *secretsmanager.Client, ownerID string) (made bool, err error) {
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
		return false, fmt.Errorf("the secret %s exists and holds something else: choose another name", m.secret)
	}
	same := value.OwnerID == terms.OwnerID && value.Name == terms.Name && value.Days == terms.Days && slices.Equal(value.Scopes, terms.Scopes)
	if !same {
		return false, fmt.Errorf("the secret %s exists with other terms: change its value in Secrets Manager, or choose another name", m.secret)
	}
	return false, nil
}

// turnOn has the secret rotated, now and on schedule, unless it is already.
func (m managedToken) turnOn(ctx context.Context, p process, client *secretsmanager.Client) error {
	found, err := client.DescribeSecret(ctx, &secretsmanager.DescribeSecretInput{SecretId: &m.secret})
	if err != nil {
		return err
	}
	if aws.ToBool(found.RotationEnabled) {
		p.say("the secret %s is renewed already; nothing to do", m.secret)
		return nil
	}
	_, err = client.RotateSecret(ctx, &secretsmanager.RotateSecretInput{
		SecretId: &m.secret, RotationLambdaARN: &m.function,
		RotationRules: &types.RotationRulesType{AutomaticallyAfterDays: aws.Int64(int64(m.every))},
	})
	if err != nil {
		return err
	}
	p.say("the secret %s gets its token now, and a new one every %d days", m.secret, m.every)
	return nil
}
