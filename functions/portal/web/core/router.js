// The router: which page the address names, and how pages change the address.
import { useEffect, useState } from "preact/hooks";
import { guardedAddress } from "./leave-guard.js";

/** @typedef {import("./types").Page} Page */

const listeners = new Set();

function changed() {
  for (const listener of listeners) listener();
}

addEventListener("popstate", () => {
  if (guardedAddress()) history.pushState(null, "", guardedAddress());
  else changed();
});

/**
 * Opens a page of the portal.
 * @param {string} address path and query
 * @param {{replace?: boolean}} [options] replace: without a new entry in the browser's history
 */
export function navigate(address, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", address);
  changed();
}

/**
 * Changes parameters in the query of the address, so that a link to the page keeps the view. Empty values are removed.
 * @param {Record<string, string | number | null | undefined>} values
 * @param {{replace?: boolean}} [options]
 */
export function setQuery(values, options) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined || value === "") query.delete(name);
    else query.set(name, String(value));
  }
  const search = query.toString();
  navigate(search ? `${location.pathname}?${search}` : location.pathname, options);
}

/** The address of the page. The component renders again when it changes. */
export function useAddress() {
  const [, render] = useState(0);
  useEffect(() => {
    const listener = () => render((n) => n + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return { path: trimSlash(location.pathname), query: new URLSearchParams(location.search) };
}

/** @param {string} path */
function trimSlash(path) {
  return path.length > 1 ? path.replace(/\/+$/, "") : path;
}

/**
 * Returns the first page whose path matches, with the values of its parameters, or null. A parameter matches one segment, which
 * may contain an escaped slash only if it is the name of a repository, such as acme%2Fapp.
 * @param {Page[]} pages
 * @param {string} path
 * @returns {{page: Page, params: Record<string, string>} | null}
 */
export function match(pages, path) {
  for (const page of pages) {
    const params = matchPath(page.path.split("/"), path.split("/"));
    if (params) return { page, params };
  }
  return null;
}

/**
 * @param {string[]} pattern
 * @param {string[]} segments
 */
function matchPath(pattern, segments) {
  if (pattern.length !== segments.length) return null;
  /** @type {Record<string, string>} */
  const params = {};
  for (const [i, part] of pattern.entries()) {
    if (part.startsWith("{")) {
      const value = decode(segments[i]);
      if (!value || (value.includes("/") && part !== "{repository}")) return null;
      params[part.slice(1, -1)] = value;
    } else if (part !== segments[i]) {
      return null;
    }
  }
  return params;
}

/** @param {string} segment */
function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return ""; // a malformed escape
  }
}

/**
 * Opens links to pages of the portal without loading the document again. Clicks with a modifier key keep their meaning.
 * @param {MouseEvent} event
 */
export function followLink(event) {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (guardedAddress()) return; // the browser loads the document, and asks before it leaves this one
  const isOwn = link.origin === location.origin && /^\/portal(\/|$)/.test(link.pathname);
  if (!isOwn || link.target || link.hasAttribute("download") || link.hash) return;
  event.preventDefault();
  navigate(link.pathname + link.search);
}
