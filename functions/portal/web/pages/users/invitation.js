// The invitation of a pending user: whether its email was sent, until when its link works, and a button to send another.
import { announce } from "../../components/announcer.js";
import { Button } from "../../components/buttons.js";
import { Loaded, ProblemMessage, Section } from "../../components/page.js";
import { get, post } from "../../core/api.js";
import { formatDateTime } from "../../core/format.js";
import { useAction, useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { mayChange } from "./roles.js";

const texts = strings.users.invitation;
const path = "/v1/users/{userId}/invitation";

/** @typedef {import("../../core/types").Schema<"Invitation">} Invitation */

/** @param {{user: import("./roles.js").User, reload: () => void}} props reload reads the user again, whose ETag an invitation changes */
export function InvitationSection({ user, reload }) {
  const options = { path: { userId: user.id } };
  const load = useLoad((signal) => get(path, { ...options, signal }), [user.id]);
  const resend = useAction(async () => {
    await post(path, options);
    announce(texts.wasSent(user.email));
    load.reload();
    reload();
  });
  return html`<${Section} title=${texts.title}>
    <${Loaded} load=${load}>${(/** @type {{data: Invitation}} */ { data }) => html`<p>${describe(data)}</p>`}<//>
    ${mayChange(user) ? html`<${Button} isRunning=${resend.isRunning} onClick=${() => resend.run()}>${texts.resend}<//>` : null}
    <${ProblemMessage} problem=${resend.problem} />
  <//>`;
}

/** @param {Invitation} invitation */
function describe({ status, expiresAt }) {
  if (status === "waiting") return texts.waiting;
  if (status === "expired") return texts.expired;
  return texts.sent(expiresAt ? formatDateTime(expiresAt) : "");
}
