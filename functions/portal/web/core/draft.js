// Forms that change a resource with an ETag. If someone else changes the resource while the form is open, the form keeps what
// was typed, and merges and shows the other changes, so that nobody overwrites them by accident.
import { useEffect, useRef, useState } from "preact/hooks";
import { getResource, Problem, put } from "./api.js";
import { useAction } from "./hooks.js";
import { strings } from "./strings.js";

/** @typedef {{field: string, before: string, now: string, isYours: boolean}} Difference a field that someone else changed */

/**
 * @template {Record<string, any>} V
 * @param {{path: any, parameters: Record<string, string>, resource: {data: any, etag: string}, toFields: (data: any) => V,
 *   toBody: (changed: Partial<V>) => object, onSaved: () => void | Promise<void>, describe?: (value: unknown, field: string) => string}} options
 *   toFields: the values of the form; toBody: the body for the fields that changed, which may throw a Problem; describe: a value in words
 */
export function useDraft({ path, parameters, resource, toFields, toBody, onSaved, describe = display }) {
  const [base, setBase] = useState(resource);
  const [values, setValues] = useState(() => toFields(resource.data));
  const [differences, setDifferences] = useState(/** @type {Difference[]} */ ([]));
  const before = toFields(base.data);
  const changed = Object.keys(values).filter((name) => !isEqual(values[name], before[name]));
  const isSaved = useRef(false);

  useEffect(() => { // the page has loaded the resource again: after a save, or after another action such as suspending a user
    if (resource.etag === base.etag) return;
    const kept = isSaved.current ? [] : changed;
    isSaved.current = false;
    setBase(resource);
    setValues((typed) => ({ ...toFields(resource.data), ...pick(typed, kept) }));
  }, [resource.etag]);

  /** @param {{data: any, etag: string}} current */
  const merge = (current) => {
    const now = toFields(current.data);
    const theirs = Object.keys(now).filter((name) => !isEqual(now[name], before[name]));
    setDifferences(theirs.map((field) => ({
      field, before: describe(before[field], field), now: describe(now[field], field), isYours: changed.includes(field),
    })));
    setBase(current);
    setValues((typed) => ({ ...now, ...pick(typed, changed) }));
  };
  const action = useAction(async () => {
    try {
      await put(path, { path: parameters, headers: { "If-Match": base.etag }, body: toBody(pick(values, changed)) });
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 412) throw error;
      const current = await getResource(path, { path: parameters });
      const now = toFields(current.data);
      const isStored = changed.every((name) => isEqual(values[name], now[name])); // by a request whose response was lost
      if (!isStored) {
        merge(current);
        throw new Problem({ status: 412, code: error.code, detail: strings.draft.conflict, requestId: error.requestId });
      }
    }
    setDifferences([]);
    isSaved.current = true;
    await onSaved();
  });
  /** @type {(name: keyof V) => (value: any) => void} */
  const set = (name) => (value) => {
    isSaved.current = false;
    setValues((typed) => ({ ...typed, [name]: value }));
  };
  return { values, set, action, differences, isChanged: changed.length > 0 };
}

/**
 * @template {Record<string, any>} V
 * @param {V} values
 * @param {string[]} names
 * @returns {Partial<V>}
 */
function pick(values, names) {
  return /** @type {any} */ (Object.fromEntries(names.map((name) => [name, values[name]])));
}

/** @type {(a: unknown, b: unknown) => boolean} */
function isEqual(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** @param {unknown} value */
function display(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * Says what to do if the resource of a request with If-Match has changed since the page was loaded.
 * @template T
 * @param {Promise<T>} request
 */
export async function explainConflict(request) {
  try {
    return await request;
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 412) throw error;
    throw new Problem({ status: 412, code: error.code, detail: strings.draft.changedMeanwhile, requestId: error.requestId });
  }
}
