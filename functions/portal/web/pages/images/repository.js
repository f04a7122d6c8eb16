// A repository with its tags.
import { CursorPager } from "../../components/pager.js";
import { Digest } from "../../components/untrusted.js";
import { Empty, Loaded, Page, Section } from "../../components/page.js";
import { RecentPulls } from "../../components/pulls.js";
import { SearchForm } from "../../components/search.js";
import { Table } from "../../components/table.js";
import { get } from "../../core/api.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { setQuery, useAddress } from "../../core/router.js";
import { strings } from "../../core/strings.js";

const texts = strings.images;
const limit = 50;

/** @typedef {import("../../core/types").Schema<"ImageTag">} Tag */

/** @param {{params: Record<string, string>}} props */
export default function Repository({ params: { repository } }) {
  const { query } = useAddress();
  const view = { q: query.get("q") ?? "", cursor: query.get("cursor") ?? "" };
  const load = useLoad((signal) => get("/v1/images/tags", { query: { repository, ...view, limit }, signal }), [repository, view.q, view.cursor]);
  return html`<${Page} title=${repository} intro=${html`<a href="/portal/images">${texts.all}</a>`}>
    <${Section} title=${texts.tags}>
      <${SearchForm} key=${view.q} label=${texts.findTag} value=${view.q} maxLength=${128}
        onSearch=${(/** @type {string} */ q) => setQuery({ q, cursor: null })} />
      <${Loaded} load=${load}>${(/** @type {any} */ { data, pagination }) => html`
        ${data.length > 0 ? html`<${TagTable} repository=${repository} tags=${data} />`
          : pagination.hasMore ? html`<p role="status">${strings.lists.searchOn}</p>` : html`<${Empty} title=${strings.lists.nothingFound} />`}
        <${CursorPager} label=${texts.tags} first=${strings.lists.first} next=${strings.common.next} isFirst=${!view.cursor}
          cursor=${pagination.next} onChange=${(/** @type {string} */ cursor) => setQuery({ cursor })} />`}
      <//>
    <//>
    <${RecentPulls} repository=${repository} />
  <//>`;
}

/** @param {{repository: string, tags: Tag[]}} props */
function TagTable({ repository, tags }) {
  const columns = [
    {
      title: texts.tag,
      cell: (/** @type {Tag} */ t) => html`<a href=${`/portal/images/${encodeURIComponent(repository)}/${encodeURIComponent(t.tag)}`}>${t.tag}</a>`,
    },
    { title: texts.digest, cell: (/** @type {Tag} */ t) => html`<${Digest} digest=${t.digest} />` },
    { title: texts.type, cell: (/** @type {Tag} */ t) => texts.mediaTypes[t.mediaType ?? ""] ?? t.mediaType ?? "–" },
  ];
  return html`<${Table} caption=${texts.tags} columns=${columns} rows=${tags} rowKey=${(/** @type {Tag} */ t) => t.tag} />`;
}
