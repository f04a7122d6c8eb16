// The requests of the user for credentials, and the dialog that makes one.
import { announce } from "../../components/announcer.js";
import { Dialog } from "../../components/dialog.js";
import { Form, Select, TextArea, optionsOf, useFields } from "../../components/fields.js";
import { Empty, Section } from "../../components/page.js";
import { CursorPager } from "../../components/pager.js";
import { RequestTable } from "../../components/requests.js";
import { Uncertain } from "../../components/uncertain.js";
import { post } from "../../core/api.js";
import { useAction, useIdempotencyKey } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { setQuery } from "../../core/router.js";
import { strings } from "../../core/strings.js";

/** @typedef {import("../../core/credentials.js").CredentialRequest} CredentialRequest */

const texts = strings.requests;

/** @param {{page: {data: CredentialRequest[], pagination: {next: string | null}}, before: string}} props */
export function Requests({ page, before }) {
  return html`<${Section} title=${texts.title}>
    ${page.data.length === 0 ? html`<${Empty} title=${texts.none}><p>${texts.noneText}</p><//>`
      : html`<${RequestTable} requests=${page.data} />`}
    <${CursorPager} label=${texts.title} first=${texts.newestPage} next=${texts.nextPage} isFirst=${!before} cursor=${page.pagination.next}
      onChange=${(/** @type {string} */ cursor) => setQuery({ before: cursor })} />
  <//>`;
}

const levels = optionsOf(["full", "charts", "images"], texts.levels);

/** @param {{level: "charts" | "images" | "full", onSent: () => void, onClose: () => void}} props */
export function RequestDialog({ level, onSent, onClose }) {
  const [values, set] = useFields({ accessLevel: level, justification: "" });
  const key = useIdempotencyKey(values);
  const action = useAction(() => post("/api/v1/credential-requests", { body: values, headers: { "Idempotency-Key": key } }));
  const submit = async () => {
    const isSent = await action.run();
    onSent(); // also after a failure: the request may exist although the response was lost
    if (!isSent) return;
    announce(texts.sent);
    onClose();
  };
  return html`<${Dialog} title=${texts.newTitle} onClose=${onClose}>
    <p>${texts.newText}</p>
    <${Form} submit=${texts.send} problem=${action.problem} isRunning=${action.isRunning} onSubmit=${submit} onCancel=${onClose}>
      <${Select} label=${texts.level} name="accessLevel" isRequired options=${levels}
        value=${values.accessLevel} onChange=${set("accessLevel")} problem=${action.problem} />
      <${TextArea} label=${texts.justification} name="justification" isRequired maxLength=${2000} hint=${texts.justificationHint}
        value=${values.justification} onChange=${set("justification")} problem=${action.problem} />
      <${Uncertain} problem=${action.problem} />
    <//>
  <//>`;
}
