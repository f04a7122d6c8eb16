// Finds the quotes of an answer in a text. The API's positions refer to the text that the service has read from the file,
// which differs from the file in white space and markup. So a quote is found by its characters without white space, and
// the position only decides between several places.

/** @typedef {{from: number, to: number}} Range UTF-16 offsets in a text */

/**
 * Index is a text without white space and markup, with the position of each of its characters.
 * @typedef {object} Index
 * @property {string} text
 * @property {string} letters the characters that count
 * @property {number[]} at offset in the text of each of the letters, and of the end
 */

/**
 * @param {string} text
 * @param {{isMarkup?: boolean}} [options] isMarkup: leave out the tags of HTML or XML, comments, scripts and styles
 * @returns {Index}
 */
export function newIndex(text, { isMarkup = false } = {}) {
  const ignored = isMarkup ? /<!--[\s\S]*?-->|<(script|style)\b[\s\S]*?<\/\1\s*>|<[a-z/!?][^>]*>|\s+/iy : /\s+/y;
  /** @type {string[]} */
  const letters = [];
  /** @type {number[]} */
  const at = [];
  for (let i = 0; i < text.length;) {
    ignored.lastIndex = i;
    const skipped = isPlain(text.charCodeAt(i)) ? null : ignored.exec(text);
    const length = skipped ? skipped[0].length : isMarkup ? referenceLength(text, i) : characterLength(text, i);
    for (const unit of skipped ? "" : fold(decode(text.slice(i, i + length))).split("")) {
      letters.push(unit);
      at.push(i);
    }
    i += length;
  }
  at.push(text.length);
  return { text, letters: letters.join(""), at };
}

/** @param {number} code of a character that is neither white space nor begins markup */
function isPlain(code) {
  return code > 0x20 && code < 0x7f && code !== 0x3c && code !== 0x26; // < and &
}

/**
 * @param {string} text
 * @param {number} i
 */
function characterLength(text, i) {
  return /** @type {number} */ (text.codePointAt(i)) > 0xffff ? 2 : 1;
}

const reference = /&(?:#x[0-9a-f]{1,6}|#\d{1,7}|amp|lt|gt|quot|apos|nbsp|euro|ndash|mdash|shy);/iy;

/**
 * @param {string} text
 * @param {number} i
 */
function referenceLength(text, i) {
  reference.lastIndex = i;
  return text[i] === "&" ? (reference.exec(text)?.[0].length ?? 1) : characterLength(text, i);
}

/** @type {Record<string, string>} */
const named = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", euro: "€", ndash: "–", mdash: "—", shy: "" };

/** @param {string} text a character, or a reference to one */
function decode(text) {
  if (text.length === 1) return text;
  const code = /^&#(x?)([0-9a-f]+);$/i.exec(text);
  if (code) return String.fromCodePoint(Math.min(parseInt(code[2], code[1] ? 16 : 10), 0x10ffff));
  return text.length > 2 && text.startsWith("&") ? (named[text.slice(1, -1).toLowerCase()] ?? text) : text;
}

/**
 * Replaces ligatures, wide forms and soft hyphens, as the service does. The result has no white space.
 * @param {string} text
 */
function fold(text) {
  return text.normalize("NFKC").replace(/[\s\u00ad]/g, "");
}

/**
 * Finds a quote. Of several places, it takes one that does not begin or end within a word, next to the position.
 * @param {Index} index
 * @param {{quote: string, start: number}} evidence start: position in the service's text, in characters
 * @returns {Range | null}
 */
export function findQuote(index, { quote, start }) {
  const wanted = fold(quote);
  if (wanted === "") return null;
  const places = placesOf(index, wanted);
  const whole = places.filter((i) => isWhole(index, i, i + wanted.length));
  const candidates = whole.length > 0 ? whole : places;
  if (candidates.length === 0) return null;
  const wantedLetters = start - spaces(index, start);
  const best = candidates.reduce((a, b) => (Math.abs(b - wantedLetters) < Math.abs(a - wantedLetters) ? b : a));
  return { from: index.at[best], to: end(index, best + wanted.length) };
}

/**
 * @param {Index} index
 * @param {string} wanted
 */
function placesOf({ letters }, wanted) {
  const places = [];
  for (let i = letters.indexOf(wanted); i >= 0 && places.length < 10_000; i = letters.indexOf(wanted, i + 1)) places.push(i);
  return places;
}

/**
 * Estimates how many of the first characters of the service's text are white space, assuming one per gap.
 * @param {Index} index
 * @param {number} characters
 */
function spaces(index, characters) {
  let gaps = 0;
  for (let i = 1; i < index.letters.length && i + gaps < characters; i++) {
    if (/\s/.test(index.text[index.at[i] - 1] ?? "")) gaps++;
  }
  return gaps;
}

/**
 * The offset after a letter, without the white space that follows.
 * @param {Index} index
 * @param {number} letter
 */
function end(index, letter) {
  const last = index.at[letter - 1];
  const next = index.at[letter];
  const between = index.text.slice(last, next);
  return last + Math.max(between.search(/[\s<]|$/), 1);
}

const word = /[\p{L}\p{N}]/u;

/**
 * Whether the letters are not a part of a longer word or number.
 * @param {Index} index
 * @param {number} from
 * @param {number} to
 */
function isWhole(index, from, to) {
  return !continues(index, from - 1) && !continues(index, to - 1);
}

/**
 * Whether the word of a letter goes on with the next letter.
 * @param {Index} index
 * @param {number} letter
 */
function continues(index, letter) {
  if (letter < 0 || letter + 1 >= index.letters.length) return false;
  const isAdjacent = index.at[letter + 1] - index.at[letter] <= 1;
  return isAdjacent && word.test(index.letters[letter]) && word.test(index.letters[letter + 1]);
}
