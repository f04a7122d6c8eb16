// Shows where in a file the values were found: on the page of a PDF, in a text, or in a picture.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { Loaded, Loading, ProblemMessage } from "../../components/page.js";
import { asProblem, useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { BlocksView, hasPlace } from "./blocks.js";
import { readContent, visibleName } from "./document.js";
import { drawPage, openPDF } from "./pdf.js";
import { findQuote, newIndex } from "./quotes.js";

/** @typedef {import("../../core/types").Schema<"Box">} Box in points, from the top left corner of the page */
/** @typedef {import("../../core/types").Schema<"Quote">} Source */
/** @typedef {Source & {id: string, variable: string, file: number, isCandidate?: boolean}} Evidence */
/** @typedef {import("./document.js").Content} Content */

/** How many characters of a long text are shown before and after the place. */
const contextCharacters = 30_000;

/**
 * The file with all places of its values; the selected one stands out.
 * @typedef {object} EvidenceProps
 * @property {File | undefined} file undefined after a reload of the page; without the text, the view asks for the file again
 * @property {string} name of the file
 * @property {import("./blocks.js").Text | undefined} text what the service has read from the file, if the answer has it
 * @property {Evidence[]} places
 * @property {Evidence} selected
 * @property {(file: File) => void} onFile
 * @property {() => void} onClose
 */

/** @param {EvidenceProps} props */
export function EvidenceView({ file, name, text, places, selected, onFile, onClose }) {
  const heading = useRef(/** @type {HTMLHeadingElement | null} */ (null));
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: "start" });
  }, [selected.id]);
  return html`<div class="evidence">
    <div class="section-head">
      <h4 ref=${heading} tabindex="-1">${strings.media.evidence.title(selected.variable)} <bdi class="muted">${visibleName(name)}</bdi></h4>
      <${Button} onClick=${onClose}>${strings.common.close}<//>
    </div>
    ${file ? html`<${Viewer} key=${name} file=${file} text=${text} places=${places} selected=${selected} />`
      : text ? html`<${ReadText} text=${text} name=${name} places=${places} selected=${selected} />`
        : html`<${ChooseAgain} onFile=${onFile} />`}
  </div>`;
}

/** @param {{onFile: (file: File) => void}} props */
function ChooseAgain({ onFile }) {
  /** @param {any} event */
  const choose = (event) => event.currentTarget.files[0] && onFile(event.currentTarget.files[0]);
  return html`<div class="field"><label>${strings.media.evidence.chooseAgain}<input type="file" onChange=${choose} /></label></div>`;
}

/** @param {{file: File, text: EvidenceProps["text"], places: Evidence[], selected: Evidence}} props */
function Viewer({ file, text, places, selected }) {
  const content = useLoad(() => readContent(file), [file]);
  const readText = html`<${ReadText} text=${text} name=${file.name} places=${places} selected=${selected} />`;
  return html`<${Loaded} load=${content}>${(/** @type {Content} */ read) => {
    if (read.kind === "pdf") return html`<${PDFView} file=${file} places=${places} selected=${selected} />`;
    if (read.kind === "picture") {
      return html`${selected.box ? null : html`<p>${strings.media.evidence.unmarked}</p>${readText}`}
        <${Picture} file=${file} places=${places} selected=${selected} />`;
    }
    if (read.kind !== "text" || text) return readText;
    return html`<${TextView} text=${read.text} isMarkup=${read.isMarkup} places=${places} selected=${selected} />`;
  }}<//>`;
}

/**
 * The text that the service has read, with the place, or only the quote.
 * @param {{text: EvidenceProps["text"], name: string, places: Evidence[], selected: Evidence}} props
 */
function ReadText({ text, name, places, selected }) {
  if (text && hasPlace(text, selected)) return html`<${BlocksView} text=${text} name=${name} places=${places} selected=${selected} />`;
  return html`${text ? html`<p>${strings.media.evidence.notLocated}</p>` : null}<${Quote} evidence=${selected} />`;
}

/** @param {{evidence: Evidence}} props */
function Quote({ evidence }) {
  return html`<blockquote><bdi>${evidence.quote}</bdi></blockquote>`;
}

/**
 * The picture with the places that have a box. The unit of boxes is a pixel of the upright picture, as the browser shows it.
 * @param {{file: File, places: Evidence[], selected: Evidence}} props
 */
function Picture({ file, places, selected }) {
  const [url, setURL] = useState("");
  const [size, setSize] = useState(/** @type {{width: number, height: number} | null} */ (null));
  useEffect(() => {
    const created = URL.createObjectURL(file);
    setURL(created);
    return () => URL.revokeObjectURL(created);
  }, [file]);
  if (!url) return null;
  /** @param {any} event */
  const measure = ({ currentTarget: { naturalWidth, naturalHeight } }) => setSize({ width: naturalWidth, height: naturalHeight });
  return html`<div class="paper fitted">
    <img class="picture" src=${url} onLoad=${measure} alt=${strings.media.evidence.picture(visibleName(file.name))} />
    ${size && html`<${Marks} places=${places} selected=${selected} page=${size} />`}
  </div>`;
}

