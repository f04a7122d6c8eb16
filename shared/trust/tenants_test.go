package trust_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/trust"
)

const (
	gitlab    = "https://gitlab.com"
	buildkite = "https://agent.buildkite.com"
	terraform = "https://app.terraform.io"
	google    = "https://accounts.google.com"
	vercel    = "https://oidc.vercel.com"
	codefresh = "https://oidc.codefresh.io"
	cluster   = "https://kubernetes.acme.example"
	circle    = "https://oidc.circleci.com/org/6f2c1d3e-0b7a-4c7e-9d52-8f0d2b1c9a11"
)

// is returns a condition.
func is(claim string, values ...string) trust.Condition {
	return trust.Condition{Claim: claim, Values: values}
}

// policyOf returns the input for a policy with conditions for the tokens of an issuer.
func policyOf(issuer string, conditions ...trust.Condition) trust.New {
	return trust.New{
		Name: "Builds", Issuer: issuer, Audience: audience, Conditions: conditions,
		Scopes: []principal.Scope{principal.ReadCharts},
	}
}

// naming has conditions for the tokens of an issuer.
type naming struct {
	issuer string
	named  []trust.Condition // each alone identifies an account
	others []trust.Condition // even all together identify no account
}

func namings() []naming {
	return append(namingsOfRepositories(), []naming{
		{
			buildkite,
			[]trust.Condition{is("organization_slug", "acme"), is("organization_id", "o1"),
				is("sub", "organization:acme:pipeline:*:*:*:*:*:*:*")},
			[]trust.Condition{is("sub", "organization:*:pipeline:app:*:*:*:*:*:*"), is("pipeline_slug", "app"),
				is("build_branch", "main")},
		},
		{
			terraform,
			[]trust.Condition{is("terraform_organization_name", "acme"),
				is("sub", "organization:acme:project:*:workspace:*:run_phase:*")},
			[]trust.Condition{is("sub", "organization:ac*:project:x:workspace:y:run_phase:apply"),
				is("terraform_run_phase", "apply")},
		},
		{
			google,
			[]trust.Condition{is("sub", "1122"), is("email", "ci@acme.iam.gserviceaccount.com"),
				is("/google/compute_engine/project_id", "acme")},
			[]trust.Condition{is("sub", "11*"), is("email", "*@acme.com"), is("email", "ci@*"), is("email_verified", "true")},
		},
		{vercel, []trust.Condition{is("owner_id", "team_1"), is("sub", "owner:acme:*:*:*:*")}, []trust.Condition{is("environment", "production")}},
		{codefresh, []trust.Condition{is("account_id", "a1"), is("sub", "account:a1:*:*")}, []trust.Condition{is("sub", "account:*:pipeline:x")}},
		{
			cluster,
			[]trust.Condition{
				is("sub", "system:serviceaccount:acme:*"), is("/kubernetes.io/namespace", "acme"),
				is("/kubernetes.io/pod/name", "puller/*"),
				is("sub", "job:main"), is("sub", "ada"), is("sub", "project_path:acme/*:*:*:*:*"),
				is("sub", "spiffe://acme.example/ns/*"),
				is("team", "builds"),
			},
			[]trust.Condition{
				is("sub", "system:serviceaccount:*:puller"), is("sub", "*:x"), is("sub", "a*"), is("sub", "repo:*/*:x"),
				is("ref", "refs/heads/main"),
				is("/environment", "production"), is("/kubernetes.io/namespace", "acme*"), is("team", "builds", "*s"),
				is("is_staff", "true"),
			},
		},
		{circle, []trust.Condition{is("sub", "org/6f2c/project/*"), is("oidc.circleci.com/project-id", "p1")}, []trust.Condition{is("sub", "*/x")}},
	}...)
}

