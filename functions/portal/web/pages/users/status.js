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
import { endSession } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { isOwn, OwnWarning } from "./own.js";

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
    if (isOwn(resource.data)) endSession();
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
      ${isOwn(resource.data) ? html`<${OwnWarning} user=${resource.data} loss="suspend" />` : html`<p>${texts.suspendText}</p>`}
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
export function EndCredentials({ user }) {
  const [asked, setAsked] = useState(/** @type {"sessions" | "all" | null} */ (null));
  const act = async () => {
    await end(user.id, asked);
    announce(asked === "all" ? texts.allWereEnded(user.name) : texts.wasSignedOut(user.name));
    if (isOwn(user)) endSession();
  };
  const close = () => setAsked(null);
  return html`<${Section} title=${texts.credentials}>
    <p>${texts.credentialsIntro}</p>
    <${Button} onClick=${() => setAsked("sessions")}>${texts.signOut}<//>
    <${Button} onClick=${() => setAsked("all")}>${texts.endAll}<//>
    ${asked === "sessions" ? html`<${ConfirmDialog} title=${texts.signOutTitle(user.name)} confirm=${texts.signOut} act=${act} onClose=${close}>
      <p>${texts.signOutText}</p>
      <${OwnWarning} user=${user} loss="signOut" />
    <//>` : null}
    ${asked === "all" ? html`<${ConfirmDialog} title=${texts.endAllTitle(user.name)} confirm=${texts.endAll} act=${act} onClose=${close}>
      <p>${texts.endAllText}</p>
      <${OwnWarning} user=${user} loss="endAll" />
    <//>` : null}
  <//>`;
}

/**
 * @param {string} userId
 * @param {"sessions" | "all" | null} which
 */
function end(userId, which) {
  const options = { path: { userId } };
  return which === "all" ? remove("/v1/users/{userId}/credentials", options) : remove("/v1/users/{userId}/sessions", options);
}

/** @param {Props} props */
export function Danger({ resource, reload }) {
  const [isAsking, setAsking] = useState(false);
  const user = resource.data;
  const act = async () => {
    await explainConflict(remove(path, { path: { userId: user.id }, headers: { "If-Match": resource.etag } }));
    announce(texts.wasDeleted(user.name));
    navigate("/portal/users");
    if (isOwn(user)) endSession();
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
      <${OwnWarning} user=${user} loss="delete" />
    <//>` : null}
  <//>`;
}
