// The steps of an import: read the file, let the server check it, send the lines that are ready in pieces, and report.
//
// The server reads the CSV text, so there is one parser and the preview shows what it found. A dry run returns each line that is
// ready as a line of JSON, which is sent back unread.
import { post, Problem } from "../../core/api.js";
import { downloadCSV, toCSV } from "../../core/csv.js";
import { strings } from "../../core/strings.js";
import { columns } from "./fields.js";

const texts = strings.userImport;

/** Lines per request; the server's limit is 250. */
export const pieceSize = 200;
const maxBytes = 1_500_000;
const maxAttempts = 8; // of one request, while the server is busy

/** @typedef {import("../../core/types").Schema<"ImportedRow">} Row */
/** @typedef {import("../../core/types").Schema<"ImportReport">} Report */
/** @typedef {{name: string, format: "csv" | "jsonl", text: string}} Source */

/**
 * Reads a file that the user chose. It throws a Problem if the file cannot be imported.
 * @param {File} file
 * @returns {Promise<Source>}
 */
export async function readSource(file) {
  if (file.size > maxBytes) throw refused(texts.tooLarge);
  const bytes = await file.arrayBuffer();
  let text = "";
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refused(texts.notUTF8);
  }
  if (text.includes("\0")) throw refused(texts.notText);
  const isJSON = /\.(jsonl|ndjson)$/i.test(file.name) || (!/\.csv$/i.test(file.name) && text.trimStart().startsWith("{"));
  return { name: file.name, format: isJSON ? "jsonl" : "csv", text };
}

/** @param {string} detail */
function refused(detail) {
  return new Problem({ status: 400, code: "VALIDATION_ERROR", detail });
}

/**
 * Asks the server what an import of the file would do.
 * @param {Source} source
 * @param {boolean} sendActivationEmail
 * @returns {Promise<Report>}
 */
export async function preview({ format, text }, sendActivationEmail) {
  return (await post("/v1/users/imports", { body: { format, text, sendActivationEmail, dryRun: true } })).data;
}

/**
 * Imports lines of a preview that are ready, and calls onPiece with the results of each piece. It stops between two pieces if the
 * signal is aborted. If the server is busy, it waits as long as the server asks and calls onWait.
 * It does not wait for the next day if the rows of the day are used up.
 * @param {Row[]} rows
 * @param {{signal: AbortSignal, onPiece: (rows: Row[]) => void, onWait: (seconds: number) => void}} options
 */
export async function importRows(rows, { signal, onPiece, onWait }) {
  for (let at = 0; at < rows.length && !signal.aborted; at += pieceSize) {
    const piece = rows.slice(at, at + pieceSize);
    const results = await sendPiece(piece, { signal, onWait });
    if (results) onPiece(results.map((result, i) => ({ ...result, line: piece[i].line })));
  }
}

/**
 * Sends one piece and retries while the server is busy. A retry creates no duplicate users. Returns null if the signal is aborted
 * while it waits.
 * @param {Row[]} piece
 * @param {{signal: AbortSignal, onWait: (seconds: number) => void}} options
 * @returns {Promise<Row[] | null>}
 */
async function sendPiece(piece, { signal, onWait }) {
  const body = { format: /** @type {const} */ ("jsonl"), text: piece.map((row) => row.source).join("\n") };
  for (let attempt = 1; ; attempt++) {
    try {
      return (await post("/v1/users/imports", { body })).data.rows;
    } catch (error) {
      if (!(error instanceof Problem) || !error.isTemporary || attempt === maxAttempts) throw error;
      if (error.code === "QUOTA_EXCEEDED") throw error; // until the next day
      for (let left = error.retryAfter || 2 ** attempt; left > 0 && !signal.aborted; left--) {
        onWait(left);
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
      if (signal.aborted) return null;
      onWait(0);
    }
  }
}

/**
 * Offers the lines that failed as a file.
 * @param {Row[]} rows
 */
export function downloadFailures(rows) {
  downloadCSV(texts.downloadName, [["line", "email", "reason"], ...rows.map((row) => [row.line, row.email, row.reasons.join("; ")])]);
}

/** A file that shows the columns. */
export const exampleCSV = toCSV([columns.map((c) => c.name), ...[0, 1].map((line) => columns.map((c) => c.examples?.[line]))]);

/** What an import expects of the columns that a file may lack. */
export const optionalColumns = columns.filter((c) => !c.isRequired).map((c) => (c.format ? `${c.name} (${c.format})` : c.name)).join(", ");
