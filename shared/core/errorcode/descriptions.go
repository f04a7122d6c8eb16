package errorcode

import "fmt"

// descriptions has all codes in the order of [All]. Statuses are plain numbers, so that this package does not import
// net/http.
var descriptions = []Description{
	{ValidationError, 400, "Values are missing or invalid.", "Correct all values in `errors`."},
	{
		Unauthorized, 401, "The request has no credential, or one that is wrong, expired, revoked, or of a user who is not active. " +
			"A link, code or passkey that does not work also gets this code.",
		"Send a working credential, or sign in again.",
	},
	{
		SignInRequired, 403, "The session began more than 15 minutes ago. These operations need a recent sign-in: creating a secret, " +
			"changing or inviting a user, deleting a passkey, ending other sessions, and deciding on a request. Only sessions get this code.",
		"Sign in again and repeat the request. The portal does both.",
	},
	{
		Forbidden, 403, "The role has no permission for the operation, or a page of another origin sent a request with a session.",
		"Ask an admin for another role.",
	},
	{NotFound, 404, "The resource does not exist, or you may not see it.", "Check the address."},
	{MethodNotAllowed, 405, "The path does not support the method.", "Use a method in the header `Allow`."},
	{
		EmailTaken, 409, "Another user has the email address.",
		"Use another address, or find the user with `GET /v1/users?email=…`.",
	},
	{SlugTaken, 409, "Another customer has the slug.", "Use another slug."},
	{
		ExternalIDTaken, 409, "Another customer has the external ID.",
		"Use another external ID, or find the customer with `GET /v1/customers/search?q=…`.",
	},
	{
		CustomerHasUsers, 409, "The customer still has users.",
		"Delete the users, which `GET /v1/users?customerId=…` lists, or move them to another customer, first.",
	},
	{LastAdmin, 409, "The user is the last active admin.", "Make another user an active admin first."},
	{
		TooManyUsers, 409, "The customer has as many users as its limit allows.",
		"Delete a user of the customer, or raise `limits.users` of the customer.",
	},
	{
		TooManyEntitlements, 409, "The customer has 200 entitlements, the maximum.",
		"Delete one, or replace several by one with a pattern, such as `acme/*`.",
	},
	{
		TooManyPolicies, 409, "The customer has 50 trust policies, the maximum.",
		"Delete one, or replace several policies by one whose conditions have several values.",
	},
	{
		TooManyCredentials, 409, "The user, or the token's line of renewals, has the maximum number of working credentials. For a " +
			"credential request, the limit of the requester counts.",
		"Revoke one first.",
	},
	{
		LineEnded, 409, "The token already lasts until its line of renewals ends, so renewing it would not extend it.",
		"Create a token with an API key, or in the portal.",
	},
	{
		Conflict, 409, "The resource is in a state that does not allow the request.",
		"Read `detail`. With `X-Should-Retry: false`, do not repeat the request.",
	},
	{
		PreconditionFailed, 412, "The resource changed since you read it (`If-Match`).",
		"Read it again, and apply your change to the new version.",
	},
	{PayloadTooLarge, 413, "The body is too large.", "Send a smaller body. For files, create an upload with `POST /v1/uploads`."},
	{UnsupportedMediaType, 415, "The service cannot read this type or format.", "Use a type that the operation names."},
	{
		IdempotencyKeyReused, 422, "The `Idempotency-Key` was used for a different request.",
		"Send a new key, or repeat the first request unchanged.",
	},
	{Unprocessable, 422, "The content is valid but cannot be processed.", "Read `detail`."},
	{
		QuotaExceeded, 429, "An allowance of the day is used up: the API keys or tokens of a user, the access tokens of a trust policy or for " +
			"a token of a platform, the invitations or other mails that a customer's users cause, or the rows that imports check. `detail` " +
			"names the limit.",
		"Wait for the seconds in `Retry-After`, for most limits until midnight UTC, or exchange a new token of the platform.",
	},
	{
		RateLimited, 429, "There were too many requests of this kind, for example requests of a credential, sign-in attempts, activation " +
			"mails, or open media jobs or uploads. `detail` names the limit.",
		"Wait for the seconds in `Retry-After`.",
	},
	{
		InternalError, 500, "The service failed unexpectedly.",
		"Try again later. If it happens again, send the operator the `requestId`.",
	},
	{Unavailable, 503, "The service or a part that it uses is busy or down.", "Repeat the request after `Retry-After`."},
}

func (d Description) markdownRow() string {
	return fmt.Sprintf("| %d | %#q | %s | %s |\n", d.Status, d.Code, d.Meaning, d.Action)
}
