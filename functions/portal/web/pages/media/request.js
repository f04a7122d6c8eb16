// The request for a task: as a form that the page sends, and as a command of curl that sends the same.
import { hidden } from "../../core/hidden.js";
import { needsText } from "./document.js";
import { toModel } from "./settings.js";

/** @typedef {import("./settings.js").Settings} Settings */
/** @typedef {{field: string, file: File, uploadId?: string, isUpload: boolean}} Part a file, or the upload that takes its place */
/** @typedef {{path: MediaPath, query: Record<string, string>, headers: Record<string, string>, model: string, parts: Part[]}} Call */
/** @typedef {"/v1/capabilities/summarize/media" | "/v1/capabilities/extract/media" | "/v1/capabilities/compare/media"} MediaPath */

/** The largest sum of files in a request. The API accepts 4.4 MB; the rest is for the settings. */
const maxDirectBytes = 4_000_000;

/**
 * The call for one file, or for two files to compare.
 * @param {Settings} settings
 * @param {File[]} files
 * @returns {Call}
 */
export function newCall(settings, files) {
  const model = toModel(settings);
  const isJob = settings.isJob;
  return {
    path: /** @type {MediaPath} */ (`/v1/capabilities/${settings.task}/media`),
    query: settings.task === "summarize" ? {} : { include: `evidence,candidates${files.some(needsText) ? ",text" : ""}` },
    headers: isJob ? { Prefer: "respond-async" } : {},
    model: Object.keys(model).length > 0 ? JSON.stringify(model) : "",
    parts: newParts(settings.task === "compare" ? ["file1", "file2"] : ["file"], files),
  };
}

/**
 * Marks the largest files as uploads until the others fit into the request.
 * @param {string[]} fields
 * @param {File[]} files
 * @returns {Part[]}
 */
function newParts(fields, files) {
  let bytes = files.reduce((sum, file) => sum + file.size, 0);
  const uploads = new Set();
  for (const file of [...files].sort((a, b) => b.size - a.size)) {
    if (bytes <= maxDirectBytes) break;
    uploads.add(file);
    bytes -= file.size;
  }
  return files.map((file, i) => ({ field: fields[i], file, isUpload: uploads.has(file) }));
}

/**
 * The form of a call. Its uploads must be done.
 * @param {Call} call
 */
export function toForm(call) {
  const form = new FormData();
  if (call.model) form.append("model", call.model);
  for (const part of call.parts) {
    if (part.uploadId) form.append(`${part.field}_upload_id`, part.uploadId);
    else form.append(part.field, part.file);
  }
  return form;
}

/**
 * The commands that send the call with curl. $KEY stands for an API key.
 * @param {Call} call
 * @param {string} origin
 */
export function toCurl(call, origin) {
  const lines = [];
  for (const part of call.parts.filter((p) => p.isUpload && !p.uploadId)) lines.push(...uploadCommands(part, origin));
  const query = Object.entries(call.query).map(([name, value]) => `${name}=${value}`).join("&"); // of safe characters
  const options = [
    ...Object.entries(call.headers).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...(call.model ? [`--form-string ${shellQuote(`model=${call.model}`)}`] : []),
    ...call.parts.map(fileOption),
  ];
  const first = `curl -sS --fail-with-body -H "X-API-Key: $KEY" ${shellQuote(origin + call.path + (query ? `?${query}` : ""))}`;
  return [...lines, [first, ...options].join(" \\\n  ")].join("\n");
}

/** @param {Part} part */
function fileOption({ field, file, isUpload, uploadId }) {
  if (uploadId) return `--form-string ${shellQuote(`${field}_upload_id=${uploadId}`)}`;
  return isUpload ? `--form-string "${field}_upload_id=$${variableName(field)}"` : `-F ${shellQuote(`${field}=@${quoteCurlPath(file.name)}`)}`;
}

/** @param {string} field */
function variableName(field) {
  return `${field.toUpperCase()}_UPLOAD_ID`;
}

/**
 * Commands that upload a file and keep the ID of the upload in a variable.
 * @param {Part} part
 * @param {string} origin
 */
function uploadCommands({ field, file }, origin) {
  return [
    `curl -sS --fail-with-body -X POST -H "X-API-Key: $KEY" ${shellQuote(`${origin}/v1/uploads`)} > upload.json`,
    String.raw`sed -E 's/.*"fields":\{([^}]*)\}.*/\1/; s/","/"\n"/g' upload.json |`,
    String.raw`  sed -E 's/"([^"]+)":"([^"]*)"/form-string = "\1=\2"/' > upload.form`,
    String.raw`curl -sS --fail-with-body -K upload.form -F ${shellQuote(`file=@${quoteCurlPath(file.name)}`)} \
  "$(sed -E 's/.*"url":"([^"]*)".*/\1/' upload.json)"`,
    String.raw`${variableName(field)}=$(sed -E 's/.*"uploadId":"([^"]*)".*/\1/' upload.json)`,
  ];
}

/**
 * A path for curl's option -F. Without the quotation marks, curl would split it at commas and semicolons.
 * @param {string} name
 */
function quoteCurlPath(name) {
  const path = name === "-" ? "./-" : name; // - is the standard input
  return `"${path.replace(/[\\"]/g, "\\$&")}"`;
}

/**
 * A word for a POSIX shell. Hidden characters are written as escapes, which needs bash, zsh or another shell with $'…'.
 * @param {string} text
 */
export function shellQuote(text) {
  if (text.search(hidden) < 0) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return `$'${text.replace(/[\\']/g, "\\$&").replace(hidden, escapeBytes)}'`;
}

/** @param {string} character */
function escapeBytes(character) {
  return [...new TextEncoder().encode(character)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}
