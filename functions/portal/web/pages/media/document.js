// Detects the kind of a file that the page can show: a PDF, a picture or a text. The content decides, not the name.
import { hidden } from "../../core/hidden.js";

/** @typedef {{kind: "pdf" | "picture" | "other"} | {kind: "text", text: string, isMarkup: boolean}} Content */

/** Texts above this size are not shown. */
const maxTextBytes = 8_000_000;

/** The first bytes of the pictures that browsers show. */
const pictures = [[0x89, 0x50, 0x4e, 0x47], [0xff, 0xd8, 0xff], [0x47, 0x49, 0x46, 0x38], [0x52, 0x49, 0x46, 0x46]];

/**
 * Detects the kind of a file. A file that was deleted or changed on the disk cannot be shown.
 * @param {File} file
 * @returns {Promise<Content["kind"]>}
 */
export async function detectKind(file) {
  const bytes = await file.slice(0, 1024).arrayBuffer().catch(() => null);
  if (!bytes) return "other";
  const head = new Uint8Array(bytes);
  const latin = new TextDecoder("latin1").decode(head);
  if (latin.includes("%PDF-")) return "pdf";
  if (isPicture(head, latin)) return "picture";
  const isBinary = (head.includes(0) && !hasUTF16Mark(head)) || latin.startsWith("PK") || latin.startsWith("{\\rtf");
  return isBinary || file.size > maxTextBytes ? "other" : "text";
}

/**
 * Reads a file as far as that is necessary to show it.
 * @param {File} file
 * @returns {Promise<Content>}
 */
export async function readContent(file) {
  const kind = await detectKind(file);
  if (kind !== "text") return { kind };
  const text = decode(new Uint8Array(await file.arrayBuffer()));
  return { kind, text, isMarkup: /^\s*<(!|\?|[a-z])/i.test(text) };
}

/**
 * @param {Uint8Array} head
 * @param {string} latin
 */
function isPicture(head, latin) {
  const isKnown = pictures.some((magic) => magic.every((byte, i) => head[i] === byte));
  return isKnown && (!latin.startsWith("RIFF") || latin.slice(8, 12) === "WEBP");
}

/** @param {Uint8Array} head */
function hasUTF16Mark(head) {
  return (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
}

/**
 * Decodes UTF-16 with a byte order mark, UTF-8 and, if it is neither, Windows-1252.
 * @param {Uint8Array} bytes
 */
function decode(bytes) {
  if (hasUTF16Mark(bytes)) return new TextDecoder(bytes[0] === 0xff ? "utf-16le" : "utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** The word for a part of a file that the API counts as a page, by the end of the file's name. */
const parts = { pptx: "slide", odp: "slide", xlsx: "sheet", xls: "sheet", ods: "sheet", epub: "chapter" };

/**
 * @param {string} name
 * @returns {"page" | "slide" | "sheet" | "chapter"}
 */
export function partName(name) {
  const ending = name.split(".").pop()?.toLowerCase() ?? "";
  return Object.hasOwn(parts, ending) ? /** @type {any} */ (parts)[ending] : "page";
}

/**
 * The name of a file in which hidden characters are visible as [U+202E].
 * @param {string} name
 */
export function visibleName(name) {
  return name.replace(hidden, (c) => `[U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`);
}

/** Files whose places the page can mark without the text of the API, by the ends of their names. */
const shownAsTheyAre = /\.(pdf|txt|text|md|csv|tsv|json|log)$/i;

/**
 * Whether the page needs the text that the service reads from the file to show where a value was found.
 * @param {File} file
 */
export function needsText({ name }) {
  return !shownAsTheyAre.test(name);
}
