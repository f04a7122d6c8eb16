// Signing in by email. Passkeys are in passkeys.js.
import { post } from "./api.js";
import { beginSession } from "./session.js";

/**
 * Begins a session with the token of a mailed link, or with the code of an email.
 * @param {{token: string} | {email: string, code: string}} proof
 */
export async function signInByMail(proof) {
  beginSession((await post("/v1/sessions", { body: proof, isPublic: true })).data);
}

/**
 * Requests an email with a link and a code.
 * @param {string} email
 */
export async function askForMail(email) {
  await post("/v1/sign-in/links", { body: { email }, isPublic: true });
}
