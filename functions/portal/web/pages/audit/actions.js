// The actions by which the audit log can be filtered. A test compares them with those of the API.

/** The actions of each kind of target. */
export const actions = /** @type {const} */ ({
  user: ["create", "update", "delete", "activate", "invite", "end_invitation", "sign_in_link", "sign_out", "end_credentials", "check_import"],
  session: ["create", "end"],
  passkey: ["create", "delete"],
  credential: ["create", "renew", "exchange", "update", "revoke", "refuse"],
  credential_request: ["create", "approve", "deny", "collect", "update"],
  project: ["create", "update", "delete"],
  customer: ["create", "update", "delete", "end_credentials"],
  entitlement: ["create", "update", "delete"],
  trust_policy: ["create", "update", "delete"],
  table: ["rebuild", "restore"],
});
