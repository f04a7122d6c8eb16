// States and scopes of tokens, passwords and requests for them, in words.
import { strings } from "./strings.js";

/** @typedef {import("./types").Schema<"Token">} Token */
/** @typedef {import("./types").Schema<"CredentialRequest">} CredentialRequest */
/** @typedef {"good" | "warning" | "bad" | "neutral"} Tone */

const day = 86_400_000;

/** Days before the end of a credential from which the portal warns. */
export const warningDays = 14;

/** @param {Token} token */
export function isWorking(token) {
  return token.status === "active";
}

/**
 * Whole days until the token expires, or Infinity.
 * @param {Token} token
 * @param {number} [now]
 */
export function daysLeft(token, now = Date.now()) {
  return Math.floor((end(token) - now) / day);
}

/**
 * Whether a working token expires soon and none with the same name and scopes takes its place.
 * @param {Token} token
 * @param {Token[]} all
 */
export function needsRenewal(token, all) {
  return isWorking(token) && daysLeft(token) < warningDays && !isRenewed(token, all);
}

/** @param {Token} token */
function end(token) {
  return token.expiresAt ? new Date(token.expiresAt).getTime() : Infinity;
}

/**
 * Whether another working token has the same name and scopes and expires later. Passwords have no names, so
 * the portal cannot tell which one replaces another.
 * @param {Token} token
 * @param {Token[]} all
 */
export function isRenewed(token, all) {
  return token.kind === "token" && all.some((t) => t.id !== token.id && t.kind === "token" && t.name === token.name && isWorking(t) &&
    t.scopes.join() === token.scopes.join() && end(t) > end(token));
}

/**
 * The state of a token in words.
 * @param {Token} token
 * @param {Token[]} all
 * @returns {{tone: Tone, text: string}}
 */
export function stateOf(token, all) {
  if (!isWorking(token)) return { tone: "neutral", text: strings.credentials.states[token.status] };
  if (isRenewed(token, all)) return { tone: "neutral", text: strings.credentials.renewed };
  if (daysLeft(token) < warningDays) return { tone: "warning", text: strings.credentials.expiresIn(daysLeft(token)) };
  return { tone: "good", text: strings.credentials.states.active };
}

/**
 * Describes what scopes permit.
 * @param {string[]} scopes such as read:docker-images:acme/*
 * @returns {string[]}
 */
export function describeScopes(scopes) {
  return [
    ...describeKind(scopes, "read:helm-charts", strings.credentials.allCharts, strings.credentials.someCharts),
    ...describeKind(scopes, "read:docker-images", strings.credentials.allImages, strings.credentials.someImages),
  ];
}

/**
 * @param {string[]} scopes
 * @param {string} kind
 * @param {string} all
 * @param {(names: string) => string} some
 */
function describeKind(scopes, kind, all, some) {
  if (scopes.includes(kind)) return [all];
  const names = scopes.filter((s) => s.startsWith(`${kind}:`)).map((s) => s.slice(kind.length + 1));
  return names.length > 0 ? [some([...new Set(names)].join(", "))] : [];
}

/**
 * The access level that has the scopes of a password.
 * @param {string[]} scopes
 * @returns {"charts" | "images" | "full"}
 */
export function levelOf(scopes) {
  const charts = scopes.includes("read:helm-charts");
  const images = scopes.includes("read:docker-images");
  return charts && images ? "full" : images ? "images" : "charts";
}

/**
 * The state of a request in words.
 * @param {CredentialRequest} request
 * @returns {{tone: Tone, text: string}}
 */
export function requestState({ status }) {
  /** @type {Record<string, Tone>} */
  const tones = { pending: "warning", approved: "good", collected: "good", denied: "bad", expired: "neutral" };
  return { tone: tones[status], text: strings.requests.states[status] };
}
