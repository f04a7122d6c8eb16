// What has changed from one file to another: the clauses that were added, removed or changed, with the words that differ.
import { useMemo } from "preact/hooks";
import { Badge, Table } from "../../components/table.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";

/** @typedef {import("../../core/types").Schema<"Change">} Change */
/** @typedef {import("./evidence.js").Evidence} Evidence */
/** @typedef {{first: string, second: string}} Words that differ; one of them may be empty */
/** @typedef {{text: string, isMarked: boolean}} Piece */

/** @type {Record<Change["kind"], "good" | "warning" | "bad">} */
const tones = { added: "good", removed: "bad", changed: "warning" };

/** @param {{changes: Change[], clauses: Evidence[], source: (clause: Evidence) => any}} props source: the place of a clause */
export function Changes({ changes, clauses, source }) {
  const texts = strings.media.changes;
  if (changes.length === 0) return html`<p>${texts.none}</p>`;
  const rows = changes.map((change, i) => ({ change, i }));
  const byID = new Map(clauses.map((clause) => [clause.id, clause]));
  /** @param {number} file */
  const column = (file) => ({
    title: strings.media.columns.file(file),
    cell: (/** @type {{change: Change, i: number}} */ { change, i }) => html`<div><${Clause} change=${change} file=${file} />
      ${byID.has(clauseID(i, file)) ? source(/** @type {Evidence} */ (byID.get(clauseID(i, file)))) : null}</div>`,
  });
  return html`<p>${texts.count(changes.length)}</p>
    <${Table} caption=${texts.title} rows=${rows} rowKey=${(/** @type {{i: number}} */ row) => String(row.i)} columns=${[
      { title: texts.kind, cell: (/** @type {{change: Change}} */ { change }) => kindCell(change) },
      column(1), column(2),
    ]} />`;
}

/** @param {Change} change */
function kindCell({ kind }) {
  return html`<${Badge} tone=${tones[kind]}>${strings.media.changes.kinds[kind]}<//>`;
}

/**
 * The clause of one file. The words that differ are crossed out in the first file and underlined in the second.
 * @param {{change: Change, file: number}} props
 */
function Clause({ change, file }) {
  const pieces = useMemo(() => markWords(change.first?.text ?? "", change.second?.text ?? "", change.words ?? []), [change]);
  const clause = file === 1 ? change.first : change.second;
  if (!clause) return html`<span class="muted">${strings.media.changes.missing}</span>`;
  const tag = file === 1 ? "del" : "ins";
  const all = change.kind === "changed" ? pieces[file - 1] : [{ text: clause.text, isMarked: true }];
  return html`<div class="change" dir="auto">${all.map(({ text, isMarked }) => (isMarked ? html`<${tag}>${text}<//>` : text))}</div>`;
}

/**
 * The clauses as evidence, which can be shown in the files.
 * @param {Change[] | undefined} changes
 * @returns {Evidence[]}
 */
export function listClauses(changes) {
  return (changes ?? []).flatMap((change, i) => [change.first, change.second].flatMap((clause, side) => (clause ? [{
    ...clause, quote: clause.text, confidence: 1, file: side + 1, id: clauseID(i, side + 1), variable: strings.media.changes.name(i + 1),
  }] : [])));
}

/**
 * @param {number} i of the change
 * @param {number} file
 */
function clauseID(i, file) {
  return `change ${i} ${file}`;
}

/**
 * Divides two clauses into the words that differ and those that both have. The API lists the words that differ in their order, but without
 * positions, and a word may occur several times. So it looks for positions between which the clauses are the same.
 * @param {string} first
 * @param {string} second
 * @param {Words[]} words
 * @returns {[Piece[], Piece[]]} without marks if the words do not lead from the first to the second clause
 */
export function markWords(first, second, words) {
  const a = split(first);
  const b = split(second);
  const replaced = words.map((w) => ({ removed: split(w.first), added: split(w.second) }));
  const starts = findStarts(a, b, replaced);
  const offset = { a: 0, b: 0 };
  /** @type {Set<number>[]} */
  const marked = [new Set(), new Set()];
  for (const [k, start] of starts.entries()) {
    const { removed, added } = replaced[k];
    for (let n = 0; n < removed.length; n++) marked[0].add(start + n);
    for (let n = 0; n < added.length; n++) marked[1].add(start + offset.b - offset.a + n);
    offset.a += removed.length;
    offset.b += added.length;
  }
  return [pieces(first, marked[0]), pieces(second, marked[1])];
}

/**
 * The numbers of the words of the first clause at which the words that differ begin.
 * @param {string[]} a
 * @param {string[]} b
 * @param {{removed: string[], added: string[]}[]} replaced
 */
function findStarts(a, b, replaced) {
  /** The possible starts for each of the replacements, and the start of the one before. @type {Map<number, number>[]} */
  const possible = [];
  let shift = 0; // from the words of the first clause to those of the second
  let ends = new Map([[0, -1]]); // of the replacement before, and its start
  for (const { removed, added } of replaced) {
    const starts = new Map();
    let before = /** @type {number | undefined} */ (undefined);
    for (let i = 0; i <= a.length; i++) {
      before = ends.get(i) ?? before;
      if (before === undefined) continue;
      if (isAt(a, i, removed) && isAt(b, i + shift, added)) starts.set(i, before);
      if (a[i] !== b[i + shift]) before = undefined;
    }
    possible.push(starts);
    shift += added.length - removed.length;
    ends = new Map([...starts.keys()].map((start) => [start + removed.length, start]));
  }
  let start = [...ends].find(([end]) => isSame(a, b, end, shift))?.[1] ?? -1;
  /** @type {number[]} */
  const chosen = [];
  for (const starts of possible.toReversed()) {
    if (start < 0) return [];
    chosen.unshift(start);
    start = starts.get(start) ?? -1;
  }
  return chosen;
}

/**
 * Whether words stand at a place. A long clause is cut off, so its last word may be the beginning of a word.
 * @param {string[]} all
 * @param {number} at
 * @param {string[]} words
 */
function isAt(all, at, words) {
  return words.every((word, n) => {
    const place = at + n;
    return place >= all.length || all[place] === word || (place === all.length - 1 && word.startsWith(all[place]));
  });
}

/**
 * Whether two clauses are the same from a word on, as far as they are there.
 * @param {string[]} a
 * @param {string[]} b
 * @param {number} from
 * @param {number} shift
 */
function isSame(a, b, from, shift) {
  for (let i = from; i < a.length - 1 && i + shift < b.length - 1; i++) if (a[i] !== b[i + shift]) return false;
  return true;
}

/** @param {string} text */
function split(text) {
  return text.split(/\s+/).filter(Boolean);
}

/**
 * The text in pieces. The spaces between two marked words are marked, too.
 * @param {string} text
 * @param {Set<number>} marked the numbers of words
 */
function pieces(text, marked) {
  /** @type {Piece[]} */
  const all = [];
  let number = 0; // of the next word
  for (const part of text.match(/\s+|\S+/g) ?? []) {
    const isSpace = /^\s/.test(part);
    const isMarked = marked.has(number) && (!isSpace || marked.has(number - 1));
    const last = all.at(-1);
    if (last?.isMarked === isMarked) last.text += part;
    else all.push({ text: part, isMarked });
    if (!isSpace) number++;
  }
  return all;
}
