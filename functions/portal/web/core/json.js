// JSON whose numbers keep their digits. JavaScript rounds numbers such as 12345678901234567890; metadata of users and projects
// may contain them, and saving a form must not change them.

/** @type {any} */
const exact = JSON;

/**
 * Parses JSON. A number that JavaScript would round becomes an object that stringify writes with its digits.
 * @param {string} text
 */
export function parse(text) {
  return JSON.parse(text, /** @type {any} */ (keepDigits));
}

/**
 * @param {string} _key
 * @param {unknown} value
 * @param {{source?: string}} [context] browsers without it round
 */
function keepDigits(_key, value, context) {
  const isRounded = typeof value === "number" && context?.source !== undefined && String(value) !== context.source;
  return isRounded && exact.rawJSON ? exact.rawJSON(context.source) : value;
}

/**
 * Returns the object that a text contains, or undefined if the text is not a JSON object. An empty text is an empty object.
 * @param {string} text
 * @returns {Record<string, unknown> | undefined}
 */
export function parseObject(text) {
  if (text.trim() === "") return {};
  try {
    const value = parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a value is a JSON object: no list, and no number that keeps its digits.
 * @param {unknown} value
 */
export function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value) && !exact.isRawJSON?.(value);
}

/**
 * Writes an object for users to edit. An empty object is an empty text.
 * @param {object} value
 */
export function formatObject(value) {
  return Object.keys(value).length === 0 ? "" : JSON.stringify(value, null, 2);
}
