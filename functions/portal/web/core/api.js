// The client of the API. Every page calls the API through these functions, with the session's cookie.
//
// A failed request throws a Problem, which has the server's explanation and the request ID. If the API asks for a sign-in,
// the client opens the sign-in dialog and repeats the request afterwards, so that nothing the user typed is lost.

import { parse } from "./json.js";
import { strings } from "./strings.js";

/** @typedef {{pointer: string, detail: string}} Failure a rejected field: JSON pointer and explanation */

/** A problem document (RFC 9457), or a failure to reach the server (status 0). */
export class Problem extends Error {
  /** @param {{status: number, code?: string, detail?: string, requestId?: string, errors?: Failure[], retryAfter?: number}} from */
  constructor({ status, code = "", detail = "", requestId = "", errors = [], retryAfter = 0 }) {
    super(detail);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.requestId = requestId;
    this.errors = errors;
    /** Seconds after which a repetition may succeed, or 0. */
    this.retryAfter = retryAfter;
  }

  /** Whether the same request may succeed later. */
  get isTemporary() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/**
 * The problem of a form whose fields have values that a request cannot express. It looks like that of the API.
 * @param {Failure[]} errors
 */
export function invalidFields(...errors) {
  return new Problem({ status: 400, code: "VALIDATION_ERROR", detail: strings.common.failures(errors.length), errors });
}

/**
 * @typedef {object} Options
 * @property {Record<string, string | number>} [path] values for the {parameters} of the path
 * @property {Record<string, string | number | boolean | null | undefined>} [query] empty values are left out
 * @property {unknown} [body] JSON, or a FormData
 * @property {Record<string, string>} [headers]
 * @property {AbortSignal} [signal]
 * @property {boolean} [isPublic] the request needs no session, so a 401 is an answer and opens no dialog
 * @property {boolean} [isPreloaded] the shell preloads the response; responses of the API forbid caching
 */

/**
 * Asks the user to sign in. It resolves to true after a sign-in, or to false if the user cancels. main.js sets it.
 * @type {{ask: (reason: "signed-out" | "not-recent") => Promise<boolean>}}
 */
export const signIn = { ask: async () => false };

/**
 * Sends a request and returns the response. It throws a Problem for every status of 400 or more.
 * @param {string} method
 * @param {string} path
 * @param {Options} [options]
 * @returns {Promise<Response>}
 */
export async function send(method, path, options = {}) {
  const headers = { ...options.headers };
  if (method === "POST" && !headers["Idempotency-Key"] && !options.isPublic) {
    headers["Idempotency-Key"] = crypto.randomUUID(); // also for the repetition after a sign-in
  }
  for (;;) {
    const response = await sendOnce(method, path, { ...options, headers });
    if (response.ok) return response;
    const problem = await readProblem(response);
    const reason = signInReason(problem, options);
    if (!reason || !(await signIn.ask(reason))) throw problem;
  }
}

/**
 * @param {Problem} problem
 * @param {Options} options
 * @returns {"signed-out" | "not-recent" | null}
 */
function signInReason(problem, options) {
  if (options.isPublic) return null;
  if (problem.code === "SIGN_IN_REQUIRED") return "not-recent";
  return problem.status === 401 ? "signed-out" : null;
}

/**
 * @param {string} method
 * @param {string} path
 * @param {Options} options
 */
async function sendOnce(method, path, { path: values = {}, query = {}, body, headers, signal, isPreloaded }) {
  const isForm = body instanceof FormData;
  const url = address(path, values, query);
  try {
    return await fetch(url, {
      method,
      headers: body === undefined || isForm ? headers : { "Content-Type": "application/json", ...headers },
      body: body === undefined ? undefined : isForm ? body : JSON.stringify(body),
      signal,
      cache: isPreloaded ? "default" : "no-store", // with no-store, the browser would not use what it has preloaded
      credentials: "same-origin",
      redirect: "error",
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem({ status: 0, code: "OFFLINE", detail: strings.problems.offline });
  }
}

/**
 * @param {string} path such as /v1/users/{userId}
 * @param {Record<string, string | number>} values
 * @param {Record<string, string | number | boolean | null | undefined>} query
 */
export function address(path, values = {}, query = {}) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeSegment(values[name]));
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const search = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return search ? `${filled}?${search}` : filled;
}

/**
 * Encodes a value as one segment of a path. It refuses values that would name another path.
 * @param {string | number} value
 */
function encodeSegment(value) {
  const segment = String(value);
  if (["", ".", ".."].includes(segment)) throw new Error(`not a segment of a path: "${segment}"`);
  return encodeURIComponent(segment);
}

/** @param {Response} response */
async function readProblem(response) {
  const body = (await response.json().catch(() => null)) ?? {};
  return new Problem({
    status: response.status,
    code: body.code,
    detail: body.detail ?? strings.problems.unreadable,
    requestId: body.requestId ?? response.headers.get("X-Request-Id") ?? "",
    errors: Array.isArray(body.errors) ? body.errors.filter(Boolean) : [],
    retryAfter: Number(response.headers.get("Retry-After")) || 0,
  });
}

/** @param {Response} response */
async function readJSON(response) {
  if (response.status === 204) return undefined;
  try {
    return await response.json();
  } catch {
    const requestId = response.headers.get("X-Request-Id") ?? "";
    throw new Problem({ status: response.status, code: "UNREADABLE", detail: strings.problems.unreadable, requestId });
  }
}

/**
 * @template {keyof import("../../types/openapi").paths} P
 * @param {P} path
 * @param {Options} [options]
 * @returns {Promise<import("./types").Answer<P, "get">>}
 */
export async function get(path, options) {
  return readJSON(await send("GET", path, options));
}

/**
 * @template {keyof import("../../types/openapi").paths} P
 * @param {P} path
 * @param {Options} [options]
 * @returns {Promise<import("./types").Answer<P, "post">>}
 */
export async function post(path, options) {
  return readJSON(await send("POST", path, options));
}

/**
 * @template {keyof import("../../types/openapi").paths} P
 * @param {P} path
 * @param {Options} [options]
 * @returns {Promise<import("./types").Answer<P, "put">>}
 */
export async function put(path, options) {
  return readJSON(await send("PUT", path, options));
}

/**
 * @param {keyof import("../../types/openapi").paths} path
 * @param {Options} [options]
 * @returns {Promise<void>}
 */
export async function remove(path, options) {
  await send("DELETE", path, options);
}

/**
 * Reads one resource with its ETag. Numbers keep their digits; see json.js.
 * @template {keyof import("../../types/openapi").paths} P
 * @param {P} path
 * @param {Options} [options]
 * @returns {Promise<{data: import("./types").Answer<P, "get"> extends {data: infer D} ? D : any, etag: string}>}
 */
export async function getResource(path, options) {
  const response = await send("GET", path, options);
  return { data: parse(await response.text()).data, etag: response.headers.get("ETag") ?? "" };
}
