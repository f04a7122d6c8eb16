// Suspending, reactivating, signing out and deleting a user.
import { useState } from "preact/hooks";
import { announce } from "../../components/announcer.js";
import { Button } from "../../components/buttons.js";
import { ConfirmDialog } from "../../components/dialog.js";
import { TypedConfirmDialog } from "../../components/typedconfirm.js";
import { ProblemMessage, Section } from "../../components/page.js";
import { put, remove } from "../../core/api.js";
import { explainConflict } from "../../core/draft.js";
import { useAction } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { navigate } from "../../core/router.js";
import { currentUser, endSession } from "../../core/session.js";
import { strings } from "../../core/strings.js";

const texts = strings.users;
const path = "/v1/users/{userId}";

/** @typedef {{resource: import("./user.js").Resource, reload: () => void}} Props */

/** @param {Props} props */
export function StatusActions({ resource, reload }) {
  const [isAsking, setAsking] = useState(false);
  const { name, status } = resource.data;
  const reactivate = useAction(async () => {
    await setStatus(resource, "active");
    announce(texts.wasReactivated(name));
    reload();
  });
  const suspend = async () => {
    await setStatus(resource, "suspended");
    announce(texts.wasSuspended(name));
  };
  const close = () => {
    setAsking(false);
    reload();
  };
  return html`
    ${status === "suspended" || status === "inactive"
      ? html`<${Button} isRunning=${reactivate.isRunning} onClick=${() => reactivate.run()}>${texts.reactivate}<//>`
      : html`<${Button} onClick=${() => setAsking(true)}>${texts.suspend}<//>`}
    <${ProblemMessage} problem=${reactivate.problem} onRetry=${reactivate.problem?.status === 412 ? reload : undefined} />
    ${isAsking ? html`<${ConfirmDialog} title=${texts.suspendTitle(name)} confirm=${texts.suspend} act=${suspend} onClose=${close}>
      <p>${texts.suspendText}</p>
    <//>` : null}`;
}

/**
 * @param {import("./user.js").Resource} resource
 * @param {string} status
 */
function setStatus({ data, etag }, status) {
  return explainConflict(put(path, { path: { userId: data.id }, headers: { "If-Match": etag }, body: { status } }));
}

/** @param {{user: import("./roles.js").User}} props */
export function SignOut({ user }) {
  const [isAsking, setAsking] = useState(false);
  const act = async () => {
    await remove("/v1/users/{userId}/sessions", { path: { userId: user.id } });
    announce(texts.wasSignedOut(user.name));
    if (user.id === currentUser().id) endSession();
  };
  return html`<${Section} title=${texts.signOut}>
    <p>${texts.signOutIntro}</p>
    <${Button} onClick=${() => setAsking(true)}>${texts.signOut}<//>
    ${isAsking ? html`<${ConfirmDialog} title=${texts.signOutTitle(user.name)} confirm=${texts.signOut} act=${act} onClose=${() => setAsking(false)}>
      <p>${texts.signOutText}</p>
    <//>` : null}
  <//>`;
}

/** @param {Props} props */
export function Danger({ resource, reload }) {
  const [isAsking, setAsking] = useState(false);
  const user = resource.data;
  const isOwn = user.id === currentUser().id;
  const act = async () => {
    await explainConflict(remove(path, { path: { userId: user.id }, headers: { "If-Match": resource.etag } }));
    announce(texts.wasDeleted(user.name));
    navigate("/portal/users");
    if (isOwn) endSession();
  };
  const close = () => {
    setAsking(false);
    reload();
  };
  return html`<${Section} title=${texts.danger}>
    <p>${texts.deleteIntro}</p>
    <${Button} kind="danger" onClick=${() => setAsking(true)}>${texts.delete}<//>
    ${isAsking ? html`<${TypedConfirmDialog} title=${texts.deleteTitle(user.name)} confirm=${texts.delete} text=${user.email}
        label=${texts.deleteType(user.email)} mismatch=${texts.deleteMismatch} act=${act} onClose=${close}>
      <p>${texts.deleteText}</p>
      ${isOwn ? html`<p class="note warning">${texts.deleteSelf}</p>` : null}
    <//>` : null}
  <//>`;
}
