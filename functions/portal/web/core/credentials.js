// States and scopes of tokens, passwords and requests for them, in words.
import { strings } from "./strings.js";

/** @typedef {import("./types").Schema<"Token">} Token */
/** @typedef {import("./types").Schema<"CredentialRequest">} CredentialRequest */
/** @typedef {"good" | "warning" | "bad" | "neutral"} Tone */

const day = 86_400_000;
const chartScope = "read:helm-charts";
const imageScope = "read:docker-images";

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

/** @typedef {{charts: boolean, chartNames: string, images: boolean, imageNames: string}} ScopeValues the scopes in a form; names: "" for all */

/** @type {ScopeValues} */
export const allScopes = { charts: true, chartNames: "", images: true, imageNames: "" };

/**
 * The scopes that a form describes. The API checks them.
 * @param {ScopeValues} values
 */
export function scopesOf(values) {
  return [
    ...(values.charts ? narrowed(chartScope, values.chartNames) : []),
    ...(values.images ? narrowed(imageScope, values.imageNames) : []),
  ];
}

/**
 * @param {string} scope
 * @param {string} names separated by spaces or commas
 */
function narrowed(scope, names) {
  const list = names.split(/[\s,]+/).filter(Boolean);
  return list.length > 0 ? list.map((name) => `${scope}:${name}`) : [scope];
}

/**
 * The scopes as a form shows them.
 * @param {string[]} scopes
 * @returns {ScopeValues}
 */
export function toScopeValues(scopes) {
  /** @type {(scope: string) => [boolean, string]} */
  const read = (scope) => {
    const names = scopes.filter((s) => s.startsWith(`${scope}:`)).map((s) => s.slice(scope.length + 1));
    const hasAll = scopes.includes(scope);
    return [hasAll || names.length > 0, hasAll ? "" : names.join(" ")];
  };
  const [charts, chartNames] = read(chartScope);
  const [images, imageNames] = read(imageScope);
  return { charts, chartNames, images, imageNames };
}

/**
 * Describes what scopes permit.
 * @param {string[]} scopes such as read:docker-images:acme/*
 * @returns {string[]}
 */
export function describeScopes(scopes) {
  return [
    ...describeKind(scopes, chartScope, strings.credentials.allCharts, strings.credentials.someCharts),
    ...describeKind(scopes, imageScope, strings.credentials.allImages, strings.credentials.someImages),
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
  const charts = scopes.includes(chartScope);
  const images = scopes.includes(imageScope);
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