/** @param {{text: string, isMarkup: boolean, places: Evidence[], selected: Evidence}} props */
function TextView({ text, isMarkup, places, selected }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const index = useMemo(() => newIndex(text, { isMarkup }), [text]);
  const marks = useMemo(() => newMarks(index, places, selected), [index, places, selected.id]);
  useEffect(() => {
    const mark = /** @type {HTMLElement | null | undefined} */ (box.current?.querySelector("mark.selected"));
    if (box.current && mark) box.current.scrollTop = mark.offsetTop - box.current.clientHeight / 2;
  }, [marks]);
  const current = marks.find((mark) => mark.id === selected.id);
  if (!current) return html`<p>${strings.media.evidence.notLocated}</p><${Quote} evidence=${selected} />`;
  const from = Math.max(0, current.from - contextCharacters);
  const to = Math.min(text.length, current.to + contextCharacters);
  return html`<pre class="document" ref=${box} tabindex="0" role="region" aria-label=${strings.media.evidence.text}
    >${from > 0 ? "… " : ""}${pieces(text, marks, { from, to }, selected)}${to < text.length ? " …" : ""}</pre>`;
}

/**
 * The places of the evidence in a text, in order and without overlaps; the selected place has priority.
 * @param {import("./quotes.js").Index} index
 * @param {Evidence[]} places
 * @param {Evidence} selected
 */
function newMarks(index, places, selected) {
  /** @type {{id: string, from: number, to: number}[]} */
  const marks = [];
  for (const place of [selected, ...places]) {
    const range = findQuote(index, place);
    if (range && !marks.some((mark) => mark.from < range.to && range.from < mark.to)) marks.push({ id: place.id, ...range });
  }
  return marks.sort((a, b) => a.from - b.from);
}

/**
 * A part of the text as nodes, with its marks.
 * @param {string} text
 * @param {{id: string, from: number, to: number}[]} marks
 * @param {import("./quotes.js").Range} range
 * @param {Evidence} selected
 */
function pieces(text, marks, { from, to }, selected) {
  const nodes = [];
  let at = from;
  for (const mark of marks.filter((m) => m.from >= from && m.to <= to)) {
    nodes.push(text.slice(at, mark.from));
    nodes.push(html`<mark class=${mark.id === selected.id ? "selected" : ""}>${text.slice(mark.from, mark.to)}</mark>`);
    at = mark.to;
  }
  nodes.push(text.slice(at, to));
  return nodes;
}

/** @param {{file: File, places: Evidence[], selected: Evidence}} props */
function PDFView({ file, places, selected }) {
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  const number = Math.max(selected.page, 1);
  const { drawn, problem } = useDrawing(file, number, canvas);
  if (problem) return html`<${ProblemMessage} problem=${problem} /><${Quote} evidence=${selected} />`;
  const page = drawn?.number === number ? drawn : null;
  return html`${page ? null : html`<${Loading} />`}
    ${page && !selected.box ? html`<p>${strings.media.evidence.notLocated}</p><${Quote} evidence=${selected} />` : null}
    <div class="paper" hidden=${!page}>
      <canvas ref=${canvas} role="img" aria-label=${strings.media.evidence.page(number, visibleName(file.name))}></canvas>
      ${page && html`<${Marks} places=${places} selected=${selected} page=${page} />`}
    </div>`;
}

/**
 * The boxes of all places on the page of the selected one.
 * @param {{places: Evidence[], selected: Evidence, page: {width: number, height: number}}} props
 */
function Marks({ places, selected, page }) {
  return places.filter((place) => place.page === selected.page).map(({ id, box }) => box &&
    html`<div key=${id} class=${id === selected.id ? "mark selected" : "mark"} style=${percentages(box, page)}></div>`);
}

/**
 * Draws a page of a file. The result has the page's number, and its size in points.
 * @param {File} file
 * @param {number} number
 * @param {{current: HTMLCanvasElement | null}} canvas
 */
function useDrawing(file, number, canvas) {
  const pdf = useLoad(() => openPDF(file), [file]);
  const [drawn, setDrawn] = useState(/** @type {{number: number, width: number, height: number} | null} */ (null));
  const [problem, setProblem] = useState(/** @type {import("../../core/api.js").Problem | undefined} */ (undefined));
  useEffect(() => () => void pdf.data?.destroy(), [pdf.data]);
  useEffect(() => {
    if (!pdf.data || !canvas.current) return undefined;
    const abort = new AbortController();
    drawPage(pdf.data.document, number, { canvas: canvas.current, signal: abort.signal }).then(
      (size) => abort.signal.aborted || setDrawn({ number, ...size }),
      (error) => abort.signal.aborted || setProblem(asProblem(error)),
    );
    return () => abort.abort();
  }, [pdf.data, number]);
  return { drawn, problem: pdf.problem ?? problem };
}

/**
 * @param {Box} box
 * @param {{width: number, height: number}} page
 */
function percentages({ left, top, right, bottom }, { width, height }) {
  return {
    left: `${left / width * 100}%`, top: `${top / height * 100}%`,
    width: `${(right - left) / width * 100}%`, height: `${(bottom - top) / height * 100}%`,
  };
}
