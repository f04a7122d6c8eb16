package images

import (
	"regexp"
	"strings"
)

// Kind is the kind of resource to which a path of the registry leads.
type Kind int

// The kinds that can be read in the OCI distribution specification, v1.1. None is an unknown path.
const (
	None      Kind = iota
	Base           // /v2/: whether the registry speaks this protocol and accepts the credential
	Catalog        // /v2/_catalog: the repositories
	Manifest       // /v2/<name>/manifests/<tag or digest>
	Blob           // /v2/<name>/blobs/<digest>
	Tags           // /v2/<name>/tags/list
	Referrers      // /v2/<name>/referrers/<digest>
)

// Target is the resource that one request asks for.
type Target struct {
	Kind       Kind
	Repository string // empty for None, Base and Catalog
	Reference  string // the tag or digest; may be empty
}

const (
	maxName = 255 // characters of a repository, as the specification recommends and clients respect
	slash   = "/"
)

const component = `[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`

var (
	repository = regexp.MustCompile(`^` + component + `(?:/` + component + `)*$`)
	tag        = regexp.MustCompile(`^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$`)
	digest     = regexp.MustCompile(`^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$`)
)

// Parse parses the decoded path of a request. A repository may have any number of components,
// including "blobs" and "manifests", so Parse reads the path from the right. Errors: ErrName,
// ErrTag, ErrDigest; ErrRoute with None for a path that the specification does not define.
func Parse(path string) (Target, error) {
	rest, found := strings.CutPrefix(path, "/v2")
	switch {
	case found && (rest == "" || rest == slash):
		return Target{Kind: Base}, nil
	case rest == "/_catalog":
		return Target{Kind: Catalog}, nil
	case !found || !strings.HasPrefix(rest, slash):
		return Target{}, ErrRoute
	}
	return parseWithin(strings.TrimPrefix(rest, slash))
}

// parseWithin parses <name>/<kind>/<reference>.
func parseWithin(path string) (Target, error) {
	rest, reference, _ := cutLast(path)
	name, kind, found := cutLast(rest)
	target := Target{Kind: kinds[kind], Repository: name, Reference: reference}
	if !found || target.Kind == None || target.Kind == Tags && reference != "list" {
		return Target{}, ErrRoute
	}
	if target.Kind == Tags {
		target.Reference = ""
	}
	return target, target.check()
}

var kinds = map[string]Kind{"manifests": Manifest, "blobs": Blob, "tags": Tags, "referrers": Referrers}

func cutLast(path string) (before, after string, found bool) {
	i := strings.LastIndex(path, slash)
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

func (t Target) check() error {
	switch {
	case !IsRepository(t.Repository):
		return ErrName
	case t.Kind == Tags:
		return nil
	case t.Kind == Manifest && !strings.Contains(t.Reference, ":"):
		if !IsTag(t.Reference) {
			return ErrTag
		}
	case !digest.MatchString(t.Reference):
		return ErrDigest
	}
	return nil
}

// IsRepository reports whether the name is valid for a repository.
func IsRepository(name string) bool { return len(name) <= maxName && repository.MatchString(name) }

// IsTag reports whether the text is a valid tag.
func IsTag(text string) bool { return tag.MatchString(text) }

// ByTag reports whether the target is a manifest by tag, which may lead to another manifest later.
func (t Target) ByTag() bool { return t.Kind == Manifest && !strings.Contains(t.Reference, ":") }

// Path returns the canonical path of the target.
func (t Target) Path() string {
	switch t.Kind {
	case Catalog:
		return "/v2/_catalog"
	case Manifest:
		return "/v2/" + t.Repository + "/manifests/" + t.Reference
	case Blob:
		return "/v2/" + t.Repository + "/blobs/" + t.Reference
	case Tags:
		return "/v2/" + t.Repository + "/tags/list"
	case Referrers:
		return "/v2/" + t.Repository + "/referrers/" + t.Reference
	default:
		return "/v2/"
	}
}

// Route returns the target's kind as it appears in logs.
func (t Target) Route() string {
	switch t.Kind {
	case None:
		return ""
	case Base, Catalog:
		return t.Path()
	case Tags:
		return "/v2/{name}/tags/list"
	default:
		return Target{Kind: t.Kind, Repository: "{name}", Reference: "{reference}"}.Path()
	}
}
