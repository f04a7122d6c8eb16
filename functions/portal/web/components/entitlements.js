// The entitlements of a customer: a page of the list, and its table.
import { get } from "../core/api.js";
import { formatPeriod } from "../core/entitlements.js";
import { usePage } from "../core/hooks.js";
import { html } from "../core/html.js";
import { strings } from "../core/strings.js";
import { Loaded } from "./page.js";
import { EntitlementStatus } from "./statuses.js";
import { Pager, Table } from "./table.js";

/** @typedef {import("../core/entitlements.js").Entitlement} Entitlement */
/** @typedef {{data: Entitlement[], pagination: {total: number, offset: number}}} Listed */

const texts = strings.entitlements;
const limit = 20;

/**
 * A page of the entitlements of a customer, for EntitlementList.
 * @param {string} customerId
 */
export function useEntitlements(customerId) {
  return usePage((query, signal) => get("/v1/customers/{customerId}/entitlements", { path: { customerId }, query, signal }), limit, [customerId]);
}

/**
 * @param {{caption: string, list: ReturnType<typeof useEntitlements>, actions?: import("./table.js").Column<Entitlement>, empty: any}} props
 *   actions: the column with the buttons; empty: what to show without entitlements
 */
export function EntitlementList({ caption, list, actions, empty }) {
  const columns = [
    { title: texts.artifact, cell: (/** @type {Entitlement} */ e) => texts.artifacts[e.artifact] },
    { title: texts.repository, cell: (/** @type {Entitlement} */ e) => html`<${Pattern} text=${e.repository} />` },
    { title: texts.versions, cell: (/** @type {Entitlement} */ e) => html`<${Pattern} text=${e.versions} />` },
    { title: texts.valid, cell: (/** @type {Entitlement} */ e) => formatPeriod(e) },
    { title: texts.status, cell: (/** @type {Entitlement} */ e) => html`<${EntitlementStatus} status=${e.status} />` },
    ...(actions ? [actions] : []),
  ];
  return html`<${Loaded} load=${list.load}>${(/** @type {Listed} */ { data, pagination }) => html`
    ${pagination.total > 0
      ? html`<${Table} caption=${caption} columns=${columns} rows=${data} rowKey=${(/** @type {Entitlement} */ e) => e.id} />` : empty}
    <${Pager} offset=${pagination.offset} limit=${limit} total=${pagination.total} onChange=${list.setOffset} />`}
  <//>`;
}

/** @param {{text: string}} props */
function Pattern({ text }) {
  return text === "*" ? texts.all : html`<bdi class="mono">${text}</bdi>`;
}
