// One request for credentials with its history, for its requester and for approvers.
import { Loaded, Page, Section } from "../../components/page.js";
import { get } from "../../core/api.js";
import { formatDateTime } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { can, currentUser } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { RequestBadge } from "./requests.js";

/** @typedef {import("../../core/credentials.js").CredentialRequest} CredentialRequest */

const text = strings.requests;

/** @param {{params: Record<string, string>}} props */
export default function RequestPage({ params }) {
  const found = useLoad(
    (signal) => get("/api/v1/credential-requests/{requestId}", { path: { requestId: params.requestId }, signal }),
    [params.requestId]);
  return html`<${Page} title=${text.pageTitle}>
    <p><a href="/portal/access">← ${text.back}</a></p>
    <${Loaded} of=${found}>${(/** @type {any} */ answer) => html`
      <${Facts} request=${answer.data} /><${History} request=${answer.data} />`}<//>
  <//>`;
}

/** @param {{request: CredentialRequest}} props */
function Facts({ request: r }) {
  return html`<${Section} title=${text.levels[r.accessLevel]} actions=${html`<${RequestBadge} request=${r} />`}>
    <p>${text.next[r.status]}</p>
    <dl class="facts">
      <${Fact} name=${text.requester}><bdi>${r.userId === currentUser().id ? currentUser().name : personName(r, r.userId)}</bdi><//>
      <${Fact} name=${text.justification}><span class="prose" dir="auto">${r.justification}</span><//>
      <${Fact} name=${text.requested}>${formatDateTime(r.createdAt)}<//>
      ${r.status === "pending" ? html`<${Fact} name=${text.due}>${formatDateTime(r.dueAt)}<//>` : null}
      ${r.decidedBy ? html`<${Fact} name=${text.decided}>${formatDateTime(r.decidedAt)}, ${text.by(personName(r, r.decidedBy))}<//>` : null}
      ${r.reason ? html`<${Fact} name=${text.reason}><span class="prose" dir="auto">${r.reason}</span><//>` : null}
      ${r.status === "approved" && r.collectBy ? html`<${Fact} name=${text.collectBy}>${formatDateTime(r.collectBy)}<//>` : null}
      ${r.credentialId ? html`<${Fact} name=${text.credential}><span class="mono">${r.credentialId}</span><//>` : null}
    </dl>
  <//>`;
}

/** @param {{name: string, children: any}} props */
function Fact({ name, children }) {
  return html`<dt>${name}</dt><dd>${children}</dd>`;
}

/** @param {{request: CredentialRequest}} props */
function History({ request }) {
  return html`<${Section} title=${text.history}>
    <ol class="history">${request.events.map((e, i) => html`<li key=${i}>
      <strong>${text.actions[e.action]}</strong> ${text.by(personName(request, e.actor))}
      <div class="small">${formatDateTime(e.at)}</div>
      ${isReason(e) ? html`<div class="prose" dir="auto">${e.detail}</div>` : null}
    </li>`)}</ol>
  <//>`;
}

/** @param {CredentialRequest["events"][number]} event */
function isReason(event) {
  return event.detail !== "" && (event.action === "approved" || event.action === "denied");
}

/**
 * The name of a person in a request. Requesters do not learn who decided.
 * @param {CredentialRequest} request
 * @param {string} id
 */
export function personName(request, id) {
  if (id === "system") return text.system;
  if (id === currentUser().id) return text.you;
  const person = id === request.userId ? request.requester : id === request.decidedBy ? request.decider : null;
  if (person) return person.name;
  return can("credentials:approve") ? text.unknownUser : text.somebody;
}
