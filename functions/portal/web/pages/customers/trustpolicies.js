// Which pipelines and pods of a customer get access tokens, on the page of the customer: the trust policies, and the dialogs that add, change
// and delete one.
import { useState } from "preact/hooks";
import { announce } from "../../components/announcer.js";
import { Button } from "../../components/buttons.js";
import { ConfirmDialog, Dialog } from "../../components/dialog.js";
import { Differences } from "../../components/differences.js";
import { Form, optionsOf, Select, useFields } from "../../components/fields.js";
import { Empty, ProblemMessage, Section } from "../../components/page.js";
import { TrustPolicyList, useTrustPolicies } from "../../components/trustpolicies.js";
import { Uncertain } from "../../components/uncertain.js";
import { post, remove } from "../../core/api.js";
import { allScopes } from "../../core/credentials.js";
import { explainConflict, useDraft } from "../../core/draft.js";
import { useAction, useIdempotencyKey } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { can } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { RowActions, useChosen } from "./parts.js";
import { describe, platformOf, presetFields, presets, trustPolicyForm } from "./trustpolicyfields.js";

const texts = strings.trustPolicies;
const listPath = "/v1/customers/{customerId}/trust-policies";
const path = "/v1/customers/{customerId}/trust-policies/{policyId}";

/** @typedef {import("../../components/trustpolicies.js").TrustPolicy} TrustPolicy */
/** @typedef {import("./parts.js").Resource<TrustPolicy>} Resource */
/** @typedef {import("./trustpolicyfields.js").Platform} Platform */
/** @typedef {{customerId: string, onDone: () => void, onClose: () => void}} DialogProps onDone: chooses the page to show */

/** @param {{customer: import("./fields.js").Customer}} props */
export function TrustPolicies({ customer }) {
  const customerId = customer.id;
  const list = useTrustPolicies(customerId);
  const { chosen, problem, add, choose, close } = useChosen({
    path, parameters: (policyId) => ({ customerId, policyId }), reload: list.load.reload,
  });
  const actions = { title: texts.actions, isActions: true, cell: (/** @type {TrustPolicy} */ p) => html`<${RowActions}
    editLabel=${texts.editLabel(p.name)} deleteLabel=${texts.deleteLabel(p.name)}
    choose=${(/** @type {import("./parts.js").Action} */ action) => choose(p, action)} />` };
  const mayChange = can("customers:write");
  const props = { customerId, onClose: close };
  return html`<${Section} title=${texts.title} actions=${mayChange ? html`<${Button} onClick=${add}>${texts.add}<//>` : null}>
    <p class="hint">${texts.intro}</p>
    <${ProblemMessage} problem=${problem} />
    <${TrustPolicyList} caption=${texts.title} list=${list} actions=${mayChange ? actions : undefined}
      empty=${html`<${Empty} title=${texts.none}>${mayChange ? html`<p>${texts.noneText}</p>` : null}<//>`} />
    ${chosen?.action === "add" ? html`<${AddDialog} ...${props} onDone=${list.showAdded} />` : null}
    ${chosen?.action === "edit" ? html`<${EditDialog} ...${props} resource=${chosen.resource} />` : null}
    ${chosen?.action === "delete" ? html`<${DeleteDialog} ...${props} resource=${chosen.resource} onDone=${list.showRest} />` : null}
  <//>`;
}

/** @param {DialogProps} props */
function AddDialog({ customerId, onDone, onClose }) {
  const [platform, setPlatform] = useState(/** @type {Platform} */ ("github"));
  const [values, set, setAll] = useFields({
    ...trustPolicyForm.toFields({ audience: location.origin, maxMinutes: 15 }), scopes: allScopes, ...presetFields(platform),
  });
  const key = useIdempotencyKey(values);
  const action = useAction(async () => {
    const { data } = await post(listPath, { path: { customerId }, body: trustPolicyForm.toBody(values), headers: { "Idempotency-Key": key } });
    announce(texts.wasAdded(data.name));
    onDone();
    onClose();
  });
  /** @param {Platform} next */
  const choosePlatform = (next) => {
    setPlatform(next);
    setAll({ ...values, ...presetFields(next) });
    action.clear(); // its failures are about other conditions
  };
  return html`<${Dialog} isWide title=${texts.add} onClose=${onClose}>
    <${Form} submit=${texts.add} problem=${action.problem} isRunning=${action.isRunning} onSubmit=${() => action.run()} onCancel=${onClose}>
      <${Select} label=${texts.platform} value=${platform} onChange=${choosePlatform} hint=${texts.platformHint} isRequired
        options=${optionsOf(Object.keys(presets), texts.platforms)} />
      <${trustPolicyForm.Fields} values=${values} set=${set} platform=${platform} problem=${action.problem} />
      <${Uncertain} problem=${action.problem} />
    <//>
  <//>`;
}

/** @param {{customerId: string, resource: Resource, onClose: () => void}} props */
function EditDialog({ customerId, resource, onClose }) {
  const { values, set, action, differences } = useDraft({
    path, parameters: { customerId, policyId: resource.data.id }, resource, ...trustPolicyForm, describe,
    onSaved: () => {
      announce(strings.users.saved);
      onClose();
    },
  });
  return html`<${Dialog} isWide title=${texts.editTitle} onClose=${onClose}>
    <${Form} submit=${strings.common.save} problem=${action.problem} isRunning=${action.isRunning} onSubmit=${() => action.run()}
        onCancel=${onClose}>
      <p class="hint">${texts.editHint}</p>
      <${Differences} differences=${differences} labels=${trustPolicyForm.labels} />
      <${trustPolicyForm.Fields} values=${values} set=${set} platform=${platformOf(values.issuer)} problem=${action.problem} />
    <//>
  <//>`;
}

/** @param {DialogProps & {resource: Resource}} props */
function DeleteDialog({ customerId, resource, onDone, onClose }) {
  const { id, name, maxMinutes } = resource.data;
  const act = async () => {
    await explainConflict(remove(path, { path: { customerId, policyId: id }, headers: { "If-Match": resource.etag } }));
    announce(texts.wasDeleted(name));
    onDone();
  };
  return html`<${ConfirmDialog} title=${texts.deleteTitle(name)} confirm=${texts.delete} act=${act} onClose=${onClose}>
    <p>${texts.deleteText(texts.minutes(Number(maxMinutes)))}</p>
  <//>`;
}
