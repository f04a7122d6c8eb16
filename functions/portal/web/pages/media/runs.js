// The list of runs. A run is one request, from the upload of its files to its answer; work.js does the work. Runs that send files take
// turns. Jobs survive a reload of the page: their IDs are in the address, and the storage of the tab has the names of their files.
import { useEffect, useState } from "preact/hooks";
import { asProblem } from "../../core/hooks.js";
import { setQuery } from "../../core/router.js";
import { currentUser } from "../../core/session.js";
import { loadFromTab, saveToTab, tasks } from "./settings.js";
import { followJob, sendRun } from "./work.js";

/** @typedef {import("./request.js").Call} Call */
/** @typedef {import("./settings.js").Task} Task */
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
 * @property {import("../../core/api.js").Problem | undefined} problem
 */

let lastId = 0;

/** The list of runs, newest first. It calls its listener after each change. */
class Runs {
  /** @param {string} key of the jobs in the storage of the tab */
  constructor(key) {
    this.key = key;
    /** @type {Run[]} */
    this.list = [];
    this.listener = () => {};
    /** @type {Map<number, AbortController>} */
    this.aborts = new Map();
    /** Resolves when the last enqueued run has ended. */
    this.lastEnqueued = Promise.resolve();
  }

  /**
   * Adds a run for each call and starts them one after the other. It skips a call that a busy run is sending already.
   * @param {{task: Task, call: Call}[]} calls
   */
  start(calls) {
    const runs = calls.filter(({ call }) => !this.isInProgress(call)).map(({ task, call }) => newRun(task, call.parts.map((p) => p.file), call));
    this.list = [...runs, ...this.list];
    for (const run of runs) this.enqueue(run.id);
    this.changed();
  }

  /** @param {Call} call */
  isInProgress(call) {
    return this.list.some((run) => isBusy(run) && run.call && isSame(run.call, call));
  }

  /** Follows the jobs whose IDs are in the address or, if it has none, the jobs in the storage of the tab. */
  resume() {
    const query = new URLSearchParams(location.search);
    const stored = loadFromTab(this.key) ?? [];
    const idsInAddress = query.get("jobs")?.split(",").filter((id) => /^[0-9a-f-]{36}$/.test(id)) ?? [];
    const task = tasks.find((t) => t === query.get("task")) ?? "summarize";
    const ids = idsInAddress.length > 0 ? idsInAddress : stored.map((/** @type {any} */ job) => job.jobId);
    for (const jobId of new Set(ids)) {
      const job = stored.find((/** @type {any} */ j) => j.jobId === jobId) ?? { task, names: [] };
      const run = { ...newRun(job.task, [], null), names: job.names, jobId, state: /** @type {State} */ ("queued") };
      this.list = [...this.list, run];
      void this.doWork(run.id, followJob);
    }
    this.changed();
  }

  /** @param {number} id */
  enqueue(id) {
    this.lastEnqueued = this.lastEnqueued.then(() => (this.find(id)?.state === "waiting" ? this.doWork(id, sendRun) : undefined));
  }

  /**
   * Repeats a run that failed or was stopped. If the user stopped waiting for a job, it follows the same job again.
   * @param {number} id
   */
  retry(id) {
    const run = this.find(id);
    if (!run) return;
    const isFollowing = run.jobId !== "" && run.state === "stopped";
    this.update(id, { state: isFollowing ? "queued" : "waiting", problem: undefined, progress: 0, ...(isFollowing ? {} : { jobId: "" }) });
    if (isFollowing) void this.doWork(id, followJob);
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

  /** Stops all requests, because the page is closed. The jobs stay in the storage of the tab. */
  close() {
    this.listener = () => {};
    for (const abort of this.aborts.values()) abort.abort();
    this.list = [];
  }

  /**
   * Does the work of a run. An error becomes the problem of the run, unless the user stopped it.
   * @param {number} id
   * @param {(run: Run, progress: import("./work.js").Progress) => Promise<void>} work
   */
  async doWork(id, work) {
    const run = this.find(id);
    if (!run) return;
    const abort = new AbortController();
    this.aborts.set(id, abort);
    try {
      await work(run, { signal: abort.signal, report: (change) => this.update(id, change) });
    } catch (error) {
      if (!abort.signal.aborted) this.update(id, { state: "failed", problem: asProblem(error) });
    } finally {
      if (this.aborts.get(id) === abort) this.aborts.delete(id);
    }
  }

  /** @param {number} id */
  find(id) {
    return this.list.find((run) => run.id === id);
  }

  /**
   * Changes a run. A stopped run ignores changes without a state, which are progress that arrives late.
   * @param {number} id
   * @param {Partial<Run>} change
   */
  update(id, change) {
    this.list = this.list.map((run) => {
      const isLate = run.state === "stopped" && !change.state;
      return run.id === id && !isLate ? { ...run, ...change } : run;
    });
    this.changed();
  }

  /** Stores the jobs in the tab and in the address, and calls the listener. */
  changed() {
    const jobs = this.list.filter((run) => run.jobId);
    saveToTab(this.key, jobs.map(({ jobId, task, names }) => ({ jobId, task, names })));
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

/** The runs of the page. The component renders again when they change. */
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
