package rotation

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"portside/shared/credentials"
)

// Terms say which token a secret has. An operator configures them, and every rotation keeps them.
type Terms struct {
	OwnerID string   `json:"ownerId"`
	Name    string   `json:"name"`
	Scopes  []string `json:"scopes"`
	Days    int      `json:"expirationDays"` // until a token expires
}

// Username is the user name for clients that need one. A token works with any.
const Username = "token"

// Value is the JSON text of one version of a secret. The first version may have only terms.
type Value struct {
	Terms
	Username  string    `json:"username,omitempty"`
	Token     string    `json:"token,omitempty"`
	TokenID   string    `json:"tokenId,omitempty"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
}

// ParseValue parses the text of a version. Its errors never quote the text, which contains a token.
func ParseValue(text string) (Value, error) {
	var v Value
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return Value{}, ErrValue
	}
	if v.OwnerID == "" || v.Name == "" || len(v.Scopes) == 0 || v.Days < 1 {
		return Value{}, ErrValue
	}
	return v, nil
}

// Text is the inverse of ParseValue. It does not keep keys that others added.
func (v Value) Text() string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("rotation: encode a value: %v", err))
	}
	return string(text)
}

// String omits the token, so that it is never printed or logged.
func (v Value) String() string {
	return fmt.Sprintf("token %q of %s, %q", v.TokenID, v.OwnerID, v.Name)
}

// GoString omits the token from %#v.
func (v Value) GoString() string { return v.String() }

// secret returns the token in the value. It returns false before the first rotation.
func (v Value) secret() (credentials.Secret, bool, error) {
	if v.Token == "" {
		return credentials.Secret{}, false, nil
	}
	secret, err := credentials.Parse(v.Token)
	if err != nil || secret.Kind() != credentials.AccessToken {
		return credentials.Secret{}, false, ErrValue
	}
	return secret, true, nil
}

// pending is secret for a version that must have a token.
func (v Value) pending() (credentials.Secret, error) {
	secret, found, err := v.secret()
	if err == nil && !found {
		return credentials.Secret{}, ErrValue
	}
	return secret, err
}

// mint returns the next value, with a new token.
func (t Terms) mint(now time.Time) Value {
	secret := credentials.Mint(credentials.AccessToken)
	return Value{
		Terms: t, Username: Username, Token: secret.Reveal(), TokenID: secret.ID(),
		ExpiresAt: now.UTC().AddDate(0, 0, t.Days).Truncate(time.Millisecond),
	}
}

// within reports whether t has the configured owner and only configured scopes.
func (t Terms) within(configured Terms) bool {
	for _, scope := range t.Scopes {
		if !slices.Contains(configured.Scopes, scope) {
			return false
		}
	}
	return t.OwnerID == configured.OwnerID
}
