// The table of requests for credentials, and what it shares with the pages about them.
import { requestState } from "../core/credentials.js";
import { formatDateTime, formatRelative } from "../core/format.js";
import { html } from "../core/html.js";
import { strings } from "../core/strings.js";
import { Badge, Table } from "./table.js";

/** @typedef {import("../core/credentials.js").CredentialRequest} CredentialRequest */

const texts = strings.requests;

/** @param {{requests: CredentialRequest[]}} props */
export function RequestTable({ requests }) {
  const columns = [
    { title: texts.level, cell: (/** @type {CredentialRequest} */ r) => texts.levels[r.accessLevel] },
    { title: texts.requested, cell: (/** @type {CredentialRequest} */ r) => formatDateTime(r.createdAt) },
    { title: texts.state, cell: (/** @type {CredentialRequest} */ r) => html`<${RequestBadge} request=${r} />` },
    { title: texts.due, cell: (/** @type {CredentialRequest} */ r) => (r.status === "pending" ? formatRelative(r.dueAt) : "–") },
    { title: texts.details, isActions: true, cell: (/** @type {CredentialRequest} */ r) => html`<a href=${`/portal/access/requests/${r.id}`}
      aria-label=${texts.detailsLabel(texts.levels[r.accessLevel])}>${texts.details}</a>` },
  ];
  return html`<${Table} caption=${texts.title} columns=${columns} rows=${requests}
    rowKey=${(/** @type {CredentialRequest} */ r) => r.id} />`;
}

/** @param {{request: CredentialRequest}} props */
export function RequestBadge({ request }) {
  const state = requestState(request);
  return html`<${Badge} tone=${state.tone}>${state.text}<//>`;
}
