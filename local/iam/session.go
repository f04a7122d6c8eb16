package iam

import "strings"

// temporaryPrefix begins the access key IDs of temporary credentials on AWS.
const temporaryPrefix = "ASIA"

// tokenSuffix gives session tokens about the length of those on AWS, and characters that must be escaped in URLs and
// forms.
var tokenSuffix = "/" + strings.Repeat("+aws/0", 100) + "=="

// Session is the temporary credentials of a role. They are not secret, and do not expire.
type Session struct{ AccessKeyID, SessionToken string }

// NewSession returns the credentials of a role.
func NewSession(role string) Session {
	return Session{AccessKeyID: temporaryPrefix + role, SessionToken: role + tokenSuffix}
}

// IsTemporary reports whether an access key ID belongs to a session. Every request with it needs the session's token.
func IsTemporary(accessKeyID string) bool { return strings.HasPrefix(accessKeyID, temporaryPrefix) }

// RoleID returns the ID of the session's role. It returns false for a token of another session.
func (s Session) RoleID() (string, bool) {
	role, ok := strings.CutSuffix(s.SessionToken, tokenSuffix)
	return role, ok && s == NewSession(role)
}
