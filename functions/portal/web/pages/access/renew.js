// The dialogs that renew a token or a password. The old one keeps working until it expires, so that machines can switch.
import { useState } from "preact/hooks";
import { Scopes } from "../../components/credentials.js";
import { Dialog } from "../../components/dialog.js";
import { Form, useFields } from "../../components/fields.js";
import { NumberField } from "../../components/numberfield.js";
import { Uncertain } from "../../components/uncertain.js";
import { levelOf } from "../../core/credentials.js";
import { formatDate } from "../../core/format.js";
import { useAction, useIdempotencyKey } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { setQuery } from "../../core/router.js";
import { strings } from "../../core/strings.js";
import { createToken, NewTokenDialog } from "./create.js";

/** @typedef {import("../../core/credentials.js").Token} Token */
/** @typedef {import("../../core/types").Schema<"NewToken">} NewToken */

const texts = strings.access;

/**
 * The days that the token was made for.
 * @param {Token} token
 */
function lifetime(token) {
  if (!token.expiresAt) return 90;
  const days = Math.round((new Date(token.expiresAt).getTime() - new Date(token.createdAt).getTime()) / 86_400_000);
  return Math.min(Math.max(days, 1), 365);
}

/** @param {{token: Token, onCreated: () => void, onClose: () => void}} props */
export function RenewDialog({ token, onCreated, onClose }) {
  const [made, setMade] = useState(/** @type {NewToken | null} */ (null));
  const [values, set] = useFields({ days: String(lifetime(token)) });
  const key = useIdempotencyKey(values);
  const action = useAction(async () => {
    try {
      setMade(await createToken({ name: token.name, scopes: token.scopes, days: values.days }, key));
    } finally {
      onCreated(); // also after a failure: the token may exist although the response was lost
    }
  });
  const overlap = token.expiresAt ? texts.overlap(formatDate(token.expiresAt)) : texts.renewNoExpiry;
  if (made) return html`<${NewTokenDialog} made=${made} note=${overlap} onClose=${onClose} />`;
  return html`<${Dialog} title=${texts.renewTitle(token.name)} onClose=${onClose}>
    <p>${texts.renewText} <strong>${overlap}</strong></p>
    <dl class="facts"><dt>${strings.credentials.scopes}</dt><dd><${Scopes} scopes=${token.scopes} /></dd></dl>
    <${Form} submit=${texts.renewToken} problem=${action.problem} isRunning=${action.isRunning}
      onSubmit=${() => action.run()} onCancel=${onClose}>
      <${NumberField} label=${texts.days} name="expiration_days" isRequired hint=${texts.daysHint}
        value=${values.days} onChange=${set("days")} problem=${action.problem} />
      <${Uncertain} problem=${action.problem} />
    <//>
  <//>`;
}

/** @param {{token: Token, onClose: () => void}} props */
export function RenewPasswordDialog({ token, onClose }) {
  const submit = () => {
    onClose();
    setQuery({ new: "request", level: levelOf(token.scopes) });
  };
  return html`<${Dialog} title=${texts.renewTitle(token.name)} onClose=${onClose}>
    <p>${texts.renewPasswordText} ${token.expiresAt ? html`<strong>${texts.passwordOverlap(formatDate(token.expiresAt))}</strong>` : null}</p>
    <${Form} submit=${texts.renewPassword} onSubmit=${submit} onCancel=${onClose}><//>
  <//>`;
}
