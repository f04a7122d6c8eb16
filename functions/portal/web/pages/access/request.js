// One request for credentials with its history, for its requester and for approvers.
import { Makers, useMakerNames } from "../../components/makers.js";
import { Loaded, Page, Section } from "../../components/page.js";
import { RequestBadge } from "../../components/requests.js";
import { get } from "../../core/api.js";
import { formatDateTime } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { canForAll, currentUser } from "../../core/session.js";
import { strings } from "../../core/strings.js";

/** @typedef {import("../../core/credentials.js").CredentialRequest} CredentialRequest */

const texts = strings.requests;

/** @param {{params: Record<string, string>}} props */
export default function RequestPage({ params }) {
  const found = useLoad(
    (signal) => get("/api/v1/credential-requests/{requestId}", { path: { requestId: params.requestId }, signal }),
    [params.requestId]);
  return html`<${Page} title=${texts.pageTitle}>
    <p><a href="/portal/access">← ${texts.back}</a></p>
    <${Loaded} load=${found}>${(/** @type {any} */ answer) => html`
      <${Facts} request=${answer.data} /><${History} request=${answer.data} />`}<//>
  <//>`;
}

/** @param {{request: CredentialRequest}} props */
function Facts({ request: r }) {
  const name = useMakerNames(canForAll("credentials:approve") ? [r.makers, r.deciders] : [r.makers]);
  return html`<${Section} title=${texts.levels[r.accessLevel]} actions=${html`<${RequestBadge} request=${r} />`}>
    <p>${texts.next[r.status]}</p>
    <dl class="facts">
      <${Fact} name=${texts.requester}><bdi>${r.userId === currentUser().id ? currentUser().name : personName(r, r.userId)}</bdi><//>
      <${Fact} name=${texts.justification}><span class="prose" dir="auto">${r.justification}</span><//>
      <${Fact} name=${texts.requested}>${formatDateTime(r.createdAt)}<//>
      ${r.makers.length > 0 ? html`<${Fact} name=${texts.madeWith}><${Makers} makers=${r.makers} name=${name} /><//>` : null}
      ${r.status === "pending" ? html`<${Fact} name=${texts.due}>${formatDateTime(r.dueAt)}<//>` : null}
      ${r.decidedBy ? html`<${Fact} name=${texts.decided}>${formatDateTime(r.decidedAt)}, ${texts.by(personName(r, r.decidedBy))}<//>` : null}
      ${r.deciders.length > 0 && canForAll("credentials:approve")
        ? html`<${Fact} name=${texts.decidedWith}><${Makers} makers=${r.deciders} name=${name} /><//>` : null}
      ${r.reason ? html`<${Fact} name=${texts.reason}><span class="prose" dir="auto">${r.reason}</span><//>` : null}
      ${r.status === "approved" && r.collectBy ? html`<${Fact} name=${texts.collectBy}>${formatDateTime(r.collectBy)}<//>` : null}
      ${r.credentialId ? html`<${Fact} name=${texts.credential}><span class="mono">${r.credentialId}</span><//>` : null}
    </dl>
  <//>`;
}

/** @param {{name: string, children: any}} props */
function Fact({ name, children }) {
  return html`<dt>${name}</dt><dd>${children}</dd>`;
}

/** @param {{request: CredentialRequest}} props */
function History({ request }) {
  return html`<${Section} title=${texts.history}>
    <ol class="history">${request.events.map((e, i) => html`<li key=${i}>
      <strong>${texts.actions[e.action]}</strong> ${texts.by(personName(request, e.actor))}
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
 * The name of a user in a request. Requesters do not see who decided.
 * @param {CredentialRequest} request
 * @param {string} id
 */
export function personName(request, id) {
  if (id === "system") return texts.system;
  if (id === currentUser().id) return texts.you;
  const person = id === request.userId ? request.requester : id === request.decidedBy ? request.decider : null;
  if (person) return person.name;
  return canForAll("credentials:approve") ? texts.unknownUser : texts.vendor;
}
