// The requests of the user for credentials, and the dialog that makes one.
import { announce } from "../../components/announcer.js";
import { Dialog } from "../../components/dialog.js";
import { Form, Select, TextArea, useFields } from "../../components/fields.js";
import { Empty, Section } from "../../components/page.js";
import { CursorPager } from "../../components/pager.js";
import { Badge, Table } from "../../components/table.js";
import { Uncertain } from "../../components/uncertain.js";
import { post } from "../../core/api.js";
import { requestState } from "../../core/credentials.js";
import { formatDateTime, formatRelative } from "../../core/format.js";
import { useAction, useIdempotencyKey } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { setQuery } from "../../core/router.js";
import { strings } from "../../core/strings.js";

/** @typedef {import("../../core/credentials.js").CredentialRequest} CredentialRequest */

const text = strings.requests;

/** @param {{page: {data: CredentialRequest[], pagination: {next: string | null}}, before: string}} props */
export function Requests({ page, before }) {
  return html`<${Section} title=${text.title}>
    ${page.data.length === 0 ? html`<${Empty} title=${text.none}><p>${text.noneText}</p><//>`
      : html`<${RequestTable} requests=${page.data} />`}
    <${CursorPager} label=${text.title} first=${text.newestPage} next=${text.nextPage} isFirst=${!before} cursor=${page.pagination.next}
      onChange=${(/** @type {string} */ cursor) => setQuery({ before: cursor })} />
  <//>`;
}

/** @param {{requests: CredentialRequest[]}} props */
export function RequestTable({ requests }) {
  const columns = [
    { title: text.level, cell: (/** @type {CredentialRequest} */ r) => text.levels[r.accessLevel] },
    { title: text.requested, cell: (/** @type {CredentialRequest} */ r) => formatDateTime(r.createdAt) },
    { title: text.state, cell: (/** @type {CredentialRequest} */ r) => html`<${RequestBadge} request=${r} />` },
    { title: text.due, cell: (/** @type {CredentialRequest} */ r) => (r.status === "pending" ? formatRelative(r.dueAt) : "–") },
    { title: text.details, isActions: true, cell: (/** @type {CredentialRequest} */ r) => html`<a href=${`/portal/access/requests/${r.id}`}
      aria-label=${text.detailsLabel(text.levels[r.accessLevel])}>${text.details}</a>` },
  ];
  return html`<${Table} caption=${text.title} columns=${columns} rows=${requests}
    rowKey=${(/** @type {CredentialRequest} */ r) => r.id} />`;
}

/** @param {{request: CredentialRequest}} props */
export function RequestBadge({ request }) {
  const state = requestState(request);
  return html`<${Badge} tone=${state.tone}>${state.text}<//>`;
}

const levels = /** @type {const} */ (["full", "charts", "images"]).map((value) => ({ value, label: text.levels[value] }));

/** @param {{level: "charts" | "images" | "full", onSent: () => void, onClose: () => void}} props */
export function RequestDialog({ level, onSent, onClose }) {
  const [values, set] = useFields({ accessLevel: level, justification: "" });
  const key = useIdempotencyKey(values);
  const action = useAction(() => post("/api/v1/credential-requests", { body: values, headers: { "Idempotency-Key": key } }));
  const submit = async () => {
    const isSent = await action.run();
    onSent(); // also after a failure: the request may exist although the response was lost
    if (!isSent) return;
    announce(text.sent);
    onClose();
  };
  return html`<${Dialog} title=${text.newTitle} onClose=${onClose}>
    <p>${text.newText}</p>
    <${Form} submit=${text.send} problem=${action.problem} isRunning=${action.isRunning} onSubmit=${submit} onCancel=${onClose}>
      <${Select} label=${text.level} name="accessLevel" isRequired options=${levels}
        value=${values.accessLevel} onChange=${set("accessLevel")} problem=${action.problem} />
      <${TextArea} label=${text.justification} name="justification" isRequired maxLength=${2000} hint=${text.justificationHint}
        value=${values.justification} onChange=${set("justification")} problem=${action.problem} />
      <${Uncertain} problem=${action.problem} />
    <//>
  <//>`;
}
