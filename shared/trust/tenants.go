package trust

import (
	"slices"
	"strings"
)

// sharedIssuer is a public issuer that signs tokens for everybody who has an account. A policy must name the account
// that it trusts.
type sharedIssuer struct {
	name string
	// claims are the claims that identify an account, or a resource that belongs to one account. IDs come first,
	// because they cannot pass to another account. The value of a path claim begins with the name of the account.
	claims []string
	// subjects are the prefixes of the claim sub that precede the name of the account, the usual prefix first.
	subjects []string
}

// sharedIssuers are the known shared issuers by address. The issuers of CircleCI, Bitbucket, Azure and cloud clusters
// are not among them, because their addresses identify the account; nor are the issuers of single enterprises on GitHub
// and of teams on Vercel.
var sharedIssuers = map[string]sharedIssuer{
	"https://token.actions.githubusercontent.com": {
		name: "GitHub",
		claims: []string{"repository_owner_id", "repository_id", "repository", "repository_owner", "enterprise_id",
			"enterprise"},
		subjects: []string{"repo:", "repository_owner_id:", "repository_id:", "repository:", "repository_owner:"},
	},
	"https://gitlab.com": {
		name: "GitLab", claims: []string{"namespace_id", "project_id", "project_path", "namespace_path"},
		subjects: []string{"project_path:"},
	},
	"https://agent.buildkite.com": {
		name: "Buildkite", claims: []string{"organization_id", "pipeline_id", "organization_slug"},
		subjects: []string{"organization:"},
	},
	"https://app.terraform.io":    terraform,
	"https://app.eu.terraform.io": terraform,
	"https://oidc.vercel.com": {
		name: "Vercel", claims: []string{"owner_id", "project_id", "owner"}, subjects: []string{"owner:"},
	},
	"https://oidc.codefresh.io": {
		name: "Codefresh", claims: []string{"account_id", "pipeline_id", "account_name"}, subjects: []string{"account:"},
	},
	"https://accounts.google.com": {
		name: "Google", claims: []string{"email", "hd", "google/compute_engine/project_id",
			"google/compute_engine/project_number"},
		subjects: []string{""},
	},
}

var terraform = sharedIssuer{
	name: "HCP Terraform",
	claims: []string{
		"terraform_organization_id", "terraform_project_id", "terraform_workspace_id", "terraform_organization_name",
	},
	subjects: []string{"organization:"},
}

// runClaims are claims that describe a run of a job, but not its owner: everybody can have a branch main and an
// environment production.
var runClaims = []string{
	"actor", "actor_id", "base_ref", "branch", "build_branch", "build_number", "build_source", "build_tag", "ci_config_sha",
	"deployment_tier", "email_verified", "environment", "environment_action", "environment_protected", "event_name", "head_ref", "iat",
	"job", "job_id", "job_workflow_sha", "jti", "nbf", "pipeline_id", "pipeline_source", "project_visibility", "ref", "ref_path",
	"ref_protected", "ref_type", "repository_visibility", "run_attempt", "run_id", "run_number", "runner_environment", "runner_id", "sha",
	"stage", "step_key", "tag", "terraform_full_workspace", "terraform_run_phase", "user_access_level", "workflow", "workflow_sha",
}

// missingAccount returns advice for a policy whose conditions do not identify an account of the issuer, as the end of a
// sentence about the conditions. It returns "" if all values of one condition identify an account.
func missingAccount(issuer string, conditions []Condition) string {
	shared, isShared := sharedIssuers[issuer]
	names := namesAccount
	if isShared {
		names = shared.names
	}
	for _, c := range conditions {
		claim := c.Claim
		if pointer, isPointer := strings.CutPrefix(claim, "/"); isPointer { // the pointer /sub selects the claim sub
			claim = pointer
		}
		if len(c.Values) > 0 && !slices.ContainsFunc(c.Values, func(value string) bool { return !names(claim, value) }) {
			return ""
		}
	}
	if !isShared {
		return "must say whom the policy trusts: one condition must be on sub, or on another claim that names the owner of the job, and " +
			"each of its values must begin with a whole name without *; ref, environment and the like can be the same for everybody"
	}
	advice := "must say whom the policy trusts, because " + shared.name + " signs for everybody: add a condition on one of " +
		strings.Join(shared.claims, ", ")
	if start := shared.subjects[0]; start != "" {
		advice += ", or let sub begin with " + start + "NAME"
	} else {
		advice += " or sub"
	}
	return advice + "; each value of this condition must begin with a whole name or ID without *"
}

// names reports whether a value of a claim names one account.
func (s sharedIssuer) names(claim, value string) bool {
	if claim != "sub" {
		return slices.Contains(s.claims, claim) && beginsWithName(value)
	}
	return slices.ContainsFunc(s.subjects, func(start string) bool {
		rest, hasStart := strings.CutPrefix(value, start)
		return hasStart && isName(rest)
	})
}

// namesAccount is sharedIssuer.names for an issuer with unknown claims, such as a cluster or a self-managed GitLab.
func namesAccount(claim, value string) bool {
	if claim != "sub" {
		return !slices.Contains(runClaims, claim) && value != "true" && value != "false" && beginsWithName(value)
	}
	if rest, isPod := strings.CutPrefix(value, "system:serviceaccount:"); isPod {
		return isName(rest)
	}
	if kind, rest, hasKind := strings.Cut(value, ":"); hasKind { // such as project_path:acme/app, or spiffe://acme.example/app
		return !strings.Contains(kind, "*") && isName(strings.TrimLeft(rest, "/"))
	}
	return isName(value)
}

// beginsWithName reports whether a value has no *, or is a path whose first part has none.
func beginsWithName(value string) bool {
	first, _, _ := strings.Cut(value, "/")
	return first != "" && !strings.Contains(first, "*")
}

// isName reports whether the part before the first separator is a whole name.
func isName(text string) bool {
	name, _, _ := cut(text, separators)
	return name != "" && !strings.Contains(name, "*")
}
