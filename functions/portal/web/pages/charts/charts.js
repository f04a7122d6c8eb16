// The list of charts.
import { NothingPublished } from "../../components/nothing-published.js";
import { CursorPager } from "../../components/pager.js";
import { UntrustedText } from "../../components/untrusted.js";
import { Empty, Loaded, Page } from "../../components/page.js";
import { SearchForm } from "../../components/search.js";
import { Badge, Table } from "../../components/table.js";
import { get } from "../../core/api.js";
import { formatDate, formatNumber } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { setQuery, useAddress } from "../../core/router.js";
import { canForAll } from "../../core/session.js";
import { strings } from "../../core/strings.js";

const texts = strings.charts;
const limit = 50;

/** @typedef {import("../../core/types").Schema<"ChartSummary">} Chart */

export default function Charts() {
  const { query } = useAddress();
  const view = { q: query.get("q") ?? "", cursor: query.get("cursor") ?? "" };
  const load = useLoad((signal) => get("/v1/charts", { query: { ...view, limit }, signal }), [view.q, view.cursor]);
  return html`<${Page} title=${texts.title} intro=${canForAll("tokens:read") ? texts.introAll : texts.introOwn}>
    <${SearchForm} key=${view.q} label=${texts.find} value=${view.q} maxLength=${250}
      onSearch=${(/** @type {string} */ q) => setQuery({ q, cursor: null })} />
    <${Loaded} load=${load}>${(/** @type {any} */ { data, pagination }) => html`
      <p class="muted" role="status">${texts.total(formatNumber(pagination.total))}</p>
      ${data.length > 0 ? html`<${ChartTable} charts=${data} />` : html`<${Nothing} q=${view.q} />`}
      <${CursorPager} label=${texts.title} first=${strings.lists.first} next=${strings.common.next} isFirst=${!view.cursor}
        cursor=${pagination.next} onChange=${(/** @type {string} */ cursor) => setQuery({ cursor })} />`}
    <//>
  <//>`;
}

/** @param {{charts: Chart[]}} props */
function ChartTable({ charts }) {
  const columns = [
    {
      title: texts.name, cell: (/** @type {Chart} */ c) => html`<a href=${`/portal/charts/${encodeURIComponent(c.name)}`}>${c.name}</a>
        ${c.deprecated ? html` <${Badge} tone="warning">${texts.deprecated}<//>` : null}`,
    },
    { title: texts.version, cell: (/** @type {Chart} */ c) => c.version },
    { title: texts.appVersion, cell: (/** @type {Chart} */ c) => html`<${UntrustedText} text=${c.appVersion} most=${40} />` },
    { title: texts.description, cell: (/** @type {Chart} */ c) => html`<${UntrustedText} text=${c.description} most=${200} />` },
    { title: texts.versions, cell: (/** @type {Chart} */ c) => formatNumber(c.versions), isNumber: true },
    { title: texts.updated, cell: (/** @type {Chart} */ c) => html`<span class="nowrap">${formatDate(c.updatedAt)}</span>` },
  ];
  return html`<${Table} caption=${texts.caption} columns=${columns} rows=${charts} rowKey=${(/** @type {Chart} */ c) => c.name} />`;
}

/** @param {{q: string}} props */
function Nothing({ q }) {
  if (q) return html`<${Empty} title=${strings.lists.nothingFound} />`;
  return html`<${NothingPublished} none=${texts.none} publish=${texts.publish} example=${texts.example} noneOwn=${texts.noneOwn} />`;
}
