// The work of a run: it uploads the files, sends the request, and polls the job until it ends.
import { get, post, Problem, send } from "../../core/api.js";
import { asProblem } from "../../core/hooks.js";
import { strings } from "../../core/strings.js";
import { toForm } from "./request.js";
import { uploadFile } from "./upload.js";

/** @typedef {import("./request.js").Call} Call */
/** @typedef {import("./runs.js").Run} Run */
/** @typedef {import("../../core/types").Schema<"Job">} Job */
/** @typedef {{signal: AbortSignal, report: (change: Partial<Run>) => void}} Progress report changes the run in the list */

/** The run fails when this many polls in a row have failed. */
const maxFailedPolls = 10;

/**
 * Sends a run's files and waits for its answer.
 * @param {Run} run
 * @param {Progress} progress
 */
export async function sendRun(run, { signal, report }) {
  if (!run.call) return;
  const call = await uploadParts(run.call, { signal, report });
  signal.throwIfAborted();
  report({ state: "sending", call });
  const response = await send("POST", call.path, { query: call.query, headers: call.headers, body: toForm(call), signal });
  const body = await response.json();
  if (response.status !== 202) {
    report({ state: "done", answer: body });
    return;
  }
  report({ state: "queued", progress: 0, jobId: body.id });
  await poll(body.id, Number(response.headers.get("Retry-After")) || 1, { signal, report });
}

/**
 * Waits for the answer of a run's job.
 * @param {Run} run
 * @param {Progress} progress
 */
export async function followJob(run, progress) {
  await poll(run.jobId, 0, progress);
}

/**
 * Uploads the files that are too large for the request, and returns the call with the IDs of the uploads.
 * @param {Call} call
 * @param {Progress} progress
 * @returns {Promise<Call>}
 */
async function uploadParts(call, { signal, report }) {
  const parts = [];
  for (const part of call.parts) {
    if (!part.isUpload) {
      parts.push(part);
      continue;
    }
    report({ state: "uploading", progress: 0 });
    const offer = () => post("/v1/uploads", { signal });
    const uploadId = await uploadFile(part.file, { offer, signal, onProgress: (fraction) => report({ progress: fraction }) });
    parts.push({ ...part, uploadId });
  }
  return { ...call, parts };
}

/**
 * Polls a job until it ends.
 * @param {string} jobId
 * @param {number} seconds until the first request
 * @param {Progress} progress
 */
async function poll(jobId, seconds, { signal, report }) {
  const interval = Math.max(seconds, 1);
  let failed = 0;
  let wait = seconds;
  for (;;) {
    await delay(wait, signal);
    try {
      const job = await get("/v1/capabilities/jobs/{jobId}", { path: { jobId }, signal });
      failed = 0;
      wait = interval;
      report(changeOf(job));
      if (job.status === "succeeded" || job.status === "failed") return;
    } catch (error) {
      if (signal.aborted) throw error; // the user stopped the wait
      const problem = asProblem(error);
      failed++;
      if (!problem.isTemporary || failed === maxFailedPolls) throw error;
      wait = Math.max(problem.retryAfter, interval);
    }
  }
}

/**
 * The change of a run that shows the status of its job.
 * @param {Job} job
 * @returns {Partial<Run>}
 */
function changeOf(job) {
  if (job.status === "succeeded") return { state: "done", answer: job.result, progress: 1 };
  if (job.status !== "failed") return { state: job.status, progress: job.progress };
  const { code, detail } = /** @type {NonNullable<Job["error"]>} */ (job.error);
  return { state: "failed", problem: new Problem({ status: 422, code, detail: `${detail} ${strings.media.jobReference(job.id)}` }) };
}

/**
 * @param {number} seconds
 * @param {AbortSignal} signal ends the wait with an error
 * @returns {Promise<void>}
 */
function delay(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
    if (signal.aborted) reject(signal.reason);
  });
}
