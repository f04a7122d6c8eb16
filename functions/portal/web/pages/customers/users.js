// The users of a customer.
import { useState } from "preact/hooks";
import { ButtonLink } from "../../components/buttons.js";
import { Loaded, Section } from "../../components/page.js";
import { UserStatus } from "../../components/statuses.js";
import { Pager, Table } from "../../components/table.js";
import { get } from "../../core/api.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { can } from "../../core/session.js";
import { strings } from "../../core/strings.js";

const texts = strings.customers;
const limit = 10;

/** @typedef {import("../../core/people.js").ListedUser} ListedUser */

/** @param {{customer: import("./fields.js").Customer}} props */
export function CustomerUsers({ customer }) {
  const [offset, setOffset] = useState(0);
  const load = useLoad((signal) => get("/v1/users", { query: { customerId: customer.id, offset, limit }, signal }), [customer.id, offset]);
  const actions = can("users:write") ? html`<${ButtonLink} href=${`/portal/users/new?customer=${customer.id}`}>${texts.addUser}<//>` : null;
  return html`<${Section} title=${texts.users} actions=${actions}>
    <${Loaded} load=${load}>${(/** @type {any} */ { data, pagination }) => html`
      ${pagination.total > 0 ? html`<${UserTable} users=${data} />` : html`<p class="muted">${texts.noUsers}</p>`}
      <${Pager} offset=${pagination.offset} limit=${limit} total=${pagination.total} onChange=${setOffset} />`}
    <//>
  <//>`;
}

/** @param {{users: ListedUser[]}} props */
function UserTable({ users }) {
  const columns = [
    { title: strings.users.name, cell: (/** @type {ListedUser} */ u) => html`<a href=${`/portal/users/${u.id}`}><bdi>${u.name}</bdi></a>` },
    { title: strings.users.email, cell: (/** @type {ListedUser} */ u) => u.email },
    { title: strings.users.role, cell: (/** @type {ListedUser} */ u) => strings.users.roles[u.role] },
    { title: strings.users.status, cell: (/** @type {ListedUser} */ u) => html`<${UserStatus} status=${u.status} />` },
  ];
  return html`<${Table} caption=${texts.users} columns=${columns} rows=${users} rowKey=${(/** @type {ListedUser} */ u) => u.id} />`;
}
