// The list of users.
import { Button, ButtonLink } from "../../components/buttons.js";
import { CustomerFilter } from "../../components/customerfilter.js";
import { Select } from "../../components/fields.js";
import { Empty, Loaded, Page } from "../../components/page.js";
import { ListSearch, SearchResults } from "../../components/searchresults.js";
import { UserStatus } from "../../components/statuses.js";
import { Pager, Table } from "../../components/table.js";
import { get } from "../../core/api.js";
import { formatDate } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { setQuery, useAddress } from "../../core/router.js";
import { can } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { roleOptions, statusOptions } from "./roles.js";

const texts = strings.users;
const limit = 50;

/** @typedef {import("./roles.js").ListedUser} ListedUser */

export default function Users() {
  const { query } = useAddress();
  const q = (query.get("q") ?? "").trim();
  const view = {
    role: query.get("role") ?? "", status: query.get("status") ?? "", customerId: query.get("customerId") ?? "",
    offset: Number(query.get("offset")) || 0,
  };
  const actions = can("users:write") ? html`
    <${ButtonLink} href="/portal/users/import">${texts.import}<//>
    <${ButtonLink} href="/portal/users/new" kind="primary">${texts.create}<//>` : null;
  return html`<${Page} title=${texts.title} intro=${texts.intro} actions=${actions}>
    <div class="filters">
      <${ListSearch} label=${texts.search} q=${q} />
      ${q ? null : html`<${Select} label=${texts.role} value=${view.role} hidesOptional
        options=${[{ value: "", label: texts.allRoles }, ...roleOptions]}
        onChange=${(/** @type {string} */ role) => setQuery({ role, offset: null })} />
      <${Select} label=${texts.status} value=${view.status} hidesOptional
        options=${[{ value: "", label: texts.allStatuses }, ...statusOptions]}
        onChange=${(/** @type {string} */ status) => setQuery({ status, offset: null })} />
      <${CustomerFilter} value=${view.customerId} onChange=${(/** @type {string} */ customerId) => setQuery({ customerId, offset: null })} />`}
    </div>
    ${q ? html`<${SearchResults} path="/v1/users/search" q=${q} hint=${texts.searchHint}>
        ${(/** @type {ListedUser[]} */ users) => html`<${UserTable} users=${users} />`}<//>`
      : html`<${UserList} view=${view} />`}
  <//>`;
}

/** @param {{view: {role: string, status: string, customerId: string, offset: number}}} props */
function UserList({ view }) {
  const load = useLoad((signal) => get("/v1/users", { query: { ...view, limit }, signal }), Object.values(view));
  return html`<${Loaded} load=${load}>${(/** @type {any} */ { data, pagination }) => html`
    ${data.length > 0 ? html`<${UserTable} users=${data} />` : html`<${NoUsers} />`}
    <${Pager} offset=${pagination.offset} limit=${limit} total=${pagination.total}
      onChange=${(/** @type {number} */ offset) => setQuery({ offset })} />`}
  <//>`;
}

/** @param {{users: ListedUser[]}} props */
function UserTable({ users }) {
  const columns = [
    { title: texts.name, cell: (/** @type {ListedUser} */ u) => html`<a href=${`/portal/users/${u.id}`}><bdi>${u.name}</bdi></a>` },
    { title: texts.email, cell: (/** @type {ListedUser} */ u) => u.email },
    { title: texts.role, cell: (/** @type {ListedUser} */ u) => texts.roles[u.role] },
    { title: texts.status, cell: (/** @type {ListedUser} */ u) => html`<${UserStatus} status=${u.status} />` },
    { title: texts.created, cell: (/** @type {ListedUser} */ u) => formatDate(u.createdAt) },
  ];
  return html`<${Table} caption=${texts.caption} columns=${columns} rows=${users} rowKey=${(/** @type {ListedUser} */ u) => u.id} />`;
}

function NoUsers() {
  return html`<${Empty} title=${texts.none}>
    <${Button} onClick=${() => setQuery({ role: null, status: null, customerId: null, offset: null })}>${texts.showAll}<//>
  <//>`;
}
