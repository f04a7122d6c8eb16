// The queue of requests for credentials, for people with the permission credentials:approve.
import { useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { Select, optionsOf } from "../../components/fields.js";
import { Empty, Loaded, Page } from "../../components/page.js";
import { CursorPager } from "../../components/pager.js";
import { RequestBadge } from "../../components/requests.js";
import { Badge, Table } from "../../components/table.js";
import { get } from "../../core/api.js";
import { formatDate, formatRelative } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { setQuery, useAddress } from "../../core/router.js";
import { currentUser } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { DecideDialog, requesterName } from "./decide.js";

/** @typedef {import("../../core/credentials.js").CredentialRequest} CredentialRequest */
/** @typedef {CredentialRequest} R a row of the table */
/** @typedef {"approve" | "deny"} Decision */
/** @typedef {(chosen: {request: CredentialRequest, decision: Decision}) => void} Choose */

const texts = strings.approvals;
const filters = /** @type {(keyof typeof texts.filters)[]} */ (Object.keys(texts.filters));

/** @param {string | null} value */
function asFilter(value) {
  return filters.find((f) => f === value) ?? "pending";
}

export default function Approvals() {
  const { query } = useAddress();
  const filter = asFilter(query.get("status"));
  const cursor = query.get("cursor") ?? "";
  const list = useLoad((signal) => load(filter, cursor, signal), [filter, cursor]);
  const [chosen, choose] = useState(/** @type {{request: CredentialRequest, decision: Decision} | null} */ (null));
  const [note, setNote] = useState("");
  /** @param {string} [message] about a decision of someone else */
  const close = (message = "") => {
    choose(null);
    setNote(message);
    list.reload();
  };
  return html`<${Page} title=${texts.title} intro=${texts.intro}>
    <div class="filters"><${Select} label=${texts.filter} hidesOptional value=${filter}
      options=${optionsOf(filters, texts.filters)}
      onChange=${(/** @type {string} */ value) => setQuery({ status: value === "pending" ? "" : value, cursor: "" })} /></div>
    <div role="status">${note ? html`<p class="note warning">${note}</p>` : null}</div>
    <${Loaded} load=${list}>${(/** @type {any} */ page) => html`
      <${Queue} requests=${page.data} filter=${filter} choose=${choose} />
      <${CursorPager} label=${texts.queue} first=${filter === "pending" ? strings.requests.oldestPage : strings.requests.newestPage}
        next=${strings.requests.nextPage} isFirst=${!cursor} cursor=${page.pagination.next}
        onChange=${(/** @type {string} */ next) => setQuery({ cursor: next })} />`}<//>
    ${chosen ? html`<${DecideDialog} key=${chosen.request.id} ...${chosen} onClose=${() => choose(null)} onDone=${close} />` : null}
  <//>`;
}

/**
 * Pending requests come in the order in which they are due, others newest first.
 * @param {keyof typeof texts.filters} filter
 * @param {string} cursor
 * @param {AbortSignal} signal
 */
function load(filter, cursor, signal) {
  const isQueue = filter === "pending";
  return get("/api/v1/credential-requests", { signal, query: {
    status: filter === "all" ? "" : filter, limit: 20, order: isQueue ? "oldest" : "",
    after: isQueue ? cursor : "", before: isQueue ? "" : cursor,
  } });
}

/** @param {{requests: CredentialRequest[], filter: string, choose: Choose}} props */
function Queue({ requests, filter, choose }) {
  if (requests.length === 0) {
    if (filter !== "pending") return html`<${Empty} title=${texts.noneDecided} />`;
    return html`<${Empty} title=${texts.none}><p>${texts.noneText}</p><//>`;
  }
  const columns = [
    { title: strings.requests.requester, cell: (/** @type {R} */ r) => html`<${Requester} request=${r} />` },
    { title: texts.access, cell: (/** @type {R} */ r) => strings.requests.levels[r.accessLevel] },
    { title: strings.requests.justification, cell: (/** @type {R} */ r) => html`<${Justification} text=${r.justification} />` },
    { title: strings.requests.requested, cell: (/** @type {R} */ r) => formatDate(r.createdAt) },
    filter === "pending"
      ? { title: strings.requests.due, cell: (/** @type {R} */ r) => html`<${Due} at=${r.dueAt} />` }
      : { title: strings.requests.state, cell: (/** @type {R} */ r) => html`<${RequestBadge} request=${r} />` },
    { title: strings.credentials.actions, isActions: true, cell: (/** @type {R} */ r) => html`<${Actions} request=${r} choose=${choose} />` },
  ];
  return html`<section class="card" aria-label=${texts.queue}>
    <${Table} caption=${texts.queue} columns=${columns} rows=${requests} rowKey=${(/** @type {R} */ r) => r.id} />
  </section>`;
}

/** @param {{request: CredentialRequest}} props */
function Requester({ request }) {
  return html`<div class="main-cell"><a href=${`/portal/access/requests/${request.id}`}><bdi>${requesterName(request)}</bdi></a>
    ${request.requester ? html`<div class="small"><bdi>${request.requester.email}</bdi></div>` : null}</div>`;
}

/** @param {{text: string}} props */
function Justification({ text: justification }) {
  return html`<span class="prose short" dir="auto">${justification}</span>`;
}

/** @param {{at: string}} props */
function Due({ at }) {
  const isOverdue = new Date(at).getTime() < Date.now();
  if (!isOverdue) return formatRelative(at);
  return html`<div><${Badge} tone="bad">${texts.overdue}<//><div class="small">${texts.dueSince(formatRelative(at))}</div></div>`;
}

/** @param {{request: CredentialRequest, choose: Choose}} props */
function Actions({ request, choose }) {
  if (request.status !== "pending") return null;
  if (request.userId === currentUser().id) return html`<span class="small wrap">${texts.own}</span>`;
  const who = requesterName(request);
  return html`<span class="row-actions">
    <${Button} label=${texts.approveLabel(who)} onClick=${() => choose({ request, decision: "approve" })}>${texts.approve}<//>
    <${Button} label=${texts.denyLabel(who)} onClick=${() => choose({ request, decision: "deny" })}>${texts.deny}<//>
  </span>`;
}
