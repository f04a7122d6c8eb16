// Uploads of files that are too large for a request: a form that the API has signed takes the file to the bucket.
import { Problem } from "../../core/api.js";
import { strings } from "../../core/strings.js";

/** @typedef {import("../../core/types").Schema<"Upload">} Upload */

/** The API's limit for an upload. The bucket enforces it. The page checks it first, to fail before sending. */
const maxBytes = 200 * 2 ** 20;

/** How long an upload can be used again. The service keeps it for 24 hours. */
const reuseMilliseconds = 23 * 3600 * 1000;

/** @type {WeakMap<File, {id: string, at: number}>} */
const uploads = new WeakMap();

/**
 * Uploads a file, unless it was uploaded before.
 * @param {File} file
 * @param {{offer: () => Promise<Upload>, signal: AbortSignal, onProgress: (progress: number) => void}} options
 * @returns {Promise<string>} the ID of the upload
 */
export async function uploadFile(file, { offer, signal, onProgress }) {
  const before = uploads.get(file);
  if (before && Date.now() - before.at < reuseMilliseconds) return before.id;
  if (file.size > maxBytes) throw new Problem({ status: 413, detail: strings.media.uploadTooLarge });
  const { url, fields, uploadId } = await offer();
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file);
  await postForm(url, form, { signal, onProgress });
  uploads.set(file, { id: uploadId, at: Date.now() });
  return uploadId;
}

/**
 * Posts a form with an XMLHttpRequest, because fetch does not report progress.
 * @param {string} url
 * @param {FormData} form
 * @param {{signal: AbortSignal, onProgress: (progress: number) => void}} options
 * @returns {Promise<void>}
 */
function postForm(url, form, { signal, onProgress }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", url);
    request.upload.onprogress = (event) => onProgress(event.lengthComputable ? event.loaded / event.total : 0);
    request.onload = () => (request.status < 300 ? resolve() : reject(refusal(request)));
    request.onerror = () => reject(new Problem({ status: 0, code: "OFFLINE", detail: strings.media.uploadFailed }));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });
}

/** @param {XMLHttpRequest} request with an error document of S3 */
function refusal(request) {
  const code = /<Code>(\w+)<\/Code>/.exec(request.responseText)?.[1] ?? "";
  const requestId = /<RequestId>([\w-]+)<\/RequestId>/.exec(request.responseText)?.[1] ?? "";
  const detail = code === "EntityTooLarge" ? strings.media.uploadTooLarge : strings.media.uploadRefused(code || String(request.status));
  return new Problem({ status: request.status, code, detail, requestId });
}
