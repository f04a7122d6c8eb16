// The work on the files: each run is one request, from the upload of its files to its answer. Runs are done one after the
// other. Jobs survive a reload of the page: their IDs are in the address, and the tab remembers the names of their files.
import { useEffect, useState } from "preact/hooks";
import { get, post, Problem, send } from "../../core/api.js";
import { asProblem } from "../../core/hooks.js";
import { setQuery } from "../../core/router.js";
import { currentUser } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { toForm } from "./request.js";
import { keep, recall, tasks } from "./settings.js";
import { uploadFile } from "./upload.js";

/** @typedef {import("./request.js").Call} Call */
/** @typedef {import("./settings.js").Task} Task */
/** @typedef {import("../../core/types").Schema<"Job">} Job */
/** @typedef {"waiting" | "uploading" | "sending" | "queued" | "running" | "done" | "failed" | "stopped"} State */
/**
 * @typedef {object} Run
 * @property {number} id
 * @property {Task} task
 * @property {string[]} names of the files
 * @property {File[]} files none after a reload
 * @property {Call | null} call null after a reload
 * @property {State} state
 * @property {number} progress 0 to 1, of the upload or of the job
 * @property {string} jobId
 * @property {any} answer
 * @property {Problem | undefined} problem
 */

/** How many polls in a row may fail before the run fails. */
const maxFailedPolls = 10;

let lastId = 0;

/** Runs is the list of runs, newest first. It tells its listener after each change. */
class Runs {
  /** @param {string} place where the tab keeps the jobs */
  constructor(place) {
    this.place = place;
    /** @type {Run[]} */
    this.list = [];
    this.listener = () => {};
    /** @type {Map<number, AbortController>} */
    this.aborts = new Map();
    /** The end of the last run that sends files. */
    this.last = Promise.resolve();
  }

  /**
   * Adds runs and starts them one after the other. A call that is still being worked on is not sent again.
   * @param {{task: Task, call: Call}[]} calls
   */
  start(calls) {
    const runs = calls.filter(({ call }) => !this.list.some((run) => isBusy(run) && run.call && isSame(run.call, call))).map(({ task, call }) => newRun(task, call.parts.map((p) => p.file), call));
    this.list = [...runs, ...this.list];
    for (const run of runs) this.enqueue(run.id);
    this.changed();
  }

  /** Follows the jobs of the address or, if it has none, those that the tab remembers. */
  resume() {
    const query = new URLSearchParams(location.search);
    const remembered = recall(this.place) ?? [];
    const named = query.get("jobs")?.split(",").filter((id) => /^[0-9a-f-]{36}$/.test(id)) ?? [];
    const task = tasks.find((t) => t === query.get("task")) ?? "summarize";
    const ids = named.length > 0 ? named : remembered.map((/** @type {any} */ job) => job.jobId);
    for (const jobId of new Set(ids)) {
      const job = remembered.find((/** @type {any} */ j) => j.jobId === jobId) ?? { task, names: [] };
      const run = { ...newRun(job.task, [], null), names: job.names, jobId, state: /** @type {State} */ ("queued") };
      this.list = [...this.list, run];
      void this.follow(run.id, 0);
    }
    this.changed();
  }

  /** @param {number} id */
  enqueue(id) {
    this.last = this.last.then(() => (this.find(id)?.state === "waiting" ? this.work(id) : undefined));
  }

  /**
   * Repeats a run that failed or was stopped. A job that still runs is followed again.
   * @param {number} id
   */
  retry(id) {
    const run = this.find(id);
    if (!run) return;
    const isFollowing = run.jobId !== "" && run.state === "stopped";
    this.update(id, { state: isFollowing ? "queued" : "waiting", problem: undefined, progress: 0, ...(isFollowing ? {} : { jobId: "" }) });
    if (isFollowing) void this.follow(id, 0);
    else this.enqueue(id);
  }

  /**
   * Stops waiting for a run. A job continues on the server.
   * @param {number} id
   */
  stop(id) {
    this.aborts.get(id)?.abort();
    this.update(id, { state: "stopped" });
  }

  /** @param {number} id */
  remove(id) {
    this.aborts.get(id)?.abort();
    this.list = this.list.filter((run) => run.id !== id);
    this.changed();
  }

  /** Stops all requests, because the page is closed. The tab still remembers the jobs. */
  close() {
    this.listener = () => {};
    for (const abort of this.aborts.values()) abort.abort();
    this.list = [];
  }

  /**
   * Sends a run's files and waits for its answer.
   * @param {number} id
   */
  async work(id) {
    await this.guarded(id, async (run, signal) => {
      if (!run.call) return;
      const call = await this.upload(run, run.call, signal);
      signal.throwIfAborted();
      this.update(id, { state: "sending", call });
      const response = await send("POST", call.path, { query: call.query, headers: call.headers, body: toForm(call), signal });
      const body = await response.json();
      if (response.status !== 202) {
        this.update(id, { state: "done", answer: body });
        return;
      }
      this.update(id, { state: "queued", progress: 0, jobId: body.id });
      await this.poll(id, Number(response.headers.get("Retry-After")) || 1, signal);
    });
  }

