// The text that the service read from a file, with the quotes marked. The positions in evidence refer to this text.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { visible } from "../../components/untrusted.js";
import { formatSeconds } from "../../core/format.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { partName } from "./document.js";

/** @typedef {import("../../core/types").Schema<"Text">} Text */
/** @typedef {Text["blocks"][number]} Block */
/** @typedef {import("./evidence.js").Evidence} Evidence */
/** @typedef {{id: string, from: number, to: number}} Mark positions in the text of a block, in characters */

/** How many blocks of a long text are shown before and after the place. */
const contextBlocks = 300;

/**
 * Whether the text contains the quote. A truncated text may lack it.
 * @param {Text} text
 * @param {Evidence} place
 */
export function hasPlace(text, place) {
  return blockOf(text.blocks, place) >= 0;
}

/** @param {{text: Text, name: string, places: Evidence[], selected: Evidence}} props name: of the file */
export function BlocksView({ text, name, places, selected }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const { shown, isCut } = useMemo(() => around(text.blocks, selected), [text, selected.id]);
  useEffect(() => {
    const mark = /** @type {HTMLElement | null | undefined} */ (box.current?.querySelector("mark.selected"));
    if (box.current && mark) box.current.scrollTop = mark.offsetTop - box.current.clientHeight / 2;
  }, [shown]);
  return html`<div class="document blocks" ref=${box} tabindex="0" role="region" aria-label=${strings.media.evidence.text}>
    ${isCut.before ? html`<p class="muted">…</p>` : null}
    ${shown.map((block, i) => html`
      ${isNewPart(block, shown[i - 1]) ? html`<p class="block-place">${placeOf(block, name)}</p>` : null}
      <p dir="auto">${pieces(block, marksOf(block, places, selected), selected)}</p>`)}
    ${isCut.after || text.isTruncated ? html`<p class="muted">…</p>` : null}
  </div>`;
}

/**
 * The blocks around a place.
 * @param {Block[]} blocks
 * @param {Evidence} place
 */
function around(blocks, place) {
  const at = Math.max(blockOf(blocks, place), 0);
  const from = Math.max(at - contextBlocks, 0);
  const to = Math.min(at + contextBlocks, blocks.length);
  return { shown: blocks.slice(from, to), isCut: { before: from > 0, after: to < blocks.length } };
}

/**
 * The index of the block that contains the beginning of a quote, or -1.
 * @param {Block[]} blocks
 * @param {Evidence} place
 */
function blockOf(blocks, { start }) {
  return blocks.findIndex((block) => start >= block.start && start < block.start + [...block.text].length);
}

/**
 * Whether a block begins another page, or another time in a recording.
 * @param {Block} block
 * @param {Block | undefined} before
 */
function isNewPart(block, before) {
  return block.time === undefined ? block.page !== undefined && block.page !== before?.page : block.time !== before?.time;
}

/**
 * @param {Block} block
 * @param {string} name of the file
 */
function placeOf({ page, time }, name) {
  return time === undefined ? strings.media.place[partName(name)](page ?? 0) : formatSeconds(time);
}

/**
 * The marks in a block, in order and without overlaps. The selected place has priority. A quote may extend over several blocks.
 * @param {Block} block
 * @param {Evidence[]} places
 * @param {Evidence} selected
 */
function marksOf(block, places, selected) {
  const length = [...block.text].length;
  /** @type {Mark[]} */
  const marks = [];
  for (const { id, start, end } of [selected, ...places]) {
    const mark = { id, from: Math.max(start - block.start, 0), to: Math.min(end - block.start, length) };
    if (mark.from < mark.to && !marks.some((other) => other.from < mark.to && mark.from < other.to)) marks.push(mark);
  }
  return marks.sort((a, b) => a.from - b.from);
}

/**
 * The text of a block as nodes, with its marks.
 * @param {Block} block
 * @param {Mark[]} marks
 * @param {Evidence} selected
 */
function pieces(block, marks, selected) {
  const characters = [...block.text];
  /**
   * @param {number} from
   * @param {number} [to]
   */
  const part = (from, to) => visible(characters.slice(from, to).join(""));
  const nodes = [];
  let at = 0;
  for (const mark of marks) {
    nodes.push(part(at, mark.from), html`<mark class=${mark.id === selected.id ? "selected" : ""}>${part(mark.from, mark.to)}</mark>`);
    at = mark.to;
  }
  nodes.push(part(at));
  return nodes;
}
