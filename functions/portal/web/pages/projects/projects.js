// The list of projects.
import { Button, ButtonLink } from "../../components/buttons.js";
import { CustomerFilter } from "../../components/customerfilter.js";
import { Select } from "../../components/fields.js";
import { Empty, Loaded, Page } from "../../components/page.js";
import { ListSearch, SearchResults } from "../../components/searchresults.js";
import { Badge, Pager, Table } from "../../components/table.js";
import { get } from "../../core/api.js";
import { formatDate } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { setQuery, useAddress } from "../../core/router.js";
import { can, isStaff } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { statusOptions, statusTones } from "./fields.js";
import { usePeople } from "../../core/people.js";

const texts = strings.projects;
const limit = 50;

/** @typedef {import("../../core/types").Schema<"ListedProject">} ListedProject */

export default function Projects() {
  const { query } = useAddress();
  const q = (query.get("q") ?? "").trim();
  const view = {
    status: query.get("status") ?? "", customerId: query.get("customerId") ?? "", offset: Number(query.get("offset")) || 0,
  };
  const actions = can("projects:write") && isStaff() ? html`<${ButtonLink} href="/portal/projects/new" kind="primary">${texts.create}<//>` : null;
  return html`<${Page} title=${texts.title} intro=${texts.intro} actions=${actions}>
    <div class="filters">
      <${ListSearch} label=${texts.search} q=${q} />
      ${q ? null : html`<${Select} label=${texts.status} value=${view.status} hidesOptional
        options=${[{ value: "", label: texts.allStatuses }, ...statusOptions]}
        onChange=${(/** @type {string} */ status) => setQuery({ status, offset: null })} />
      <${CustomerFilter} value=${view.customerId} onChange=${(/** @type {string} */ customerId) => setQuery({ customerId, offset: null })} />`}
    </div>
    ${q ? html`<${SearchResults} path="/v1/projects/search" q=${q} hint=${texts.searchHint}>
        ${(/** @type {ListedProject[]} */ projects) => html`<${ProjectTable} projects=${projects} />`}<//>`
      : html`<${ProjectList} view=${view} />`}
  <//>`;
}

/** @param {{view: {status: string, customerId: string, offset: number}}} props */
function ProjectList({ view }) {
  const load = useLoad((signal) => get("/v1/projects", { query: { ...view, limit }, signal }), Object.values(view));
  return html`<${Loaded} load=${load}>${(/** @type {any} */ { data, pagination }) => html`
    ${data.length > 0 ? html`<${ProjectTable} projects=${data} />` : html`<${Nothing} isFiltered=${Boolean(view.status || view.customerId)} />`}
    <${Pager} offset=${pagination.offset} limit=${limit} total=${pagination.total}
      onChange=${(/** @type {number} */ offset) => setQuery({ offset })} />`}
  <//>`;
}

/** @param {{projects: ListedProject[]}} props */
function ProjectTable({ projects }) {
  const people = usePeople(projects.map((p) => p.ownerId));
  const columns = [
    { title: texts.name, cell: (/** @type {ListedProject} */ p) => html`<a href=${`/portal/projects/${p.id}`}><bdi>${p.name}</bdi></a>` },
    { title: texts.status, cell: (/** @type {ListedProject} */ p) => html`<${Badge} tone=${statusTones[p.status]}>${texts.statuses[p.status]}<//>` },
    { title: texts.owner, cell: (/** @type {ListedProject} */ p) => html`<bdi>${people.name(p.ownerId)}</bdi>` },
    { title: texts.created, cell: (/** @type {ListedProject} */ p) => formatDate(p.createdAt) },
  ];
  return html`<${Table} caption=${texts.caption} columns=${columns} rows=${projects} rowKey=${(/** @type {ListedProject} */ p) => p.id} />`;
}

/** @param {{isFiltered: boolean}} props */
function Nothing({ isFiltered }) {
  if (!isFiltered) return html`<${Empty} title=${texts.empty}><p>${texts.emptyText}</p><//>`;
  return html`<${Empty} title=${texts.none}>
    <${Button} onClick=${() => setQuery({ status: null, customerId: null, offset: null })}>${texts.showAll}<//>
  <//>`;
}