func namingsOfRepositories() []naming {
	return []naming{
		{
			issuer,
			[]trust.Condition{
				is("repository_owner_id", "65"), is("repository_id", "74"), is("/repository_id", "74", "75"),
				is("repository", "acme/app"),
				is("repository", "acme/*", "other/app"), is("repository_owner", "acme"),
				is("sub", "repo:acme/app:ref:refs/heads/main"),
				is("sub", "repo:acme/*:*"), is("sub", "repo:acme@65/app@74:*"), is("sub", "repo:acme@*/app@*:ref:refs/heads/*"),
				is("sub", "repository_owner_id:65:*"), is("enterprise_id", "3"),
			},
			[]trust.Condition{
				is("ref", "refs/heads/main"), is("sub", "repo:*/*:ref:refs/heads/main"), is("sub", "*:acme/app:x"),
				is("sub", "repo:*:*"),
				is("sub", "repo:acme*/app*:ref:refs/heads/main"), is("sub", "repo:acme*/app:x"), is("sub", "*acme/app:x"),
				is("sub", "repo:acme/app:x", "repo:*/app:x"), is("repository", "*/app"), is("repository", "acme*/app"),
				is("repository", "acme*"),
				is("repository_id", "7*"), is("repository_id", "74", "*5"), is("repository_owner_id", "6*"),
				is("repository_owner", "ac*"),
				is("job_workflow_ref", "acme/automation/.github/workflows/oidc.yml@refs/heads/main"),
				is("environment", "production"),
				is("repository/x", "acme/app"), is("sub", "job:acme"), is("actor", "ada"), is("repository_visibility", "private"),
			},
		},
		{
			gitlab,
			[]trust.Condition{
				is("project_id", "20"), is("namespace_id", "72"), is("project_path", "acme/*"), is("namespace_path", "acme"),
				is("sub", "project_path:acme/*:*:*:*:*"), is("sub", "project_path:acme/app:ref_type:branch:ref:main"),
			},
			[]trust.Condition{
				is("sub", "project_path:*/*:ref_type:branch:ref:main"), is("sub", "project_path:acme*/app:*:*:*:*"),
				is("ref", "main"),
				is("project_path", "acme*"), is("project_path", "*/app"), is("pipeline_id", "574"), is("user_login", "ada"),
				is("ref_protected", "true"), is("environment", "production"), is("project_id", "2*"),
			},
		},
	}
}

//proves:docs/security.md
func TestPoliciesMustNameWhomTheyTrust(t *testing.T) {
	for _, c := range namings() {
		for _, named := range c.named {
			if failures := policyOf(c.issuer, named).Check(); len(failures) > 0 {
				t.Errorf("%s, %+v: %v", c.issuer, named, failures)
			}
		}
		for from := range c.others { // at most ten, and each one in some of them
			all := c.others[from:min(from+trust.MaxConditions, len(c.others))]
			failures := policyOf(c.issuer, all...).Check()
			if len(failures) != 1 || failures[0].Pointer != "/conditions" ||
				!strings.Contains(failures[0].Detail, "whom the policy trusts") {
				t.Errorf("%s, %+v: %v", c.issuer, all, failures)
			}
		}
		if failures := policyOf(c.issuer, c.others[0], c.named[0]).Check(); len(failures) > 0 {
			t.Errorf("%s, a second condition names: %v", c.issuer, failures)
		}
	}
}

// The problem names conditions that identify an account.
func TestProblemSaysWhichConditionToAdd(t *testing.T) {
	for issuer, claim := range map[string]string{
		issuer: "repository_owner_id", gitlab: "namespace_id", buildkite: "organization_id",
		terraform: "terraform_organization_id",
		google:    "email", vercel: "owner_id", codefresh: "account_id",
	} {
		failures := policyOf(issuer, is("ref", "refs/heads/main")).Check()
		if len(failures) != 1 || !strings.Contains(failures[0].Detail, "add a condition on one of "+claim) {
			t.Errorf("%s: %v", issuer, failures)
		}
		if failures = policyOf(issuer, is("ref", "refs/heads/main"), is(claim, "1")).Check(); len(failures) > 0 {
			t.Errorf("%s with %s: %v", issuer, claim, failures)
		}
	}
}

// job is a job of a platform: the claims that a platform derives from its names.
type job struct{ owner, ownerID, repository, repositoryID, ref string }

func (j job) github(hasIDs bool) trust.Claims {
	owner, repository := j.owner, j.repository
	if hasIDs {
		owner, repository = owner+"@"+j.ownerID, repository+"@"+j.repositoryID
	}
	return trust.Claims{
		"sub": "repo:" + owner + "/" + repository + ":ref:" + j.ref, "repository": j.owner + "/" + j.repository,
		"repository_owner": j.owner,
		"repository_id":    j.repositoryID, "repository_owner_id": j.ownerID, "ref": j.ref,
	}
}

func (j job) gitlab(bool) trust.Claims {
	return trust.Claims{
		"sub": "project_path:" + j.owner + "/" + j.repository +
			":ref_type:branch:ref:" + strings.TrimPrefix(j.ref, "refs/heads/"),
		"project_path": j.owner + "/" + j.repository, "namespace_path": j.owner, "project_id": j.repositoryID,
		"namespace_id": j.ownerID,
		"ref":          strings.TrimPrefix(j.ref, "refs/heads/"),
	}
}