  /**
   * Waits for the answer of a job.
   * @param {number} id
   * @param {number} seconds until the first request
   */
  async follow(id, seconds) {
    await this.guarded(id, (_, signal) => this.poll(id, seconds, signal));
  }

  /**
   * Runs a part of the work. A failure belongs to the run, unless the person stopped it.
   * @param {number} id
   * @param {(run: Run, signal: AbortSignal) => Promise<void>} work
   */
  async guarded(id, work) {
    const run = this.find(id);
    if (!run) return;
    const abort = new AbortController();
    this.aborts.set(id, abort);
    try {
      await work(run, abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) this.update(id, { state: "failed", problem: asProblem(error) });
    } finally {
      if (this.aborts.get(id) === abort) this.aborts.delete(id);
    }
  }

  /**
   * Uploads the files that are too large for the request, and returns the call with the IDs of the uploads.
   * @param {Run} run
   * @param {Call} call
   * @param {AbortSignal} signal
   * @returns {Promise<Call>}
   */
  async upload(run, call, signal) {
    const parts = [];
    for (const part of call.parts) {
      if (!part.isUpload) {
        parts.push(part);
        continue;
      }
      this.update(run.id, { state: "uploading", progress: 0 });
      const offer = () => post("/v1/uploads", { signal });
      parts.push({ ...part, uploadId: await uploadFile(part.file, { offer, signal, onProgress: (progress) => this.update(run.id, { progress }) }) });
    }
    return { ...call, parts };
  }

  /**
   * Asks for a job until it has ended.
   * @param {number} id
   * @param {number} seconds until the first request
   * @param {AbortSignal} signal
   */
  async poll(id, seconds, signal) {
    const interval = Math.max(seconds, 1);
    let failed = 0;
    let wait = seconds;
    for (;;) {
      await delay(wait, signal);
      try {
        const job = await get("/v1/capabilities/jobs/{jobId}", { path: { jobId: this.find(id)?.jobId ?? "" }, signal });
        failed = 0;
        wait = interval;
        if (this.showJob(id, job)) return;
      } catch (error) {
        const problem = asProblem(error);
        failed++;
        if (signal.aborted || !problem.isTemporary || failed === maxFailedPolls) throw error;
        wait = Math.max(problem.retryAfter, interval);
      }
    }
  }

  /**
   * @param {number} id
   * @param {Job} job
   * @returns {boolean} whether the job has ended
   */
  showJob(id, job) {
    if (job.status === "succeeded") {
      this.update(id, { state: "done", answer: job.result, progress: 1 });
    } else if (job.status === "failed") {
      const { code, detail } = /** @type {NonNullable<Job["error"]>} */ (job.error);
      this.update(id, { state: "failed", problem: new Problem({ status: 422, code, detail: `${detail} ${strings.media.jobReference(job.id)}` }) });
    } else {
      this.update(id, { state: job.status, progress: job.progress });
      return false;
    }
    return true;
  }

  /** @param {number} id */
  find(id) {
    return this.list.find((run) => run.id === id);
  }

  /**
   * @param {number} id
   * @param {Partial<Run>} some
   */
  update(id, some) {
    this.list = this.list.map((run) => (run.id === id && !(run.state === "stopped" && !some.state) ? { ...run, ...some } : run));
    this.changed();
  }

  /** Remembers the jobs, and tells the listener. */
  changed() {
    const jobs = this.list.filter((run) => run.jobId);
    keep(this.place, jobs.map(({ jobId, task, names }) => ({ jobId, task, names })));
    const ids = jobs.map((run) => run.jobId).join(",");
    if (ids !== (new URLSearchParams(location.search).get("jobs") ?? "")) setQuery({ jobs: ids }, { replace: true });
    this.listener();
  }
}

/**
 * Whether the run has not ended.
 * @param {Run} run
 */
export function isBusy(run) {
  return !["done", "failed", "stopped"].includes(run.state);
}

/**
 * @param {Call} a
 * @param {Call} b
 */
function isSame(a, b) {
  const hasSameFiles = a.parts.every((part, i) => part.file === b.parts[i]?.file);
  return a.path === b.path && a.model === b.model && hasSameFiles && JSON.stringify(a.headers) === JSON.stringify(b.headers);
}

/**
 * @param {Task} task
 * @param {File[]} files
 * @param {Call | null} call
 * @returns {Run}
 */
function newRun(task, files, call) {
  lastId++;
  return {
    id: lastId, task, files, call, names: files.map((f) => f.name), state: "waiting", progress: 0, jobId: "", answer: undefined, problem: undefined,
  };
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

/** The runs of the page. The component is rendered again when they change. */
export function useRuns() {
  const [, render] = useState(0);
  const [runs] = useState(() => new Runs(`portside.media.jobs.${currentUser().id}`));
  useEffect(() => {
    runs.listener = () => render((n) => n + 1);
    runs.resume();
    return () => runs.close();
  }, []);
  return runs;
}
