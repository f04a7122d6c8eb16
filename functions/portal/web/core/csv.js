// Tables as CSV files (RFC 4180) for spreadsheets.
import { downloadText } from "./download.js";

/** @typedef {string | number | null | undefined} Cell empty for null */

/**
 * Returns a table as CSV. A text that a spreadsheet would take for a formula gets an apostrophe in front, because texts
 * such as names come from other people. Numbers stay as they are. CSVCell in shared/core/text has the same rules.
 * @param {Cell[][]} rows the first one has the titles
 */
export function toCSV(rows) {
  return rows.map((row) => row.map(encode).join(",") + "\r\n").join("");
}

/** @param {Cell} cell */
function encode(cell) {
  if (typeof cell === "number") return String(cell);
  const text = cell ?? "";
  const isFormula = /^[\p{Z}\p{Cc}\p{Cf}]*[=+\-@\t\r\n＝＋－＠]/u.test(text) && !/^[+-]\d+(?:[.,]\d+)*$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Offers a table as a file. The mark at its beginning tells spreadsheets that it is UTF-8.
 * @param {string} name without the extension
 * @param {Cell[][]} rows
 */
export function downloadCSV(name, rows) {
  downloadText(`${name}.csv`, "\uFEFF" + toCSV(rows), "text/csv;charset=utf-8");
}
