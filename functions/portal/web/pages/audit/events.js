// The table of events, with the differences that each one made.
import { Table } from "../../components/table.js";
import { UntrustedText } from "../../components/untrusted.js";
import { formatDateTime } from "../../core/format.js";
import { html } from "../../core/html.js";
import { usePeople } from "../../core/people.js";
import { can, isStaff } from "../../core/session.js";
import { strings } from "../../core/strings.js";

const texts = strings.audit;

/** @typedef {import("../../core/types").Schema<"AuditEvent">} AuditEvent */

/** How many characters of a name or a value the table shows. */
const mostName = 100;
const mostValue = 300;

/** @param {{events: AuditEvent[]}} props */
export function EventTable({ events }) {
  const people = usePeople([...new Set(events.filter((e) => e.actor.kind === "user").map((e) => e.actor.id ?? ""))].sort());
  const columns = [
    { title: texts.when, cell: (/** @type {AuditEvent} */ e) => formatDateTime(e.time) },
    { title: texts.actor, cell: (/** @type {AuditEvent} */ e) => html`<${Actor} actor=${e.actor} name=${people.name} />` },
    { title: texts.action, cell: (/** @type {AuditEvent} */ e) => html`<code class="whole-words">${e.action}</code>` },
    { title: texts.what, cell: (/** @type {AuditEvent} */ e) => html`<${Target} target=${e.target} customerId=${e.customerId} />` },
    { title: texts.changes, cell: (/** @type {AuditEvent} */ e) => html`<${Changes} event=${e} />` },
    { title: texts.address, cell: (/** @type {AuditEvent} */ e) => html`<${Address} address=${e.actor.address} />` },
  ];
  return html`<${Table} caption=${texts.title} columns=${columns} rows=${events} rowKey=${(/** @type {AuditEvent} */ e) => e.id} />`;
}

/** @param {{actor: AuditEvent["actor"], name: (id: string) => string}} props */
function Actor({ actor, name }) {
  if (actor.kind !== "user") {
    const kind = texts.actors[actor.kind];
    return actor.name ? html`${kind} <span class="muted"><${UntrustedText} text=${actor.name} most=${mostName} /></span>` : kind;
  }
  if (!actor.id) return texts.vendor;
  const shown = html`<bdi>${name(actor.id)}</bdi>`;
  return can("users:read") ? html`<a href=${`/portal/users/${encodeURIComponent(actor.id)}`}>${shown}</a>` : shown;
}

/** @param {{address: string | null}} props */
function Address({ address }) {
  return html`<span class="whole-words"><${UntrustedText} text=${address} most=${mostName} /></span>`;
}

/** @param {{target: AuditEvent["target"], customerId: string | null}} props */
function Target({ target, customerId }) {
  const kind = texts.kinds[/** @type {keyof typeof texts.kinds} */ (target.kind)] ?? target.kind;
  const name = html`<${UntrustedText} text=${target.name ?? target.id} most=${mostName} />`;
  const href = addressOf(target);
  const customer = isStaff() && customerId && kind !== texts.kinds.customer
    ? html` <a class="muted" href=${`/portal/customers/${encodeURIComponent(customerId)}`}>(${texts.kinds.customer.toLowerCase()})</a>` : null;
  return html`<span class="muted">${kind}</span> ${href ? html`<a href=${href}>${name}</a>` : name}${customer}`;
}

/** @param {AuditEvent["target"]} target */
function addressOf({ kind, id }) {
  const segment = encodeURIComponent(id);
  if (kind === "user" && can("users:read")) return `/portal/users/${segment}`;
  if (kind === "customer" && isStaff()) return `/portal/customers/${segment}`;
  return kind === "project" && can("projects:read") ? `/portal/projects/${segment}` : "";
}

/** @param {{event: AuditEvent}} props */
function Changes({ event }) {
  const before = /** @type {Record<string, unknown>} */ (event.before);
  const after = /** @type {Record<string, unknown>} */ (event.after);
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((field) => field !== "version").sort();
  if (fields.length === 0) return "–";
  const list = html`<ul class="plain change">${fields.map((field) => html`<li key=${field}>
    <strong>${field}</strong>: ${field in before ? html`<del>${valueOf(before[field])}</del>` : null}
    ${field in before && field in after ? " → " : null}${field in after ? html`<ins>${valueOf(after[field])}</ins>` : null}</li>`)}</ul>`;
  const isLong = fields.length > 3;
  return isLong ? html`<details><summary>${texts.fields(fields.length)}</summary>${list}</details>` : list;
}

/** @param {unknown} value */
function valueOf(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return html`<${UntrustedText} text=${text || texts.empty} most=${mostValue} />`;
}
