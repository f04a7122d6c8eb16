// The list of runs. A run is one request, from the upload of its files to its answer; work.js does the work, one run after the
// other. Jobs survive a reload of the page: their IDs are in the address, and the tab remembers the names of their files.
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

/** Runs is the list of runs, newest first. It tells its listener after each change. */
class Runs {
  /** @param {string} key in the storage of the tab, which keeps the jobs */
  constructor(key) {
    this.key = key;
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
    const runs = calls.filter(({ call }) => !this.isInProgress(call)).map(({ task, call }) => newRun(task, call.parts.map((p) => p.file), call));
    this.list = [...runs, ...this.list];
    for (const run of runs) this.enqueue(run.id);
    this.changed();
  }

  /** @param {Call} call */
  isInProgress(call) {
    return this.list.some((run) => isBusy(run) && run.call && isSame(run.call, call));
  }

  /** Follows the jobs of the address or, if it has none, those that the tab remembers. */
  resume() {
    const query = new URLSearchParams(location.search);
    const remembered = loadFromTab(this.key) ?? [];
    const named = query.get("jobs")?.split(",").filter((id) => /^[0-9a-f-]{36}$/.test(id)) ?? [];
    const task = tasks.find((t) => t === query.get("task")) ?? "summarize";
    const ids = named.length > 0 ? named : remembered.map((/** @type {any} */ job) => job.jobId);
    for (const jobId of new Set(ids)) {
      const job = remembered.find((/** @type {any} */ j) => j.jobId === jobId) ?? { task, names: [] };
      const run = { ...newRun(job.task, [], null), names: job.names, jobId, state: /** @type {State} */ ("queued") };
      this.list = [...this.list, run];
      void this.doWork(run.id, followJob);
    }
    this.changed();
  }

  /** @param {number} id */
  enqueue(id) {
    this.last = this.last.then(() => (this.find(id)?.state === "waiting" ? this.doWork(id, sendRun) : undefined));
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

  /** Stops all requests, because the page is closed. The tab still remembers the jobs. */
  close() {
    this.listener = () => {};
    for (const abort of this.aborts.values()) abort.abort();
    this.list = [];
  }

  /**
   * Does a part of the work of a run. A failure belongs to the run, unless the user stopped it.
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
   * Changes a run. A stopped run ignores late progress: only a new state changes it.
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

  /** Remembers the jobs, and tells the listener. */
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
