// The list of the registry's repositories.
import { NothingPublished } from "../../components/nothing-published.js";
import { CursorPager } from "../../components/pager.js";
import { Empty, Loaded, Page } from "../../components/page.js";
import { SearchForm } from "../../components/search.js";
import { Table } from "../../components/table.js";
import { get } from "../../core/api.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { setQuery, useAddress } from "../../core/router.js";
import { canForAll } from "../../core/session.js";
import { strings } from "../../core/strings.js";

const texts = strings.images;
const limit = 50;

/** @typedef {import("../../core/types").Schema<"ImageRepository">} Repository */

export default function Images() {
  const { query } = useAddress();
  const view = { q: query.get("q") ?? "", cursor: query.get("cursor") ?? "" };
  const load = useLoad((signal) => get("/v1/images", { query: { ...view, limit }, signal }), [view.q, view.cursor]);
  const columns = [{
    title: texts.repository,
    cell: (/** @type {Repository} */ r) => html`<a href=${`/portal/images/${encodeURIComponent(r.repository)}`}>${r.repository}</a>`,
  }];
  return html`<${Page} title=${texts.title} intro=${canForAll("tokens:read") ? texts.introAll : texts.introOwn}>
    <${SearchForm} key=${view.q} label=${texts.find} value=${view.q} maxLength=${255}
      onSearch=${(/** @type {string} */ q) => setQuery({ q: q.toLowerCase(), cursor: null })} />
    <${Loaded} load=${load}>${(/** @type {any} */ { data, pagination }) => html`
      ${data.length > 0 ? html`<${Table} caption=${texts.caption} columns=${columns} rows=${data}
          rowKey=${(/** @type {Repository} */ r) => r.repository} />` : html`<${Nothing} q=${view.q} hasMore=${pagination.hasMore} />`}
      <${CursorPager} label=${texts.title} first=${strings.lists.first} next=${strings.common.next} isFirst=${!view.cursor}
        cursor=${pagination.next} onChange=${(/** @type {string} */ cursor) => setQuery({ cursor })} />`}
    <//>
  <//>`;
}

/** @param {{q: string, hasMore: boolean}} props */
function Nothing({ q, hasMore }) {
  if (hasMore) return html`<p role="status">${strings.lists.searchOn}</p>`;
  if (q) return html`<${Empty} title=${strings.lists.nothingFound} />`;
  return html`<${NothingPublished} none=${texts.none} publish=${texts.publish} example=${texts.example} noneOwn=${texts.noneOwn} />`;
}
