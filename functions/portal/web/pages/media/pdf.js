// Draws the page of a PDF with pdf.js, and finds the positions of quotes. The library is loaded with the first PDF.
import { findQuote, newIndex } from "./quotes.js";

/** @typedef {{left: number, top: number, width: number, height: number}} Box shares of the page's width and height */
/** @typedef {{str: string, transform: number[], width: number, height: number, fontName: string, hasEOL: boolean}} Item */

/** How many pages before a quote's page are read to decide between equal places on it. */
const maxPagesBefore = 20;

/** The width of a drawn page in pixels that is sharp on all screens, and does not cost too much memory. */
const pixels = 1800;

const library = new URL("../../vendor/pdf.js", import.meta.url).href;
const workerScript = new URL("../../vendor/pdf.worker.js", import.meta.url).href;

/**
 * The library with its worker. The Content-Security-Policy permits only this Trusted Types policy, which accepts only the
 * address of the worker.
 */
const load = once(async () => {
  const pdfjs = await import(library);
  const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("portside-pdf", { createScriptURL: checkWorkerScript });
  const port = new Worker(policy ? policy.createScriptURL(workerScript) : workerScript, { type: "module" });
  return { pdfjs, worker: new pdfjs.PDFWorker({ port, verbosity: pdfjs.VerbosityLevel.ERRORS }) };
});

/** @param {string} address */
function checkWorkerScript(address) {
  if (address !== workerScript) throw new TypeError("not the worker of pdf.js");
  return address;
}

/**
 * Caches the result of a function. A failure is not cached.
 * @template T
 * @param {() => Promise<T>} act
 */
function once(act) {
  /** @type {Promise<T> | null} */
  let result = null;
  return () => {
    result ??= act().catch((error) => {
      result = null;
      throw error;
    });
    return result;
  };
}

/**
 * Opens a PDF. The caller destroys it.
 * @param {File} file
 * @returns {Promise<{document: any, destroy: () => Promise<void>}>}
 */
export async function openPDF(file) {
  const { pdfjs, worker } = await load();
  const data = new Uint8Array(await file.arrayBuffer());
  const task = pdfjs.getDocument({
    data, worker, useWasm: false, useWorkerFetch: false, enableXfa: false, verbosity: pdfjs.VerbosityLevel.ERRORS,
  });
  return { document: await task.promise, destroy: () => task.destroy() };
}

/**
 * Draws a page. A canvas takes one drawing at a time, so the caller must abort the previous one.
 * @param {any} document
 * @param {number} number from 1
 * @param {{canvas: HTMLCanvasElement, signal: AbortSignal}} to
 */
export async function drawPage(document, number, { canvas, signal }) {
  const page = await document.getPage(number);
  signal.throwIfAborted();
  const scale = pixels / page.getViewport({ scale: 1 }).width;
  const viewport = page.getViewport({ scale });
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  const task = page.render({ canvas, viewport });
  signal.addEventListener("abort", () => task.cancel(), { once: true });
  await task.promise;
}

/**
 * The boxes of quotes on a page, one list for each quote. A list is empty if the page's text does not contain the quote.
 * @param {any} document
 * @param {number} number from 1
 * @param {{quote: string, start: number}[]} quotes
 * @returns {Promise<Box[][]>}
 */
export async function findBoxes(document, number, quotes) {
  const first = Math.max(1, number - maxPagesBefore);
  const before = [];
  for (let i = first; i < number; i++) before.push(textOf((await readItems(await document.getPage(i))).items));
  const page = await document.getPage(number);
  const { items, styles } = await readItems(page);
  const prefix = before.map((text) => `${text}\n`).join("");
  const index = newIndex(prefix + textOf(items));
  const measure = newMeasure(styles);
  const viewport = page.getViewport({ scale: 1 });
  return quotes.map((quote) => {
    const range = findQuote(index, quote, prefix.length);
    return range ? boxesOf(items, { from: range.from - prefix.length, to: range.to - prefix.length }, { viewport, measure }) : [];
  });
}

/** @param {any} page */
async function readItems(page) {
  const { items, styles } = await page.getTextContent({ disableNormalization: true });
  return { items: /** @type {Item[]} */ (items), styles };
}

/** @param {Item[]} items */
function textOf(items) {
  return items.map((item) => item.str + (item.hasEOL ? "\n" : "")).join("");
}

/**
 * @param {Item[]} items
 * @param {import("./quotes.js").Range} range in their text
 * @param {{viewport: any, measure: Measure}} page
 * @returns {Box[]}
 */
function boxesOf(items, { from, to }, { viewport, measure }) {
  const boxes = [];
  let offset = 0;
  for (const item of items) {
    const begin = Math.max(from - offset, 0);
    const end = Math.min(to - offset, item.str.length);
    offset += item.str.length + (item.hasEOL ? 1 : 0);
    if (begin < end && item.str.slice(begin, end).trim()) boxes.push(boxOf(item, measure(item, begin, end), viewport));
  }
  return boxes;
}

/** @typedef {(item: Item, begin: number, end: number) => {from: number, to: number, ascent: number, descent: number}} Measure */

/**
 * Measures parts of items as shares of their width, with the font that the browser would use.
 * @param {Record<string, {fontFamily: string, ascent: number, descent: number}>} styles
 * @returns {Measure}
 */
function newMeasure(styles) {
  const context = document.createElement("canvas").getContext("2d");
  return (item, begin, end) => {
    const { fontFamily = "sans-serif", ascent = 0.9, descent = -0.2 } = styles[item.fontName] ?? {};
    if (context) context.font = `100px "${item.fontName}", ${fontFamily}`;
    /** @param {number} length */
    const width = (length) => context?.measureText(item.str.slice(0, length)).width ?? length;
    const all = width(item.str.length) || 1;
    return { from: width(begin) / all, to: width(end) / all, ascent: ascent || 0.9, descent: descent || -0.2 };
  };
}

/**
 * The box of a part of an item, which may be rotated.
 * @param {Item} item
 * @param {ReturnType<Measure>} part
 * @param {any} viewport
 * @returns {Box}
 */
function boxOf({ transform, width, height }, { from, to, ascent, descent }, viewport) {
  const [a, b, c, d, x, y] = transform;
  const along = unit(a, b);
  const up = unit(c, d);
  const corners = [from, to].flatMap((share) => [descent, ascent].map((level) => viewport.convertToViewportPoint(
    x + along[0] * width * share + up[0] * height * level, y + along[1] * width * share + up[1] * height * level)));
  const xs = corners.map((corner) => corner[0] / viewport.width);
  const ys = corners.map((corner) => corner[1] / viewport.height);
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  return { left, top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}

/**
 * @param {number} x
 * @param {number} y
 */
function unit(x, y) {
  const length = Math.hypot(x, y) || 1;
  return [x / length, y / length];
}
