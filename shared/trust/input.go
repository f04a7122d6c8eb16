package trust

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"portside/shared/core/checks"
	"portside/shared/core/fault"
	"portside/shared/core/principal"
)

// Limits of a policy's fields, from the API contract.
const (
	MaxName        = 100 // characters
	MaxText        = 255 // characters of the issuer and the audience, bytes of a value
	MaxClaim       = 100 // characters
	MaxConditions  = 10
	MaxValues      = 10 // of a condition
	MaxScopes      = 20
	MaxKeys        = 32 << 10 // bytes
	MaxMinutes     = 60
	DefaultMinutes = 15
)

// New is the input for a new policy.
type New struct {
	Name       string
	Issuer     string
	Audience   string
	Conditions []Condition
	Scopes     []principal.Scope
	MaxMinutes int // 0 means DefaultMinutes
	Keys       string
}

// Change is the input for changing a policy. Nil fields stay unchanged.
type Change struct {
	Name       *string
	Issuer     *string
	Audience   *string
	Conditions *[]Condition
	Scopes     *[]principal.Scope
	MaxMinutes *int
	Keys       *string // empty removes them
}

// change returns the creation as a change of an empty policy, so that both follow the same rules.
func (n New) change() Change {
	minutes := cmp.Or(n.MaxMinutes, DefaultMinutes)
	return Change{
		Name: &n.Name, Issuer: &n.Issuer, Audience: &n.Audience, Conditions: &n.Conditions, Scopes: &n.Scopes,
		MaxMinutes: &minutes,
		Keys:       &n.Keys,
	}
}

// Check returns all validation failures.
func (n New) Check() []fault.Field { return n.change().Check() }

// Apply returns p, a policy with default values, with the input applied. The input must be valid.
func (n New) Apply(p Policy) Policy { return n.change().Apply(p) }

// Check returns all validation failures.
func (c Change) Check() []fault.Field {
	var failures checks.Failures
	if c.Name != nil {
		failures.Text("/name", strings.TrimSpace(*c.Name), 1, MaxName)
	}
	if c.Issuer != nil && !isIssuer(*c.Issuer) {
		failures.Add("/issuer", "must be the claim iss of the tokens: an https address without query, such as "+
			"https://token.actions.githubusercontent.com, of at most %d characters", MaxText)
	}
	if c.Audience != nil && !isPlain(*c.Audience, MaxText) {
		failures.Add("/audience", "must be a value of the claim aud, of 1 to %d printable characters without spaces", MaxText)
	}
	if c.Conditions != nil {
		checkConditions(&failures, *c.Conditions, c.Issuer)
	}
	if c.Scopes != nil {
		checkScopes(&failures, *c.Scopes)
	}
	if c.MaxMinutes != nil && (*c.MaxMinutes < 1 || *c.MaxMinutes > MaxMinutes) {
		failures.Add("/maxMinutes", "must be a whole number from 1 to %d", MaxMinutes)
	}
	if c.Keys != nil && *c.Keys != "" {
		checkKeys(&failures, *c.Keys)
	}
	return failures.Fields()
}

// isIssuer reports whether a text can be the claim iss of an issuer that publishes its configuration (OpenID Connect
// Discovery 1.0).
func isIssuer(text string) bool {
	at, err := url.Parse(text)
	return err == nil && isPlain(text, MaxText) && at.Scheme == "https" && at.Hostname() != "" && at.User == nil &&
		at.Opaque == "" &&
		!strings.ContainsAny(text, "?#") && at.String() == text
}

// isPlain reports whether a text has 1 to most printable ASCII characters without spaces.
func isPlain(text string, most int) bool {
	return text != "" && len(text) <= most && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// checkConditions checks conditions. It also checks that they identify an account of the issuer, unless issuer is nil.
func checkConditions(failures *checks.Failures, conditions []Condition, issuer *string) {
	before := len(failures.Fields())
	if len(conditions) == 0 || len(conditions) > MaxConditions {
		failures.Add("/conditions", "must have 1 to %d entries; without any, the policy would trust everybody for whom the issuer signs",
			MaxConditions)
	}
	for i, c := range conditions {
		at := fmt.Sprintf("/conditions/%d", i)
		if name := strings.TrimPrefix(c.Claim, "/"); !isPlain(name, MaxClaim) || len(c.Claim) > MaxClaim {
			failures.Add(at+"/claim", "must be the name of a claim, such as sub, or a JSON pointer, such as /kubernetes.io/namespace, of at most "+
				"%d characters", MaxClaim)
		} else if first, _, _ := strings.Cut(name, "/"); first == "iss" || first == "aud" || first == "exp" {
			failures.Add(at+"/claim", "must not be iss, aud or exp, which the service always checks")
		}
		checkValues(failures, at, c.Values)
	}
	if issuer == nil || len(failures.Fields()) > before {
		return
	}
	if lack := missingAccount(*issuer, conditions); lack != "" {
		failures.Add("/conditions", "%s", lack)
	}
}

// checkValues checks the values of the condition at a pointer. A single value has the pointer of value, as in requests.
func checkValues(failures *checks.Failures, at string, values []string) {
	if len(values) == 0 || len(values) > MaxValues {
		failures.Add(at+"/values", "must have 1 to %d entries", MaxValues)
		return
	}
	for i, value := range values {
		pointer := at + "/value"
		if len(values) > 1 {
			pointer = fmt.Sprintf("%s/values/%d", at, i)
		}
		switch n := len(value); {
		case n == 0 || n > MaxText || strings.Trim(value, "*"+separators) == "":
			failures.Add(pointer, "must have 1 to %d bytes and at least one character other than *, :, / and @", MaxText)
		case strings.ContainsFunc(value, unicode.IsControl):
			failures.Add(pointer, "must not contain line breaks and other control characters")
		}
	}
}

func checkScopes(failures *checks.Failures, scopes []principal.Scope) {
	if len(scopes) == 0 || len(scopes) > MaxScopes {
		failures.Add("/scopes", "must have 1 to %d entries", MaxScopes)
	}
	for i, scope := range scopes {
		if !scope.Known() {
			failures.Add(fmt.Sprintf("/scopes/%d", i), "must be read:helm-charts or read:docker-images, optionally limited to names as in "+
				"read:docker-images:acme/* or read:docker-images:acme/api")
		}
	}
}

func checkKeys(failures *checks.Failures, text string) {
	if len(text) > MaxKeys {
		failures.Add("/jwks", "must be at most %d bytes long", MaxKeys)
		return
	}
	if _, err := ParseKeys([]byte(text)); err != nil {
		failures.Add("/jwks", "%s", err)
	}
}

// Apply returns p with the change applied. The change must be valid.
func (c Change) Apply(p Policy) Policy {
	if c.Name != nil {
		p.Name = strings.TrimSpace(*c.Name)
	}
	if c.Issuer != nil {
		p.Issuer = *c.Issuer
	}
	if c.Audience != nil {
		p.Audience = *c.Audience
	}
	if c.Conditions != nil {
		p.Conditions = slices.Clone(*c.Conditions)
	}
	if c.Scopes != nil {
		p.Scopes = slices.Clone(*c.Scopes)
	}
	if c.MaxMinutes != nil {
		p.MaxMinutes = *c.MaxMinutes
	}
	if c.Keys != nil {
		p.Keys = *c.Keys
	}
	return p
}
