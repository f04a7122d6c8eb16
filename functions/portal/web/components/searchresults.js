// The search of a list by the beginning of words. Its text is in the address, and its results take the place of the list.
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../core/api.js";
import { formatNumber } from "../core/format.js";
import { useLoad } from "../core/hooks.js";
import { html } from "../core/html.js";
import { setQuery } from "../core/router.js";
import { strings } from "../core/strings.js";
import { Button } from "./buttons.js";
import { Empty, Loaded } from "./page.js";
import { SearchForm } from "./search.js";

const texts = strings.lists;
const limit = 20;
/** The characters that the API accepts. */
export const maxText = 200;

/** @typedef {"/v1/users/search" | "/v1/projects/search" | "/v1/customers/search"} SearchPath */
/** @typedef {{q: string, cursor: string, rows: any[]}} Position where the next page begins, and the results of the pages before */

/**
 * The field of the search. The filters of the list stay in the address, so the list is the same again after the search. Going back
 * leads to the list, and not to each text that was typed.
 * @param {{label: string, q: string}} props
 */
export function ListSearch({ label, q }) {
  return html`<${SearchForm} label=${label} value=${q} maxLength=${maxText} isLive
    onSearch=${(/** @type {string} */ text) => text !== q && setQuery({ q: text }, { replace: q !== "" && text !== "" })} />`;
}

/**
 * The results of the search.
 * @param {{path: SearchPath, q: string, hint: string, children: (rows: any[]) => any}} props hint: how the search works
 */
export function SearchResults({ path, q, hint, children }) {
  const { load, showMore } = useSearch(path, q);
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));
  useFocusOnNew(box, load.data);
  const rows = load.data?.rows ?? [];
  return html`<div ref=${box}>
    <p class=${rows.length > 0 ? "muted" : "visually-hidden"} role="status">${load.problem ? "" : describe(load.data)}</p>
    <${Loaded} load=${load}>${() => html`
      ${rows.length > 0 ? children(rows) : html`<${Empty} title=${texts.nothingFound}><p>${hint}</p><//>`}
      ${load.data?.next ? html`<${Button} isRunning=${load.isLoading} onClick=${showMore}>${texts.showMore}<//>` : null}`}
    <//>
  </div>`;
}

/** @param {{rows: any[], next: string | null} | undefined} data */
function describe(data) {
  if (!data) return "";
  return data.rows.length > 0 ? texts.found(formatNumber(data.rows.length), data.next !== null) : texts.nothingFound;
}

/**
 * Loads the first page of a search, and the next ones as the user asks for them. A new text aborts the running request.
 * @param {SearchPath} path
 * @param {string} q
 */
function useSearch(path, q) {
  const first = { q, cursor: "", rows: [] };
  const [stored, setStored] = useState(/** @type {Position} */ (first));
  const position = stored.q === q ? stored : first;
  useEffect(() => setStored(first), [q]); // a text that was searched before starts again
  const load = useLoad((signal) => loadRows(path, position, signal), [q, position.cursor]);
  const showMore = () => load.data?.q === q && setStored({ q, cursor: load.data.next ?? "", rows: load.data.rows });
  return { load, showMore };
}

/**
 * Loads pages until one has a result, because a page can be empty although others follow.
 * @param {SearchPath} path
 * @param {Position} position
 * @param {AbortSignal} signal
 * @returns {Promise<{q: string, rows: any[], next: string | null, before: number}>} before: the number of results of earlier pages
 */
async function loadRows(path, { q, cursor, rows }, signal) {
  /** @type {string | null} */
  let next = cursor;
  for (;;) {
    /** @type {{data: any[], pagination: {next: string | null}}} */
    const page = await get(path, { query: { q, limit, cursor: next }, signal });
    next = page.pagination.next;
    if (page.data.length > 0 || !next) return { q, rows: [...rows, ...page.data], next, before: rows.length };
  }
}

/**
 * Moves the focus to the first of the results that the user asked for, because the button may be gone.
 * @param {{current: HTMLElement | null}} box
 * @param {{rows: any[], before: number} | undefined} data
 */
function useFocusOnNew(box, data) {
  useEffect(() => {
    if (!data || data.before === 0 || isElsewhere(box.current)) return;
    const at = Math.min(data.before, data.rows.length - 1);
    box.current?.querySelectorAll("tbody tr")[at]?.querySelector(/** @type {"a"} */ ("a, button"))?.focus();
  }, [data]);
}

/**
 * Whether the user has moved the focus out of the element, such as to the field of the search.
 * @param {HTMLElement | null} element
 */
function isElsewhere(element) {
  return document.activeElement !== document.body && !element?.contains(document.activeElement);
}
