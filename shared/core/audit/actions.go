package audit

import (
	"slices"
	"strings"
)

// Action says what happened to a target, as kind.verb.
type Action string

// Kind is the kind of a target.
type Kind string

// The kinds of targets.
const (
	User              Kind = "user"
	Session           Kind = "session"
	Passkey           Kind = "passkey"
	Credential        Kind = "credential" // an API key, a token, a password or a link
	CredentialRequest Kind = "credential_request"
	Project           Kind = "project"
	Customer          Kind = "customer"
	Entitlement       Kind = "entitlement"
	TrustPolicy       Kind = "trust_policy"
	Table             Kind = "table" // all tables together; the ID is the name of UsersTable
)

// The actions. Clients filter by them, so a published action never changes its name or its meaning.
const (
	UserCreated          Action = "user.create"
	UserUpdated          Action = "user.update"
	UserDeleted          Action = "user.delete"
	UserActivated        Action = "user.activate"       // by the mailed link
	UserInvited          Action = "user.invite"         // again: the first invitation is part of the creation
	UserInvitationEnded  Action = "user.end_invitation" // its mail could not be sent
	UserSignInLink       Action = "user.sign_in_link"   // the operator created a link with which the user can sign in
	UserSignedOut        Action = "user.sign_out"       // all sessions and passkeys ended
	UserCredentialsEnded Action = "user.end_credentials"
	UserImportChecked    Action = "user.check_import" // an import or its dry run, which says which addresses exist; the target is who did it

	SessionCreated Action = "session.create" // a person signed in
	SessionEnded   Action = "session.end"

	PasskeyCreated Action = "passkey.create"
	PasskeyDeleted Action = "passkey.delete"

	CredentialCreated   Action = "credential.create"
	CredentialRenewed   Action = "credential.renew" // a token created its successor
	CredentialExchanged Action = "credential.exchange"
	CredentialUpdated   Action = "credential.update" // it expires earlier, because a rotation replaced it, or has another rate limit
	CredentialRevoked   Action = "credential.revoke"
	CredentialRefused   Action = "credential.refuse" // requests with it were refused many times; see Refusals

	RequestCreated   Action = "credential_request.create"
	RequestApproved  Action = "credential_request.approve"
	RequestDenied    Action = "credential_request.deny"
	RequestCollected Action = "credential_request.collect"
	RequestChanged   Action = "credential_request.update" // by the service: it expired, or its password was never shown

	ProjectCreated Action = "project.create"
	ProjectUpdated Action = "project.update"
	ProjectDeleted Action = "project.delete"

	CustomerCreated          Action = "customer.create"
	CustomerUpdated          Action = "customer.update"
	CustomerDeleted          Action = "customer.delete"
	CustomerCredentialsEnded Action = "customer.end_credentials"

	EntitlementCreated Action = "entitlement.create"
	EntitlementUpdated Action = "entitlement.update"
	EntitlementDeleted Action = "entitlement.delete"

	TrustPolicyCreated Action = "trust_policy.create"
	TrustPolicyUpdated Action = "trust_policy.update"
	TrustPolicyDeleted Action = "trust_policy.delete"

	TableRebuilt  Action = "table.rebuild" // portside rebuild-ranks
	TableRestored Action = "table.restore" // portside restore
)

// Kind returns the kind of the targets of an action.
func (a Action) Kind() Kind {
	kind, _, _ := strings.Cut(string(a), ".")
	return Kind(kind)
}

// Actions returns every action, in the order of documents.
func Actions() []Action {
	return slices.Clone(actions)
}

var actions = []Action{
	UserCreated, UserUpdated, UserDeleted, UserActivated, UserInvited, UserInvitationEnded, UserSignInLink, UserSignedOut,
	UserCredentialsEnded, UserImportChecked,
	SessionCreated, SessionEnded, PasskeyCreated, PasskeyDeleted,
	CredentialCreated, CredentialRenewed, CredentialExchanged, CredentialUpdated, CredentialRevoked, CredentialRefused,
	RequestCreated, RequestApproved, RequestDenied, RequestCollected, RequestChanged,
	ProjectCreated, ProjectUpdated, ProjectDeleted, CustomerCreated, CustomerUpdated, CustomerDeleted,
	CustomerCredentialsEnded,
	EntitlementCreated, EntitlementUpdated, EntitlementDeleted, TrustPolicyCreated, TrustPolicyUpdated, TrustPolicyDeleted,
	TableRebuilt, TableRestored,
}
