// The answers: a summary, the values of a file, or the comparison of two files.
import { useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { CodeBlock } from "../../components/copy.js";
import { Badge, Table } from "../../components/table.js";
import { formatNumber } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { Changes, listClauses } from "./changes.js";
import { DifferenceNote } from "./difference.js";
import { detectKind, partName } from "./document.js";
import { EvidenceView } from "./evidence.js";

/** @typedef {import("./evidence.js").Evidence} Evidence */
/** @typedef {import("./runs.js").Run} Run */

/** @param {{run: Run}} props */
export function Answer({ run }) {
  const { answer } = run;
  return html`
    ${answer.warnings?.map((/** @type {string} */ text) => html`<p class="note warning">${text}</p>`)}
    ${answer.summary === undefined ? html`<${Values} run=${run} />` : html`<${Summary} text=${answer.summary} />`}
    <details><summary>${strings.media.json}</summary><${CodeBlock} label=${strings.media.json} text=${JSON.stringify(answer, null, 2)} /></details>`;
}

/** @param {{text: string}} props */
function Summary({ text }) {
  const lines = text.split("\n").filter((line) => line.trim());
  const isList = lines.length > 0 && lines.every((line) => line.startsWith("- "));
  return html`<div class="summary" dir="auto">
    ${isList ? html`<ul>${lines.map((line) => html`<li>${line.slice(2)}</li>`)}</ul>` : lines.map((line) => html`<p>${line}</p>`)}
  </div>`;
}

/** @param {{run: Run}} props */
function Values({ run }) {
  const [selected, setSelected] = useState(/** @type {Evidence | null} */ (null));
  const opener = useRef(/** @type {HTMLElement | null} */ (null));
  const kinds = useLoad(() => Promise.all(run.files.map(detectKind)), [run.id]);
  const [chosen, setChosen] = useState(/** @type {Record<number, File>} */ ({}));
  const evidence = useMemo(() => [...listEvidence(run.answer.evidence), ...listCandidates(run.answer), ...listClauses(run.answer.changes)],
    [run.answer]);
  /** @param {Evidence} evidence */
  const select = (evidence) => {
    opener.current = /** @type {HTMLElement | null} */ (document.activeElement);
    setSelected(evidence);
  };
  const close = () => {
    setSelected(null);
    opener.current?.focus();
  };
  const places = useMemo(() => evidence.filter((e) => e.file === selected?.file && (!e.isCandidate || e === selected)),
    [evidence, selected]);
  const rows = inOrder(run).map(([name, value]) => ({ name, value, evidence: evidence.filter((e) => e.variable === name) }));
  const isComparison = rows.some((row) => isCompared(row.value));
  /** @param {Evidence} found */
  const canShow = ({ file }) => textOf(run, file) !== undefined || kinds.data?.[file - 1] !== "other";
  const table = { rows, run, canShow, select };
  /** @param {Evidence} clause */
  const source = (clause) => html`<${Source} evidence=${clause} ...${table} />`;
  return html`
    ${run.answer.changes ? html`<${Changes} changes=${run.answer.changes} clauses=${evidence} source=${source} />`
      : rows.length === 0 ? html`<p>${strings.media.noValues}</p>` : isComparison ? comparison(table) : extraction(table)}
    ${selected ? html`<${EvidenceView} file=${chosen[selected.file] ?? run.files[selected.file - 1]} name=${fileName(run, selected.file)}
      text=${textOf(run, selected.file)} places=${places} selected=${selected}
      onFile=${(/** @type {File} */ file) => setChosen((before) => ({ ...before, [selected.file]: file }))} onClose=${close} />` : null}`;
}

/**
 * @typedef {{name: string, value: any, evidence: Evidence[]}} Row
 * @typedef {{rows: Row[], run: Run, canShow: (evidence: Evidence) => boolean, select: (evidence: Evidence) => void}} ValueTable
 */

/**
 * The values in the order in which the person named them. The API returns them in alphabetical order.
 * @param {Run} run
 * @returns {[string, any][]}
 */
function inOrder({ answer, call }) {
  const names = Object.keys(JSON.parse(call?.model || "{}").variables ?? {});
  /** @param {[string, any]} entry */
  const position = ([name]) => names.indexOf(name);
  return Object.entries(answer.extracted_data).sort((a, b) => position(a) - position(b));
}

/** @param {ValueTable} table */
function extraction({ rows, ...table }) {
  return html`<${Table} caption=${strings.media.values} rows=${rows} rowKey=${(/** @type {Row} */ row) => row.name} columns=${[
    { title: strings.media.columns.name, cell: variableCell },
    { title: strings.media.columns.value, cell: (/** @type {Row} */ row) => valueCell(row.value) },
    { title: strings.media.columns.confidence, cell: (/** @type {Row} */ row) => confidenceCell(row.evidence.find((e) => !e.isCandidate)) },
    { title: strings.media.columns.quote, cell: (/** @type {Row} */ row) => html`<${Quotes} row=${row} ...${table} />` },
  ]} />`;
}

/** @param {ValueTable} table */
function comparison({ rows, ...table }) {
  /** @param {number} file */
  const column = (file) => ({
    title: strings.media.columns.file(file),
    cell: (/** @type {Row} */ row) => html`<div>${valueCell((file === 1 ? row.value.data : row.value.data_to_compare) || null)}
      <${Quotes} row=${{ ...row, evidence: row.evidence.filter((e) => e.file === file) }} ...${table} /></div>`,
  });
  return html`<${Table} caption=${strings.media.values} rows=${rows} rowKey=${(/** @type {Row} */ row) => row.name} columns=${[
    { title: strings.media.columns.name, cell: variableCell },
    column(1), column(2),
    { title: strings.media.columns.comparison, cell: (/** @type {Row} */ row) => html`<div>
      <${DifferenceNote} difference=${row.value.difference} /><div dir="auto">${row.value.comparison}</div></div>` },
  ]} />`;
}

/** @param {Row} row */
function variableCell(row) {
  return html`<bdi class="mono variable-name">${row.name}</bdi>`;
}

/** @param {unknown} value */
function isCompared(value) {
  return typeof value === "object" && value !== null && "comparison" in value;
}

/**
 * The evidence of all variables as one list.
 * @param {Record<string, any[]> | undefined} evidence
 * @returns {Evidence[]}
 */
function listEvidence(evidence) {
  return Object.entries(evidence ?? {}).flatMap(([variable, quotes]) =>
    quotes.map((quote, i) => ({ ...quote, id: JSON.stringify([variable, i]), variable, file: quote.file ?? 1 })));
}

/**
 * The places of possible values, for the values that were not found. It leaves out what is almost impossible.
 * @param {Run["answer"]} answer
 * @returns {Evidence[]}
 */
function listCandidates({ candidates, evidence }) {
  /** @type {(variable: string, file: number) => boolean} */
  const isFound = (variable, file) => (evidence?.[variable] ?? []).some((/** @type {any} */ quote) => (quote.file ?? 1) === file);
  return listEvidence(candidates).filter((c) => c.confidence >= 0.01 && !isFound(c.variable, c.file))
    .map((c) => ({ ...c, id: `candidate ${c.id}`, isCandidate: true }));
}

/** @param {unknown} value */
function valueCell(value) {
  if (value === null) return html`<${Badge}>${strings.media.notFound}<//>`;
  if (typeof value === "boolean") return value ? strings.media.yes : strings.media.no;
  if (typeof value === "number") return html`<span class="found">${formatNumber(value, 20)}</span>`;
  return html`<bdi class="found">${String(value)}</bdi>`;
}

/** @param {Evidence | undefined} evidence */
function confidenceCell(evidence) {
  if (!evidence) return "–";
  const tone = evidence.confidence >= 0.8 ? "good" : evidence.confidence >= 0.5 ? "warning" : "bad";
  return html`<${Badge} tone=${tone}>${strings.common.percent(formatNumber(evidence.confidence * 100, 0))}<//>`;
}

/** @param {Omit<ValueTable, "rows"> & {row: Row}} props */
function Quotes({ row, run, canShow, select }) {
  if (row.evidence.length === 0) return null;
  const hasCandidates = row.evidence.some((evidence) => evidence.isCandidate);
  return html`${hasCandidates ? html`<p class="hint">${strings.media.candidates}</p>` : null}
  <ul class="quotes">${row.evidence.map((evidence) => html`<li key=${evidence.id}>
    <q><bdi>${evidence.quote}</bdi></q>
    ${evidence.isCandidate ? confidenceCell(evidence) : null}
    <${Source} evidence=${evidence} run=${run} canShow=${canShow} select=${select} />
  </li>`)}</ul>`;
}

/**
 * The page of a quote, and the button that shows it in the file. A variable can have several possible values, so their buttons name the value.
 * @param {Omit<ValueTable, "rows"> & {evidence: Evidence}} props
 */
function Source({ evidence, run, canShow, select }) {
  const shown = evidence.isCandidate ? evidence.quote : evidence.variable;
  return html`<span class="muted">${place(evidence, run)}</span>
    ${canShow(evidence) ? html`<${Button} kind="quiet" label=${strings.media.showPlace(shown, fileLabel(evidence, run))}
      onClick=${() => select(evidence)}>${strings.media.show}<//>` : null}`;
}

/**
 * Where a quote stands: its page or the like, and its place within.
 * @param {Evidence} evidence
 * @param {Run} run
 */
function place({ page, file, place: within }, run) {
  if (within?.cell) return strings.media.place.cell(within.sheet ?? "", within.cell);
  const part = page > 0 ? strings.media.place[partName(fileName(run, file))](page) : "";
  const heading = within?.headings?.length ? strings.media.place.heading(within.headings.at(-1) ?? "") : "";
  const row = within?.table && within.row ? strings.media.place.row(within.table, within.row) : "";
  return [part, heading, row].filter(Boolean).join(", ");
}

/**
 * @param {Evidence} evidence
 * @param {Run} run
 */
function fileLabel(evidence, run) {
  return run.task === "compare" ? strings.media.columns.file(evidence.file) : "";
}

/**
 * @param {Run} run
 * @param {number} file 1 or 2
 */
function fileName(run, file) {
  return run.names[file - 1] ?? "";
}

/**
 * The text that the service has read from a file, if the answer has it.
 * @param {Run} run
 * @param {number} file 1 or 2
 * @returns {import("./blocks.js").Text | undefined}
 */
function textOf(run, file) {
  return run.answer.texts?.[file - 1];
}
