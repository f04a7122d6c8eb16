// The page of a user: details, API keys, tokens, and how to suspend or delete the user.
import { useState } from "preact/hooks";
import { announce } from "../../components/announcer.js";
import { APIKeys } from "../../components/apikeys.js";
import { Differences } from "../../components/differences.js";
import { ConfirmDialog } from "../../components/dialog.js";
import { Form } from "../../components/fields.js";
import { Loaded, Page, Section } from "../../components/page.js";
import { UserStatus } from "../../components/statuses.js";
import { getResource } from "../../core/api.js";
import { useCustomer } from "../../core/customers.js";
import { useDraft } from "../../core/draft.js";
import { formatDateTime } from "../../core/format.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { can, endSession, isStaff, loadSession } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { changeForm } from "./fields.js";
import { InvitationSection } from "./invitation.js";
import { findLoss, isOwn, OwnWarning } from "./own.js";
import { mayChange, mayDelete } from "./roles.js";
import { Danger, EndCredentials, StatusActions } from "./status.js";
import { UserTokens } from "./tokens.js";

const texts = strings.users;
const path = "/v1/users/{userId}";

/** @typedef {import("./roles.js").User} User */
/** @typedef {{data: User, etag: string}} Resource */

/** @param {{params: Record<string, string>}} props */
export default function UserPage({ params }) {
  const load = useLoad((signal) => getResource(path, { path: params, signal }), [params.userId]);
  if (!load.data || load.problem) {
    return html`<${Page} title=${texts.title}><${Loaded} load=${load}>${() => null}<//><p><a href="/portal/users">${texts.back}</a></p><//>`;
  }
  return html`<${View} key=${load.data.data.id} resource=${load.data} reload=${load.reload} />`;
}

/** @param {{resource: Resource, reload: () => void}} props */
function View({ resource, reload }) {
  const user = resource.data;
  const actions = mayChange(user) ? html`<${StatusActions} resource=${resource} reload=${reload} />` : null;
  return html`<${Page} title=${user.name} actions=${actions}
    intro=${html`<${UserStatus} status=${user.status} /> ${texts.roles[user.role]} · ${user.email}`}>
    <${Section} title=${texts.edit} actions=${can("audit:read")
      ? html`<a href=${`/portal/audit?target=user:${user.id}`}>${strings.audit.link}</a>` : null}>
      <${Facts} user=${user} />
      ${mayChange(user) ? html`<${Edit} resource=${resource} reload=${reload} />`
        : can("users:write") ? html`<p class="muted">${texts.readOnly}</p>` : null}
    <//>
    ${user.status === "pending" ? html`<${InvitationSection} user=${user} reload=${reload} />` : null}
    ${isOwn(user) || can("api-keys:write") ? html`<${APIKeys} user=${user} />` : null}
    ${isOwn(user) || can("tokens:read") ? html`<${UserTokens} user=${user} />` : null}
    ${mayChange(user) ? html`<${EndCredentials} user=${user} />` : null}
    ${mayDelete(user) ? html`<${Danger} resource=${resource} reload=${reload} />` : null}
    <p><a href="/portal/users">${texts.back}</a></p>
  <//>`;
}

/** @param {{user: User}} props */
function Facts({ user }) {
  return html`<dl class="facts">
    ${isStaff() ? html`<dt>${texts.customer}</dt><dd><${CustomerLink} id=${user.customerId} /></dd>` : null}
    ${mayChange(user) ? null : html`<${changeForm.Details} resource=${user} />`}
    <dt>${texts.created}</dt><dd>${formatDateTime(user.createdAt)}</dd>
    <dt>${texts.updated}</dt><dd>${formatDateTime(user.updatedAt)}</dd>
    <dt>${texts.lastLogin}</dt><dd>${user.lastLoginAt ? formatDateTime(user.lastLoginAt) : texts.never}</dd>
    <dt>${texts.id}</dt><dd class="mono">${user.id}</dd>
  </dl>`;
}

/** @param {{id: string | null}} props */
function CustomerLink({ id }) {
  const { name } = useCustomer(id);
  return id ? html`<a href=${`/portal/customers/${id}`}><bdi>${name}</bdi></a>` : name;
}

/** @param {{resource: Resource, reload: () => void}} props */
function Edit({ resource, reload }) {
  const [isAsking, setAsking] = useState(false);
  const user = resource.data;
  const { values, set, action, differences } = useDraft({
    path, parameters: { userId: user.id }, resource, ...changeForm,
    onSaved: async () => {
      announce(texts.saved);
      if (loss === "suspend") return endSession();
      if (loss) await loadSession().catch(() => location.reload()); // the menu hides what is no longer permitted
      reload();
    },
  });
  const { problem, isRunning } = action;
  const loss = findLoss(user, values);
  const submit = () => (loss ? setAsking(true) : action.run());
  return html`<${Form} submit=${strings.common.save} problem=${problem} isRunning=${isRunning} onSubmit=${submit}>
    <${Differences} differences=${differences} labels=${changeForm.labels} />
    <${changeForm.Fields} values=${values} set=${set} problem=${problem} />
  <//>
  ${loss && isAsking
    ? html`<${LossDialog} user=${user} loss=${loss} act=${() => action.run()} onClose=${() => setAsking(false)} />` : null}`;
}

/**
 * Asks before users take away their own access or permissions. The form below it shows why that failed.
 * @param {{user: User, loss: "suspend" | "move" | "demote", act: () => Promise<unknown>, onClose: () => void}} props
 */
function LossDialog({ user, loss, act, onClose }) {
  const [title, confirm] = texts.own.confirmations[loss];
  return html`<${ConfirmDialog} title=${title} confirm=${confirm} act=${act} onClose=${onClose}>
    <${OwnWarning} user=${user} loss=${loss} />
  <//>`;
}
