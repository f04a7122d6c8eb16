// Suspending, activating and deleting a customer, and ending the credentials of its users.
import { useState } from "preact/hooks";
import { announce } from "../../components/announcer.js";
import { Button } from "../../components/buttons.js";
import { ConfirmDialog } from "../../components/dialog.js";
import { Section } from "../../components/page.js";
import { put, remove } from "../../core/api.js";
import { explainConflict } from "../../core/draft.js";
import { html } from "../../core/html.js";
import { navigate } from "../../core/router.js";
import { strings } from "../../core/strings.js";

const texts = strings.customers;
const path = "/v1/customers/{customerId}";

/** @typedef {import("./customer.js").Props} Props */

/** @param {Props} props */
export function StatusAction({ resource, reload }) {
  const [isAsking, setAsking] = useState(false);
  const { id, name, status } = resource.data;
  const isSuspended = status === "suspended";
  const act = async () => {
    const body = { status: isSuspended ? "active" : "suspended" };
    await explainConflict(put(path, { path: { customerId: id }, headers: { "If-Match": resource.etag }, body }));
    announce(isSuspended ? texts.wasActivated(name) : texts.wasSuspended(name));
  };
  const close = () => {
    setAsking(false);
    reload();
  };
  const dialog = isSuspended
    ? html`<${ConfirmDialog} title=${texts.activateTitle(name)} confirm=${texts.activate} act=${act} onClose=${close}>
        <p>${texts.activateText}</p><//>`
    : html`<${SuspendDialog} customer=${resource.data} act=${act} onClose=${close} />`;
  return html`<${Button} onClick=${() => setAsking(true)}>${isSuspended ? texts.activate : texts.suspend}<//>${isAsking ? dialog : null}`;
}

/** @param {{customer: import("./fields.js").Customer, act: () => Promise<unknown>, onClose: () => void}} props */
export function SuspendDialog({ customer, act, onClose }) {
  return html`<${ConfirmDialog} title=${texts.suspendTitle(customer.name)} confirm=${texts.suspend} act=${act} onClose=${onClose}>
    <p>${texts.suspendText}</p>
  <//>`;
}

/** @param {{customer: import("./fields.js").Customer}} props */
export function EndCredentials({ customer }) {
  const [isAsking, setAsking] = useState(false);
  const { id, name } = customer;
  const act = async () => {
    await remove("/v1/customers/{customerId}/credentials", { path: { customerId: id } });
    announce(texts.allWereEnded(name));
  };
  return html`<${Section} title=${strings.users.credentials}>
    <p>${texts.credentialsIntro}</p>
    <${Button} onClick=${() => setAsking(true)}>${strings.users.endAll}<//>
    ${isAsking ? html`<${ConfirmDialog} title=${texts.endAllTitle(name)} confirm=${strings.users.endAll} act=${act}
      onClose=${() => setAsking(false)}>
      <p>${texts.endAllText}</p>
    <//>` : null}
  <//>`;
}

/** @param {Props} props */
export function Danger({ resource, reload }) {
  const [isAsking, setAsking] = useState(false);
  const { id, name } = resource.data;
  const act = async () => {
    await explainConflict(remove(path, { path: { customerId: id }, headers: { "If-Match": resource.etag } }));
    announce(texts.wasDeleted(name));
    navigate("/portal/customers");
  };
  const close = () => {
    setAsking(false);
    reload();
  };
  return html`<${Section} title=${strings.users.danger}>
    <p>${texts.deleteIntro}</p>
    <${Button} kind="danger" onClick=${() => setAsking(true)}>${texts.delete}<//>
    ${isAsking ? html`<${ConfirmDialog} title=${texts.deleteTitle(name)} confirm=${texts.delete} act=${act} onClose=${close}>
      <p>${texts.deleteText}</p>
    <//>` : null}
  <//>`;
}
