package credentials

import "time"

// The limits of sessions.
const (
	// SessionIdle ends a session that is not used for this time. Because of LastUseResolution, the session may end up
	// to five minutes earlier.
	SessionIdle = 12 * time.Hour
	// SessionLifetime ends every session, however often it is used.
	SessionLifetime = 30 * 24 * time.Hour
	// SessionRecent is how long after a sign-in the session may create secrets and decide on requests; see
	// principal.Principal.MustSignInAgain.
	SessionRecent = 15 * time.Minute
	// SessionRateLimit is the rate limit of a session in requests per minute. Pages of the portal make many requests.
	SessionRateLimit = 500
	// MaxSessions is how many sessions of one owner may work at the same time. They do not count for MaxLive.
	MaxSessions = 10
)

// NewSession returns a session that begins now, and its secret. The device describes the browser for its user.
func NewSession(owner Owner, device string, now time.Time) (Secret, Credential) {
	secret := Mint(Session)
	now = now.UTC().Truncate(time.Millisecond) // the stored precision
	return secret, Credential{
		ID: secret.ID(), Kind: Session, Hash: secret.Hash(), Owner: owner, Name: device, CreatedAt: now,
		ExpiresAt: now.Add(SessionLifetime), LastUsedAt: now.Truncate(LastUseResolution), RateLimit: SessionRateLimit,
		AuthenticatedAt: now,
	}
}

// RecentUntil returns when a session ceases to be recent; see SessionRecent. A session whose person may have
// authenticated long before it is never recent.
func (c Credential) RecentUntil() time.Time {
	if c.AuthenticatedAt.IsZero() {
		return c.CreatedAt
	}
	return c.AuthenticatedAt.Add(SessionRecent)
}
