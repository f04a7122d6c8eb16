// The events of the page as a file for spreadsheets, from all pages of the list.
import { send } from "../../core/api.js";
import { downloadText } from "../../core/download.js";

/** The most requests for a file, each of at most limit events. With a filter, a page can have few of them. */
const mostPages = 100;
const limit = 100;

/**
 * Downloads the events, and returns whether the file has all of them.
 * @param {Record<string, string>} view the filters
 * @returns {Promise<boolean>}
 */
export async function downloadEvents(view) {
  const parts = [];
  /** @type {string | null} */
  let cursor = "";
  for (let page = 0; cursor !== null && page < mostPages; page++) {
    const response = await send("GET", "/v1/audit", { query: { ...view, cursor, limit }, headers: { Accept: "text/csv" } });
    const text = await response.text();
    parts.push(page === 0 ? text : text.slice(text.indexOf("\n") + 1)); // only the first page has its titles in the file
    cursor = nextCursor(response.headers.get("Link"));
  }
  downloadText("audit.csv", "\uFEFF" + parts.join(""), "text/csv;charset=utf-8");
  return cursor === null;
}

/**
 * Returns the cursor of the next page, or null on the last page.
 * @param {string | null} link
 */
function nextCursor(link) {
  const path = link?.match(/^<([^>]*)>/)?.[1];
  return path ? new URL(path, location.href).searchParams.get("cursor") : null;
}
