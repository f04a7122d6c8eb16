package resources

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"portside/client"
	"portside/cmd/portside/cli"
)

// conditionFlags are the flags for the conditions of a trust policy.
type conditionFlags struct {
	conditions, anyOf         []string
	github                    string
	refs                      []string
	repositoryID, githubOwner int64
}

// githubIssuer is the claim iss of jobs of GitHub Actions.
const githubIssuer = "https://token.actions.githubusercontent.com"

func (f *conditionFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.conditions, "condition", nil, "`CLAIM=VALUE` of the tokens, which can be repeated; * stands for one or more "+
		"characters other than :, / and @, and at the end of a path also for these two")
	c.Flags().StringArrayVar(&f.anyOf, "any-of", nil, "`CLAIM=VALUE`, which can be repeated: a condition for each claim, with all its values "+
		"as alternatives")
	c.Flags().StringVar(&f.github, "github", "", "`OWNER/REPOSITORY` on GitHub: sets the issuer and conditions on its IDs, which "+
		"the command reads from GitHub; needs --ref")
	c.Flags().StringArrayVar(&f.refs, "ref", nil, "`REF` for --github, which can be repeated, such as refs/heads/main, refs/heads/* or "+
		"refs/tags/v*")
	c.Flags().Var((*cli.WholeNumber)(&f.repositoryID), "repository-id", "`ID` of the repository for --github, if GitHub does not show it, "+
		"such as of a private one")
	c.Flags().Var((*cli.WholeNumber)(&f.githubOwner), "repository-owner-id",
		"`ID` of the owner of the repository, together with --repository-id")
	cli.Complete(c, "ref", "refs/heads/main", "refs/heads/*")
}

// isSet reports whether a flag sets conditions.
func (f *conditionFlags) isSet(c *cobra.Command) bool {
	return c.Flags().Changed("condition") || c.Flags().Changed("any-of") || c.Flags().Changed("github")
}

// conditionsOf returns the conditions that the flags set.
func (a *app) conditionsOf(c *cobra.Command, f *conditionFlags) ([]client.TrustCondition, error) {
	var all []client.TrustCondition
	for _, text := range f.conditions {
		claim, value, err := claimAndValue("condition", text)
		if err != nil {
			return nil, err
		}
		all = append(all, condition(claim, value))
	}
	alternatives, err := f.alternatives()
	if err != nil {
		return nil, err
	}
	all = append(all, alternatives...)
	if !c.Flags().Changed("github") {
		for _, flag := range []string{"ref", "repository-id", "repository-owner-id"} {
			if c.Flags().Changed(flag) {
				return nil, cli.UsageErrorf("pass --github with --%s", flag)
			}
		}
		return all, nil
	}
	ofRepository, err := a.githubConditions(c, f)
	return append(ofRepository, all...), err
}

// alternatives returns a condition for each claim of --any-of.
func (f *conditionFlags) alternatives() ([]client.TrustCondition, error) {
	var claims []string
	values := map[string][]string{}
	for _, text := range f.anyOf {
		claim, value, err := claimAndValue("any-of", text)
		if err != nil {
			return nil, err
		}
		if values[claim] == nil {
			claims = append(claims, claim)
		}
		values[claim] = append(values[claim], value)
	}
	var all []client.TrustCondition
	for _, claim := range claims {
		all = append(all, condition(claim, values[claim]...))
	}
	return all, nil
}

func claimAndValue(flag, text string) (claim, value string, err error) {
	claim, value, hasValue := strings.Cut(text, "=")
	if !hasValue || claim == "" || value == "" {
		return "", "", cli.UsageErrorf("--%s: %q is not of the form CLAIM=VALUE", flag, text)
	}
	return claim, value, nil
}

// condition returns a condition in the form that the service returns.
func condition(claim string, values ...string) client.TrustCondition {
	if len(values) == 1 {
		return client.TrustCondition{Claim: claim, Value: &values[0]}
	}
	return client.TrustCondition{Claim: claim, Values: &values}
}

