// The list of customers.
import { Button, ButtonLink } from "../../components/buttons.js";
import { Select } from "../../components/fields.js";
import { Empty, Loaded, Page } from "../../components/page.js";
import { ListSearch, SearchResults } from "../../components/searchresults.js";
import { CustomerStatus } from "../../components/statuses.js";
import { Pager, Table } from "../../components/table.js";
import { get } from "../../core/api.js";
import { formatDate, formatNumber } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { setQuery, useAddress } from "../../core/router.js";
import { can } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { statusOptions } from "./fields.js";

const texts = strings.customers;
const limit = 50;

/** @typedef {import("../../core/customers.js").ListedCustomer} ListedCustomer */

export default function Customers() {
  const { query } = useAddress();
  const q = (query.get("q") ?? "").trim();
  const view = { status: query.get("status") ?? "", offset: Number(query.get("offset")) || 0 };
  const actions = can("customers:write") ? html`<${ButtonLink} href="/portal/customers/new" kind="primary">${texts.create}<//>` : null;
  return html`<${Page} title=${texts.title} intro=${texts.intro} actions=${actions}>
    <div class="filters">
      <${ListSearch} label=${texts.search} q=${q} />
      ${q ? null : html`<${Select} label=${texts.status} value=${view.status} hidesOptional
        options=${[{ value: "", label: texts.allStatuses }, ...statusOptions]}
        onChange=${(/** @type {string} */ status) => setQuery({ status, offset: null })} />`}
    </div>
    ${q ? html`<${SearchResults} path="/v1/customers/search" q=${q} hint=${texts.searchHint}>
        ${(/** @type {ListedCustomer[]} */ customers) => html`<${CustomerTable} customers=${customers} />`}<//>`
      : html`<${CustomerList} view=${view} />`}
  <//>`;
}

/** @param {{view: {status: string, offset: number}}} props */
function CustomerList({ view }) {
  const load = useLoad((signal) => get("/v1/customers", { query: { ...view, limit }, signal }), [view.status, view.offset]);
  return html`<${Loaded} load=${load}>${(/** @type {any} */ { data, pagination }) => html`
    ${data.length > 0 ? html`<p class="muted" role="status">${texts.total(formatNumber(pagination.total))}</p>
      <${CustomerTable} customers=${data} />` : html`<${Nothing} isFiltered=${view.status !== ""} />`}
    <${Pager} offset=${pagination.offset} limit=${limit} total=${pagination.total}
      onChange=${(/** @type {number} */ offset) => setQuery({ offset })} />`}
  <//>`;
}

/** @param {{customers: ListedCustomer[]}} props */
function CustomerTable({ customers }) {
  const columns = [
    { title: texts.name, cell: (/** @type {ListedCustomer} */ c) => html`<a href=${`/portal/customers/${c.id}`}><bdi>${c.name}</bdi></a>` },
    { title: texts.slug, cell: (/** @type {ListedCustomer} */ c) => html`<span class="mono">${c.slug}</span>` },
    { title: texts.status, cell: (/** @type {ListedCustomer} */ c) => html`<${CustomerStatus} status=${c.status} />` },
    { title: texts.externalId, cell: (/** @type {ListedCustomer} */ c) => html`<bdi>${c.externalId || "–"}</bdi>` },
    { title: texts.created, cell: (/** @type {ListedCustomer} */ c) => formatDate(c.createdAt) },
  ];
  return html`<${Table} caption=${texts.caption} columns=${columns} rows=${customers}
    rowKey=${(/** @type {ListedCustomer} */ c) => c.id} />`;
}

/** @param {{isFiltered: boolean}} props */
function Nothing({ isFiltered }) {
  if (!isFiltered) return html`<${Empty} title=${texts.empty}><p>${texts.emptyText}</p><//>`;
  return html`<${Empty} title=${texts.none}>
    <${Button} onClick=${() => setQuery({ status: null, offset: null })}>${texts.allStatuses}<//>
  <//>`;
}
