// The list of users.
import { Button, ButtonLink } from "../../components/buttons.js";
import { Select } from "../../components/fields.js";
import { Empty, Loaded, Page } from "../../components/page.js";
import { SearchForm } from "../../components/search.js";
import { Badge, Pager, Table } from "../../components/table.js";
import { get } from "../../core/api.js";
import { formatDate } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { setQuery, useAddress } from "../../core/router.js";
import { can } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { roleOptions, statusTones } from "./roles.js";

const texts = strings.users;
const limit = 50;

/** @typedef {import("./roles.js").ListedUser} ListedUser */

export default function Users() {
  const { query } = useAddress();
  const view = { role: query.get("role") ?? "", email: query.get("email") ?? "", offset: Number(query.get("offset")) || 0 };
  const load = useLoad((signal) => get("/v1/users", { query: { ...view, limit }, signal }), [view.role, view.email, view.offset]);
  const actions = can("users:write") ? html`
    <${ButtonLink} href="/portal/users/import">${texts.import}<//>
    <${ButtonLink} href="/portal/users/new" kind="primary">${texts.create}<//>` : null;
  return html`<${Page} title=${texts.title} intro=${texts.intro} actions=${actions}>
    <${Filters} key=${view.email} view=${view} />
    <${Loaded} load=${load}>${(/** @type {any} */ { data, pagination }) => html`
      ${data.length > 0 ? html`<${UserTable} users=${data} />` : html`<${NoUsers} view=${view} />`}
      <${Pager} offset=${pagination.offset} limit=${limit} total=${pagination.total}
        onChange=${(/** @type {number} */ offset) => setQuery({ offset })} />`}
    <//>
  <//>`;
}

/** @param {{view: {role: string, email: string}}} props */
function Filters({ view }) {
  return html`<div class="filters">
    <${Select} label=${texts.role} value=${view.role} options=${[{ value: "", label: texts.allRoles }, ...roleOptions]} hidesOptional
      onChange=${(/** @type {string} */ role) => setQuery({ role, email: null, offset: null })} />
    <${SearchForm} label=${texts.find} inputmode="email" value=${view.email} maxLength=${320}
      onSearch=${(/** @type {string} */ email) => setQuery({ email, role: null, offset: null })} />
  </div>`;
}

/** @param {{users: ListedUser[]}} props */
function UserTable({ users }) {
  const columns = [
    { title: texts.name, cell: (/** @type {ListedUser} */ u) => html`<a href=${`/portal/users/${u.id}`}><bdi>${u.name}</bdi></a>` },
    { title: texts.email, cell: (/** @type {ListedUser} */ u) => u.email },
    { title: texts.role, cell: (/** @type {ListedUser} */ u) => texts.roles[u.role] },
    { title: texts.status, cell: (/** @type {ListedUser} */ u) => html`<${Badge} tone=${statusTones[u.status]}>${texts.statuses[u.status]}<//>` },
    { title: texts.created, cell: (/** @type {ListedUser} */ u) => formatDate(u.createdAt) },
  ];
  return html`<${Table} caption=${texts.caption} columns=${columns} rows=${users} rowKey=${(/** @type {ListedUser} */ u) => u.id} />`;
}

/** @param {{view: {email: string}}} props */
function NoUsers({ view }) {
  return html`<${Empty} title=${view.email ? texts.notFound(view.email) : texts.none}>
    ${view.email ? html`<p>${texts.notFoundText}</p>` : null}
    <${Button} onClick=${() => setQuery({ email: null, role: null, offset: null })}>${texts.showAll}<//>
  <//>`;
}