// lookAlikes are jobs of other accounts, whose names resemble those of j and whose refs have the form of a subject.
func lookAlikes(j job, random *rand.Rand) job {
	pick := func(all ...string) string { return all[random.IntN(len(all))] }
	other := job{
		owner: pick(j.owner+"-evil", j.owner+"2", "evil-"+j.owner, j.owner[:len(j.owner)-1], "x"+j.owner, "app",
			"evil"),
		ownerID:      pick("9", "6", "655", "165"),
		repository:   pick(j.repository, j.owner, j.repository+"-"+j.repository, j.owner+"-"+j.repository, "x"),
		repositoryID: pick("1", "7", "744", "174"),
	}
	other.ref = "refs/heads/" + pick("main", "acme/app", "acme@65/app@74", "main/acme", "x@74", "release/1")
	return other
}

// wildcard returns a value in which * replaces some parts or ends of parts, in the way that people write patterns.
func wildcard(value string, random *rand.Rand) string {
	var pattern strings.Builder
	for value != "" {
		at := strings.IndexAny(value, ":/@")
		part, end := value, len(value)
		if at >= 0 {
			part, end = value[:at], at+1
		}
		switch n := random.IntN(10); {
		case n == 0:
			pattern.WriteString("*")
		case n == 1:
			pattern.WriteString(part + "*")
		case n == 2 && len(part) > 1:
			pattern.WriteString(part[:random.IntN(len(part))] + "*")
		case n == 3:
			pattern.WriteString("*" + part)
		case n == 4 && random.IntN(3) == 0:
			return pattern.String() + "*" // for everything that follows
		default:
			pattern.WriteString(part)
		}
		if at >= 0 {
			pattern.WriteByte(value[at])
		}
		value = value[end:]
	}
	return pattern.String()
}

// wildcards returns conditions on some of the claims, with patterns for their values.
func wildcards(claims trust.Claims, random *rand.Rand) []trust.Condition {
	var conditions []trust.Condition
	for _, claim := range slices.Sorted(maps.Keys(claims)) {
		if random.IntN(3) != 0 {
			continue
		}
		value := fmt.Sprint(claims[claim])
		values := []string{wildcard(value, random)}
		if random.IntN(4) == 0 {
			values = append(values, wildcard(value, random))
		}
		conditions = append(conditions, is(claim, values...))
	}
	return conditions
}

// TestNoLookAlikeMeetsAPolicy writes policies for a job with any wildcards. A policy that is accepted never matches a
// job of another account.
//
//proves:docs/security.md
func TestNoLookAlikeMeetsAPolicy(t *testing.T) {
	own := job{owner: "acme", ownerID: "65", repository: "app", repositoryID: "74", ref: "refs/heads/main"}
	for issuer, claimsOf := range map[string]func(job, bool) trust.Claims{issuer: job.github, gitlab: job.gitlab} {
		random := rand.New(rand.NewPCG(1, 2))
		useful, refused, dangerous := 0, 0, 0
		for range 30_000 {
			hasIDs := random.IntN(2) == 0
			claims := claimsOf(own, hasIDs)
			conditions := wildcards(claims, random)
			policy := policyOf(issuer, conditions...)
			other := claimsOf(lookAlikes(own, random), hasIDs)
			isMet := len(conditions) > 0 && meets(other, conditions)
			if len(policy.Check()) > 0 {
				refused++
				if isMet {
					dangerous++
				}
				continue
			}
			if isMet {
				t.Fatalf("%+v are met by %v", conditions, other)
			}
			if meets(claims, conditions) {
				useful++
			}
		}
		if useful < 3_000 || refused < 3_000 || dangerous < 500 {
			t.Errorf("%s: %d useful policies, %d refused ones, %d of them met by others", issuer, useful, refused, dangerous)
		}
	}
}

func meets(claims trust.Claims, conditions []trust.Condition) bool {
	for _, c := range conditions {
		if !c.Holds(claims) {
			return false
		}
	}
	return true
}

// FuzzPolicy checks that conditions of any bytes, for any issuer, are either refused or identify an account.
func FuzzPolicy(f *testing.F) {
	f.Add(issuer, "sub", "repo:acme/*:*", "repo:acme@65/app@74:*")
	f.Add(cluster, "/kubernetes.io/namespace", "acme", "*")
	f.Fuzz(func(t *testing.T, issuer, claim, first, second string) {
		both := policyOf(issuer, is(claim, first, second))
		if len(both.Check()) > 0 {
			return
		}
		for _, value := range []string{first, second} { // each alternative alone is enough
			if failures := policyOf(issuer, is(claim, value)).Check(); len(failures) > 0 {
				t.Errorf("%q is %q: %v", claim, value, failures)
			}
			if strings.HasPrefix(value, "*") || trust.Match(value, fmt.Sprintf("x%d", len(value))) &&
				strings.Contains(value, "*") {
				t.Errorf("%q is %q names nobody", claim, value)
			}
		}
	})
}
