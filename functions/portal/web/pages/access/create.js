// The dialog that creates a token, and the one that shows its secret.
import { useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { Dialog } from "../../components/dialog.js";
import { Form, TextField, useFields } from "../../components/fields.js";
import { NumberField, numberValue } from "../../components/numberfield.js";
import { ScopeFields } from "../../components/scopes.js";
import { Secret } from "../../components/secret.js";
import { Uncertain } from "../../components/uncertain.js";
import { post } from "../../core/api.js";
import { tokenFile } from "../../core/commands.js";
import { allScopes, scopesOf } from "../../core/credentials.js";
import { useAction, useIdempotencyKey } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";

/** @typedef {import("../../core/types").Schema<"NewToken">} NewToken */

const texts = strings.access;

/**
 * Creates a token. The service chooses the days if the field is empty.
 * @param {{name: string, scopes: string[], days: string}} input the days as in the field
 * @param {string} key the idempotency key
 * @returns {Promise<NewToken>}
 */
export async function createToken({ name, scopes, days }, key) {
  const isDefault = days.trim() === "";
  const body = { name, scopes, expiration_days: isDefault ? undefined : numberValue("/expiration_days", days, texts.notDays) };
  return (await post("/api/v1/tokens", { body, headers: { "Idempotency-Key": key } })).data;
}

/** @param {{onCreated: () => void, onClose: () => void}} props */
export function CreateDialog({ onCreated, onClose }) {
  const [made, setMade] = useState(/** @type {NewToken | null} */ (null));
  const [values, set] = useFields({ name: "", scopes: allScopes, days: "" });
  const key = useIdempotencyKey(values);
  const action = useAction(async () => {
    try {
      setMade(await createToken({ name: values.name, scopes: scopesOf(values.scopes), days: values.days }, key));
    } finally {
      onCreated(); // also after a failure: the token may exist although the response was lost
    }
  });
  if (made) return html`<${NewTokenDialog} made=${made} onClose=${onClose} />`;
  return html`<${Dialog} title=${texts.createTitle} onClose=${onClose}>
    <p>${texts.createText}</p>
    <${Form} submit=${texts.create} problem=${action.problem} isRunning=${action.isRunning}
      onSubmit=${() => action.run()} onCancel=${onClose}>
      <${TextField} label=${strings.credentials.name} name="name" isRequired maxLength=${100} hint=${texts.nameHint}
        value=${values.name} onChange=${set("name")} problem=${action.problem} />
      <${ScopeFields} label=${texts.what} value=${values.scopes} onChange=${set("scopes")} problem=${action.problem} />
      <${NumberField} label=${texts.days} name="expiration_days" hint=${`${texts.daysHint} ${texts.daysDefault}`}
        value=${values.days} onChange=${set("days")} problem=${action.problem} />
      <${Uncertain} problem=${action.problem} />
    <//>
  <//>`;
}

/**
 * Shows a new token. Only its button closes it, so that a key does not close it by accident.
 * @param {{made: NewToken, note?: string, onClose: () => void}} props
 */
export function NewTokenDialog({ made, note, onClose }) {
  const login = { username: "token", file: tokenFile, scopes: made.scopes };
  return html`<${Dialog} isWide title=${texts.createdTitle}>
    <p><strong>${texts.createdText}</strong>${note ? ` ${note}` : null}</p>
    <${Secret} label=${texts.token} secret=${made.token} login=${login} />
    <div class="form-actions"><${Button} kind="primary" onClick=${onClose}>${texts.saved}<//></div>
  <//>`;
}
