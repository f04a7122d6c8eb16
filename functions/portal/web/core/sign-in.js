// Signing in by mail, and messages between tabs. Passkeys are in passkeys.js.
import { post } from "./api.js";
import { setSession } from "./session.js";

const tabs = new BroadcastChannel("portside-sessions");

/**
 * Shows that a session has begun, in all tabs of this browser.
 * @param {import("./session.js").Session} session
 */
export function beginSession(session) {
  setSession(session);
  tabs.postMessage("signed in");
}

/**
 * Begins a session with the token of a mailed link, or with the code of a mail.
 * @param {{token: string} | {email: string, code: string}} proof
 */
export async function signInByMail(proof) {
  beginSession((await post("/v1/sessions", { body: proof, isPublic: true })).data);
}

/**
 * Asks for a mail with a link and a code.
 * @param {string} email
 */
export async function askForMail(email) {
  await post("/v1/sign-in/links", { body: { email }, isPublic: true });
}

/**
 * Calls the listener when another tab signs in. It returns a function that stops this.
 * @param {() => void} listener
 */
export function onSignInElsewhere(listener) {
  tabs.addEventListener("message", listener);
  return () => tabs.removeEventListener("message", listener);
}
