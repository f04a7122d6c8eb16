// The passkeys of the user.
import { useState } from "preact/hooks";
import { announce } from "../../components/announcer.js";
import { Button } from "../../components/buttons.js";
import { ConfirmDialog, Dialog } from "../../components/dialog.js";
import { Form, TextField } from "../../components/fields.js";
import { Empty, Loaded, Section } from "../../components/page.js";
import { Badge, Table } from "../../components/table.js";
import { get, remove } from "../../core/api.js";
import { formatDate, formatRelative } from "../../core/format.js";
import { useAction, useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { hasPasskeys, register } from "../../core/passkeys.js";
import { strings } from "../../core/strings.js";

const texts = strings.ownPasskeys;

/** @typedef {import("../../core/types").Schema<"Passkey">} Passkey */

export function Passkeys() {
  const load = useLoad((signal) => get("/v1/passkeys", { signal }), []);
  const [dialog, setDialog] = useState(/** @type {"create" | Passkey | null} */ (null));
  const close = () => {
    setDialog(null);
    load.reload();
  };
  const actions = hasPasskeys() ? html`<${Button} onClick=${() => setDialog("create")}>${texts.create}<//>` : null;
  return html`<${Section} title=${texts.title} actions=${actions}>
    <${Loaded} load=${load}>${(/** @type {{data: Passkey[]}} */ { data }) => (data.length > 0
      ? html`<${PasskeyTable} passkeys=${data} onDelete=${setDialog} />`
      : html`<${Empty} title=${texts.none}><p>${hasPasskeys() ? texts.intro : strings.passkeys.unsupported}</p><//>`)}
    <//>
    ${dialog === "create" ? html`<${CreateDialog} onClose=${close} />`
      : dialog ? html`<${DeleteDialog} passkey=${dialog} onClose=${close} />` : null}
  <//>`;
}

/** @param {{passkeys: Passkey[], onDelete: (passkey: Passkey) => void}} props */
function PasskeyTable({ passkeys, onDelete }) {
  const columns = [
    { title: texts.name, cell: (/** @type {Passkey} */ p) => html`<bdi>${p.name}</bdi>
      ${p.isSynced ? html` <${Badge}>${texts.synced}<//>` : null}${p.isLocked ? html` <${Badge} tone="bad">${texts.locked}<//>` : null}` },
    { title: texts.created, cell: (/** @type {Passkey} */ p) => formatDate(p.createdAt) },
    { title: texts.lastUsed, cell: (/** @type {Passkey} */ p) => (p.lastUsedAt ? formatRelative(p.lastUsedAt) : texts.never) },
    { title: strings.common.delete, isActions: true, cell: (/** @type {Passkey} */ p) =>
      html`<${Button} label=${texts.deleteLabel(p.name)} onClick=${() => onDelete(p)}>${strings.common.delete}<//>` },
  ];
  return html`<${Table} caption=${texts.title} columns=${columns} rows=${passkeys} rowKey=${(/** @type {Passkey} */ p) => p.id} />`;
}

/** @param {{onClose: () => void}} props */
function CreateDialog({ onClose }) {
  const [name, setName] = useState("");
  const action = useAction(async () => {
    await register(name);
    announce(texts.wasCreated(name));
  });
  const submit = async () => {
    if (await action.run()) onClose();
  };
  return html`<${Dialog} title=${texts.create} onClose=${onClose}>
    <${Form} submit=${texts.createConfirm} problem=${action.problem} isRunning=${action.isRunning} onSubmit=${submit} onCancel=${onClose}>
      <${TextField} label=${texts.name} name="name" hint=${texts.nameHint} maxLength=${100} value=${name} onChange=${setName}
        problem=${action.problem} isRequired />
    <//>
  <//>`;
}

/** @param {{passkey: Passkey, onClose: () => void}} props */
function DeleteDialog({ passkey, onClose }) {
  const act = async () => {
    await remove("/v1/passkeys/{passkeyId}", { path: { passkeyId: passkey.id } });
    announce(texts.wasDeleted(passkey.name));
  };
  return html`<${ConfirmDialog} title=${texts.deleteTitle(passkey.name)} confirm=${strings.common.delete} act=${act} onClose=${onClose}>
    <p>${texts.deleteText}</p>
  <//>`;
}
