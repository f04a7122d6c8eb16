// What a customer has bought, on the page of the customer: the entitlements, and the dialogs that add, change and delete one.
import { useRef } from "preact/hooks";
import { announce } from "../../components/announcer.js";
import { Button } from "../../components/buttons.js";
import { ConfirmDialog, Dialog } from "../../components/dialog.js";
import { Differences } from "../../components/differences.js";
import { EntitlementList, useEntitlements } from "../../components/entitlements.js";
import { Form, useFields } from "../../components/fields.js";
import { Empty, ProblemMessage, Section } from "../../components/page.js";
import { Uncertain } from "../../components/uncertain.js";
import { post, remove } from "../../core/api.js";
import { explainConflict, useDraft } from "../../core/draft.js";
import { nameOf } from "../../core/entitlements.js";
import { useAction, useIdempotencyKey } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { can } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { checkTyped, EntitlementFields, entitlementForm } from "./entitlementfields.js";
import { RowActions, useChosen } from "./parts.js";

const texts = strings.entitlements;
const listPath = "/v1/customers/{customerId}/entitlements";
const path = "/v1/customers/{customerId}/entitlements/{entitlementId}";

/** @typedef {import("../../core/entitlements.js").Entitlement} Entitlement */
/** @typedef {import("./parts.js").Resource<Entitlement>} Resource */
/** @typedef {{customerId: string, onDone: () => void, onClose: () => void}} DialogProps onDone: chooses the page to show */

/** @param {{customer: import("./fields.js").Customer}} props */
export function Entitlements({ customer }) {
  const customerId = customer.id;
  const list = useEntitlements(customerId);
  const { chosen, problem, add, choose, close } = useChosen({
    path, parameters: (entitlementId) => ({ customerId, entitlementId }), reload: list.load.reload,
  });
  const actions = { title: texts.actions, isActions: true, cell: (/** @type {Entitlement} */ e) => html`<${RowActions}
    editLabel=${texts.editLabel(nameOf(e))} deleteLabel=${texts.deleteLabel(nameOf(e))}
    choose=${(/** @type {import("./parts.js").Action} */ action) => choose(e, action)} />` };
  const mayChange = can("customers:write");
  const props = { customerId, onClose: close };
  return html`<${Section} title=${texts.title} actions=${mayChange ? html`<${Button} onClick=${add}>${texts.add}<//>` : null}>
    <p class="hint">${texts.intro}</p>
    <${ProblemMessage} problem=${problem} />
    <${EntitlementList} caption=${texts.title} list=${list} actions=${mayChange ? actions : undefined}
      empty=${html`<${Empty} title=${texts.none}>${mayChange ? html`<p>${texts.noneText}</p>` : null}<//>`} />
    ${chosen?.action === "add" ? html`<${AddDialog} ...${props} onDone=${list.showAdded} />` : null}
    ${chosen?.action === "edit" ? html`<${EditDialog} ...${props} resource=${chosen.resource} />` : null}
    ${chosen?.action === "delete" ? html`<${DeleteDialog} ...${props} resource=${chosen.resource} onDone=${list.showRest} />` : null}
  <//>`;
}

/** @param {DialogProps} props */
function AddDialog({ customerId, onDone, onClose }) {
  const [values, set] = useFields(entitlementForm.toFields({ artifact: "chart", versions: "*" }));
  const fields = useRef(/** @type {HTMLDivElement | null} */ (null));
  const key = useIdempotencyKey(values);
  const action = useAction(async () => {
    checkTyped(fields.current);
    const body = entitlementForm.toBody({ ...values, from: values.from || undefined, until: values.until || undefined });
    const { data } = await post(listPath, { path: { customerId }, body, headers: { "Idempotency-Key": key } });
    announce(texts.wasAdded(nameOf(data)));
    onDone();
    onClose();
  });
  return html`<${Dialog} title=${texts.add} onClose=${onClose}>
    <${Form} submit=${texts.add} problem=${action.problem} isRunning=${action.isRunning} onSubmit=${() => action.run()} onCancel=${onClose}>
      <${EntitlementFields} values=${values} set=${set} problem=${action.problem} fields=${fields} />
      <${Uncertain} problem=${action.problem} />
    <//>
  <//>`;
}

/** @param {{customerId: string, resource: Resource, onClose: () => void}} props */
function EditDialog({ customerId, resource, onClose }) {
  const fields = useRef(/** @type {HTMLDivElement | null} */ (null));
  const { values, set, action, differences } = useDraft({
    path, parameters: { customerId, entitlementId: resource.data.id }, resource, ...entitlementForm,
    toBody: (changed) => {
      checkTyped(fields.current);
      return entitlementForm.toBody(changed);
    },
    onSaved: () => {
      announce(strings.users.saved);
      onClose();
    },
  });
  return html`<${Dialog} title=${texts.editTitle} onClose=${onClose}>
    <${Form} submit=${strings.common.save} problem=${action.problem} isRunning=${action.isRunning} onSubmit=${() => action.run()}
        onCancel=${onClose}>
      <${Differences} differences=${differences} labels=${entitlementForm.labels} />
      <${EntitlementFields} values=${values} set=${set} problem=${action.problem} fields=${fields} />
    <//>
  <//>`;
}

/** @param {DialogProps & {resource: Resource}} props */
function DeleteDialog({ customerId, resource, onDone, onClose }) {
  const { id } = resource.data;
  const name = nameOf(resource.data);
  const act = async () => {
    await explainConflict(remove(path, { path: { customerId, entitlementId: id }, headers: { "If-Match": resource.etag } }));
    announce(texts.wasDeleted(name));
    onDone();
  };
  return html`<${ConfirmDialog} title=${texts.deleteTitle(name)} confirm=${texts.delete} act=${act} onClose=${onClose}>
    <p>${texts.deleteText}</p>
  <//>`;
}
