// The API keys of a user.
import { useState } from "preact/hooks";
import { get, post, remove } from "../core/api.js";
import { formatDate, formatRelative } from "../core/format.js";
import { useAction, useIdempotencyKey, useLoad } from "../core/hooks.js";
import { html } from "../core/html.js";
import { useLeaveWarning } from "../core/leave-guard.js";
import { strings } from "../core/strings.js";
import { announce } from "./announcer.js";
import { Button } from "./buttons.js";
import { CopyField } from "./copy.js";
import { ConfirmDialog, Dialog } from "./dialog.js";
import { Checkbox, Form, Select, TextField, useFields } from "./fields.js";
import { Makers, useMakerNames } from "./makers.js";
import { Empty, Loaded, Section } from "./page.js";
import { Table } from "./table.js";
import { Uncertain } from "./uncertain.js";

const texts = strings.userKeys;
const path = "/v1/users/{userId}/api-keys";

/** @typedef {import("../core/types").Schema<"APIKey">} Key */

/** @param {{user: {id: string, status: string}}} props */
export function APIKeys({ user }) {
  const load = useLoad((signal) => get(path, { path: { userId: user.id }, signal }), [user.id]);
  const [dialog, setDialog] = useState(/** @type {"create" | Key | null} */ (null));
  const close = () => {
    setDialog(null);
    load.reload();
  };
  const actions = user.status === "active" ? html`<${Button} onClick=${() => setDialog("create")}>${texts.create}<//>` : null;
  return html`<${Section} title=${texts.title} actions=${actions}>
    <${Loaded} load=${load}>${(/** @type {{data: Key[]}} */ { data }) => (data.length > 0
      ? html`<${KeyTable} keys=${data} onDelete=${setDialog} />` : html`<${Empty} title=${texts.none}><p>${texts.intro}</p><//>`)}
    <//>
    ${dialog === "create" ? html`<${CreateDialog} userId=${user.id} onClose=${close} />`
      : dialog ? html`<${DeleteDialog} userId=${user.id} apiKey=${dialog} onClose=${close} />` : null}
  <//>`;
}

/** @param {{keys: Key[], onDelete: (key: Key) => void}} props */
function KeyTable({ keys, onDelete }) {
  const name = useMakerNames(keys.map((k) => k.makers));
  const columns = [
    { title: texts.name, cell: (/** @type {Key} */ k) => html`<bdi>${k.name}</bdi> <span class="muted mono small">${k.id}</span>` },
    { title: strings.users.created, cell: (/** @type {Key} */ k) => formatDate(k.createdAt) },
    { title: strings.makers.title, cell: (/** @type {Key} */ k) => html`<${Makers} makers=${k.makers} name=${name} />` },
    { title: texts.lastUsed, cell: (/** @type {Key} */ k) => (k.lastUsedAt ? formatRelative(k.lastUsedAt) : texts.never) },
    { title: texts.expires, cell: (/** @type {Key} */ k) => (k.expiresAt ? formatDate(k.expiresAt) : texts.never) },
    { title: strings.common.delete, isActions: true, cell: (/** @type {Key} */ k) =>
      html`<${Button} label=${texts.deleteLabel(k.name)} onClick=${() => onDelete(k)}>${strings.common.delete}<//>` },
  ];
  return html`<${Table} caption=${texts.caption} columns=${columns} rows=${keys} rowKey=${(/** @type {Key} */ k) => k.id} />`;
}

/** @param {{userId: string, onClose: () => void}} props */
function CreateDialog({ userId, onClose }) {
  const [fields, set] = useFields({ name: "", days: "365" });
  const idempotencyKey = useIdempotencyKey(fields);
  const [secret, setSecret] = useState("");
  useLeaveWarning(secret !== "");
  const action = useAction(async () => {
    const expirationDays = fields.days ? Number(fields.days) : undefined;
    const body = { name: fields.name, expirationDays };
    const { data } = await post(path, { path: { userId }, body, headers: { "Idempotency-Key": idempotencyKey } });
    setSecret(data.key);
  });
  if (secret) {
    return html`<${Dialog} key="created" title=${texts.created} isWide>
      <p>${texts.once}</p>
      <${CopyField} label=${texts.key} text=${secret} />
      <div class="form-actions"><${Button} kind="primary" onClick=${onClose}>${texts.stored}<//></div>
    <//>`;
  }
  const options = ["30", "90", "365"].map((value) => ({ value, label: texts.days(Number(value)) }));
  return html`<${Dialog} key="create" title=${texts.create} onClose=${onClose}>
    <${Form} submit=${texts.create} problem=${action.problem} isRunning=${action.isRunning} onSubmit=${() => action.run()} onCancel=${onClose}>
      <${TextField} label=${texts.name} name="name" hint=${texts.nameHint} value=${fields.name} onChange=${set("name")}
        problem=${action.problem} isRequired />
      <${Select} label=${texts.expires} name="expirationDays" value=${fields.days} onChange=${set("days")} problem=${action.problem}
        options=${[...options, { value: "", label: texts.never }]} isRequired />
      <${Uncertain} problem=${action.problem} />
    <//>
  <//>`;
}

/** @param {{userId: string, apiKey: Key, onClose: () => void}} props */
function DeleteDialog({ userId, apiKey, onClose }) {
  const [made, setMade] = useState(false);
  const act = async () => {
    await remove("/v1/users/{userId}/api-keys/{keyId}", { path: { userId, keyId: apiKey.id }, query: { made: made ? "true" : "" } });
    announce(texts.wasDeleted(apiKey.name));
  };
  return html`<${ConfirmDialog} title=${texts.deleteTitle(apiKey.name)} confirm=${strings.common.delete} act=${act} onClose=${onClose}>
    <p>${texts.deleteText}</p>
    <${Checkbox} label=${texts.deleteMade} hint=${texts.deleteMadeHint} value=${made} onChange=${setMade} />
  <//>`;
}
