// Draws the page of a PDF with pdf.js. The library is loaded with the first PDF.

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
 * Draws a page and returns its size in points. A canvas takes one drawing at a time, so the caller must abort the previous one.
 * @param {any} document
 * @param {number} number from 1
 * @param {{canvas: HTMLCanvasElement, signal: AbortSignal}} to
 * @returns {Promise<{width: number, height: number}>}
 */
export async function drawPage(document, number, { canvas, signal }) {
  const page = await document.getPage(number);
  signal.throwIfAborted();
  const unit = page.userUnit || 1;
  const { width, height } = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: pixels / width });
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  const task = page.render({ canvas, viewport });
  signal.addEventListener("abort", () => task.cancel(), { once: true });
  await task.promise;
  return { width: width / unit, height: height / unit };
}
