// Passkeys: registering one, and signing in with one (Web Authentication Level 3). The authenticator does the cryptography; these
// functions carry its messages between the API and the browser.
//
// A browser permits one request to its authenticators at a time. A sign-in that waits in the autofill of a field therefore ends
// when the user registers a passkey or chooses to sign in with one.
import { Problem, post } from "./api.js";
import { strings } from "./strings.js";

/** @typedef {import("./types").Schema<"CreationOptions">} CreationOptions */
/** @typedef {import("./types").Schema<"RequestOptions">} RequestOptions */

/** Milliseconds after which a waiting sign-in gets a new challenge. The API accepts a challenge for 5 minutes. */
const challengeRenewalMilliseconds = 4 * 60 * 1000;

/** @type {AbortController | null} the request that waits for an authenticator */
let waiting = null;

/** Whether the browser has passkeys. It has none on pages without HTTPS, except on localhost. */
export function hasPasskeys() {
  return window.isSecureContext && "PublicKeyCredential" in window;
}

/** Whether the browser offers passkeys in the autofill of a field with autocomplete="username webauthn". */
export async function hasAutofill() {
  return hasPasskeys() && ((await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false);
}

/**
 * Creates a passkey on one of the user's devices and registers it. It throws a Problem.
 * @param {string} name
 */
export async function register(name) {
  const { data } = await post("/v1/passkeys/options");
  const credential = await ask((signal) => navigator.credentials.create({ publicKey: creationOptions(data), signal }));
  return (await post("/v1/passkeys", { body: { name, credential: toJSON(credential) } })).data;
}

/**
 * Signs in with a passkey and returns the session. With `isConditional`, it waits until the user chooses a passkey in the
 * autofill, and returns null if it is aborted before, or if the browser turns out to have no passkeys. It throws a Problem.
 * @param {{isConditional?: boolean, signal?: AbortSignal}} [options]
 * @returns {Promise<import("./types").Schema<"Session"> | null>}
 */
export async function signInWithPasskey({ isConditional = false, signal } = {}) {
  const mediation = isConditional ? "conditional" : "optional";
  for (;;) {
    const { data } = await post("/v1/sign-in/passkey-options", { isPublic: true, signal });
    const challengeExpiry = isConditional ? AbortSignal.timeout(challengeRenewalMilliseconds) : null;
    const ends = [signal, challengeExpiry].filter((s) => s instanceof AbortSignal);
    try {
      const credential = await ask((s) => {
        return navigator.credentials.get({ publicKey: requestOptions(data), mediation, signal: AbortSignal.any([s, ...ends]) });
      });
      return (await post("/v1/sessions", { body: { passkey: toJSON(credential) }, isPublic: true })).data;
    } catch (error) {
      if (challengeExpiry?.aborted && !signal?.aborted) continue;
      if (isConditional && (isAborted(error) || isUnsupported(error))) return null;
      throw error;
    }
  }
}

/**
 * Asks the authenticators, after it has ended a request that still waits for them.
 * @param {(signal: AbortSignal) => Promise<Credential | null>} request
 */
async function ask(request) {
  if (!hasPasskeys()) throw new Problem({ status: 400, code: "PASSKEY_UNSUPPORTED", detail: strings.passkeys.unsupported });
  waiting?.abort();
  const own = (waiting = new AbortController());
  try {
    return /** @type {PublicKeyCredential} */ (await request(own.signal));
  } catch (error) {
    throw problemOf(error);
  } finally {
    if (waiting === own) waiting = null;
  }
}

/** The meanings of browsers' errors. To protect privacy, browsers report a user's refusal like other failures. */
const meanings = {
  NotAllowedError: ["PASSKEY_CANCELED", strings.passkeys.canceled],
  InvalidStateError: ["PASSKEY_REGISTERED", strings.passkeys.registered],
  SecurityError: ["PASSKEY_WRONG_SITE", strings.passkeys.wrongSite],
  NotSupportedError: ["PASSKEY_UNSUPPORTED", strings.passkeys.unsupported],
  AbortError: ["PASSKEY_ABORTED", strings.passkeys.canceled],
  TimeoutError: ["PASSKEY_ABORTED", strings.passkeys.canceled],
};

/** @param {any} error */
function problemOf(error) {
  const meaning = meanings[/** @type {keyof typeof meanings} */ (error?.name)];
  return meaning ? new Problem({ status: 400, code: meaning[0], detail: meaning[1] }) : error;
}

/** @param {any} error */
function isUnsupported(error) {
  return error?.code === "PASSKEY_UNSUPPORTED";
}

/** @param {any} error */
function isAborted(error) {
  return error?.code === "PASSKEY_ABORTED" || error?.name === "AbortError";
}

/**
 * @param {CreationOptions} options
 * @returns {PublicKeyCredentialCreationOptions}
 */
function creationOptions(options) {
  if (PublicKeyCredential.parseCreationOptionsFromJSON) {
    return PublicKeyCredential.parseCreationOptionsFromJSON(/** @type {any} */ (options));
  }
  return /** @type {any} */ ({
    ...options,
    challenge: decode(options.challenge),
    user: { ...options.user, id: decode(options.user.id) },
    excludeCredentials: options.excludeCredentials?.map((c) => ({ ...c, id: decode(c.id) })),
  });
}

/**
 * @param {RequestOptions} options
 * @returns {PublicKeyCredentialRequestOptions}
 */
function requestOptions(options) {
  if (PublicKeyCredential.parseRequestOptionsFromJSON) {
    return PublicKeyCredential.parseRequestOptionsFromJSON(/** @type {any} */ (options));
  }
  return /** @type {any} */ ({ ...options, challenge: decode(options.challenge) });
}

/**
 * The credential in the form of its toJSON(), which older browsers do not have.
 * @param {PublicKeyCredential} credential
 */
function toJSON(credential) {
  if (credential.toJSON) return credential.toJSON();
  const response = /** @type {any} */ (credential.response);
  return {
    id: credential.id,
    rawId: encode(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: {},
    response: {
      clientDataJSON: encode(response.clientDataJSON),
      attestationObject: encode(response.attestationObject),
      authenticatorData: encode(response.authenticatorData),
      signature: encode(response.signature),
      userHandle: encode(response.userHandle),
      transports: response.getTransports?.(),
    },
  };
}

/**
 * Base64url without padding (RFC 4648, section 5).
 * @param {ArrayBuffer | null | undefined} bytes
 */
function encode(bytes) {
  if (!bytes) return undefined;
  const text = btoa(Array.from(new Uint8Array(bytes), (b) => String.fromCharCode(b)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} text */
function decode(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}