// conditionTexts returns the conditions as CLAIM=VALUE, with a vertical bar between alternatives.
func conditionTexts(p client.TrustPolicy) any {
	texts := make([]string, len(p.Conditions))
	for i, condition := range p.Conditions {
		var values []string
		if condition.Value != nil {
			values = append(values, *condition.Value)
		}
		if condition.Values != nil {
			values = append(values, *condition.Values...)
		}
		texts[i] = condition.Claim + "=" + strings.Join(values, "|")
	}
	return texts
}

// githubConditions returns conditions on the IDs and the refs of a repository on GitHub. IDs never pass to another
// repository, and they are claims of both forms of GitHub's tokens.
func (a *app) githubConditions(c *cobra.Command, f *conditionFlags) ([]client.TrustCondition, error) {
	if !githubName.MatchString(f.github) {
		return nil, cli.UsageErrorf("--github: %q is not of the form OWNER/REPOSITORY", f.github)
	}
	if len(f.refs) == 0 {
		return nil, cli.UsageError("pass --ref with --github, such as --ref refs/heads/main; refs/heads/* stands for all branches")
	}
	if c.Flags().Changed("issuer") {
		return nil, cli.UsageError("--github sets the issuer, so it excludes --issuer")
	}
	hasRepository, hasOwner := c.Flags().Changed("repository-id"), c.Flags().Changed("repository-owner-id")
	if hasRepository != hasOwner {
		return nil, cli.UsageError("pass --repository-id and --repository-owner-id together")
	}
	ids := githubRepository{ID: f.repositoryID}
	ids.Owner.ID = f.githubOwner
	if !hasRepository {
		var err error
		if ids, err = a.askGitHub(c.Context(), f.github); err != nil {
			return nil, err
		}
		a.Report("GitHub says that %s has the ID %d, and its owner the ID %d.", f.github, ids.ID, ids.Owner.ID)
	}
	return []client.TrustCondition{
		condition("repository_id", strconv.FormatInt(ids.ID, 10)), condition("repository_owner_id", strconv.FormatInt(ids.Owner.ID, 10)),
		condition("ref", f.refs...),
	}, nil
}

// githubName matches names that need no escaping in a URL.
var githubName = regexp.MustCompile(`^[A-Za-z0-9_-]+/[A-Za-z0-9_-][A-Za-z0-9._-]*$`)

// githubRepository is a repository in a response of GitHub's API.
type githubRepository struct {
	ID    int64 `json:"id"`
	Owner struct {
		ID int64 `json:"id"`
	} `json:"owner"`
}

// askGitHub asks the public API of GitHub for the IDs of a repository, without a credential.
func (a *app) askGitHub(ctx context.Context, name string) (found githubRepository, err error) {
	const timeout, maxBytes = 20 * time.Second, 1 << 20
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.GitHub+"/repos/"+name, nil)
	if err != nil {
		return found, err
	}
	request.Header.Set("Accept", "application/vnd.github+json")
	request.Header.Set("User-Agent", "portside/"+a.Version)
	// GitHub redirects the address of a renamed repository. Its new owner may be different from the one in the flag.
	asker := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := asker.Do(request)
	if err != nil {
		return found, fmt.Errorf("ask GitHub for the IDs of %s: %w", name, err)
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	switch status := response.StatusCode; {
	case status >= http.StatusMultipleChoices && status < http.StatusBadRequest:
		return found, fmt.Errorf("the repository %s was renamed or moved; pass its present name", name)
	case status == http.StatusNotFound:
		return found, fmt.Errorf("GitHub shows no repository %s to the public; for a private one, pass --repository-id and "+
			"--repository-owner-id, which its owner sees with: gh api repos/%s --jq .id,.owner.id", name, name)
	case status != http.StatusOK:
		return found, fmt.Errorf("GitHub does not return the IDs of %s (status %d); pass --repository-id and --repository-owner-id, or try "+
			"again later", name, status)
	}
	err = json.NewDecoder(io.LimitReader(response.Body, maxBytes)).Decode(&found)
	if err == nil && (found.ID <= 0 || found.Owner.ID <= 0) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return githubRepository{}, fmt.Errorf("read GitHub's answer about %s: %w", name, err)
	}
	return found, nil
}
