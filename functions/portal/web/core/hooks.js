// Hooks for loading data and for actions.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Problem } from "./api.js";
import { strings } from "./strings.js";

/**
 * Loads data when the component appears and when one of the dependencies changes. The data of the previous load stay until
 * the next arrive, so that tables do not flicker.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {unknown[]} dependencies
 * @returns {{data: T | undefined, problem: Problem | undefined, isLoading: boolean, reload: () => void}}
 */
export function useLoad(load, dependencies) {
  const [round, setRound] = useState(0);
  const [state, setState] = useState(/** @type {{data?: T, problem?: Problem, isLoading: boolean}} */ ({ isLoading: true }));
  const wanted = [...dependencies, round];
  const started = useRef(/** @type {unknown[]} */ ([]));
  useEffect(() => {
    started.current = wanted;
    const abort = new AbortController();
    setState((before) => ({ data: before.data, isLoading: true }));
    load(abort.signal).then(
      (data) => abort.signal.aborted || setState({ data, isLoading: false }),
      (error) => abort.signal.aborted || setState((before) => ({ ...before, problem: asProblem(error), isLoading: false })),
    );
    return () => abort.abort();
  }, wanted);
  const reload = useCallback(() => setRound((n) => n + 1), []);
  // An effect runs after the browser has drawn. The page must not look loaded until then.
  const isLoading = state.isLoading || wanted.some((value, i) => value !== started.current[i]);
  return { data: state.data, problem: state.problem, isLoading, reload };
}

/**
 * A page of a list whose total is known, for Pager.
 * @template {{data: unknown[], pagination: {total: number, offset: number}}} L
 * @param {(query: {offset: number, limit: number}, signal: AbortSignal) => Promise<L>} read
 * @param {number} limit
 * @param {unknown[]} dependencies
 */
export function usePage(read, limit, dependencies) {
  const [offset, setOffset] = useState(0);
  const load = useLoad((signal) => read({ offset, limit }, signal), [...dependencies, offset]);
  const count = load.data?.data.length ?? 0;
  const total = load.data?.pagination.total ?? 0;
  return {
    load, setOffset,
    /** Chooses the page with the last entry, after one was added. */
    showAdded: () => setOffset(Math.floor(total / limit) * limit),
    /** Chooses the page before if this one has become empty, after an entry was deleted. */
    showRest: () => setOffset(count > 1 ? offset : Math.max(0, offset - limit)),
  };
}

/**
 * Wraps an action that changes something. While it runs, another call does nothing, so a double click acts once.
 * @template {unknown[]} A
 * @param {(...args: A) => Promise<unknown>} act
 * @returns {{run: (...args: A) => Promise<boolean>, isRunning: boolean, problem: Problem | undefined, clear: () => void}} run
 *   resolves to true if the action succeeded
 */
export function useAction(act) {
  const isBusy = useRef(false);
  const [state, setState] = useState(/** @type {{isRunning: boolean, problem?: Problem}} */ ({ isRunning: false }));
  /** @param {A} args */
  const run = async (...args) => {
    if (isBusy.current) return false;
    isBusy.current = true;
    setState({ isRunning: true });
    try {
      await act(...args);
      setState({ isRunning: false });
      return true;
    } catch (error) {
      setState({ isRunning: false, problem: asProblem(error) });
      return false;
    } finally {
      isBusy.current = false;
    }
  };
  return { run, isRunning: state.isRunning, problem: state.problem, clear: () => setState({ isRunning: false }) };
}

/**
 * @param {unknown} error
 * @returns {Problem}
 */
export function asProblem(error) {
  if (error instanceof Problem) return error;
  console.error(error); // a defect of the portal
  return new Problem({ status: 0, code: "DEFECT", detail: strings.problems.defect });
}

/**
 * The idempotency key of a body. It is the same whenever the body is. So if the response to a creation is lost, pressing the button
 * again returns the first result instead of creating a second resource. The key must be a random UUID, because it also encrypts a
 * new secret.
 * @param {unknown} body
 * @returns {string}
 */
export function useIdempotencyKey(body) {
  const keys = useRef(new Map());
  const text = JSON.stringify(body);
  if (!keys.current.has(text)) keys.current.set(text, crypto.randomUUID());
  return keys.current.get(text);
}
