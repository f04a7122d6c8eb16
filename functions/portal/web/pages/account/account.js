// The account page: the user's sessions, passkeys and API keys.
import { APIKeys } from "../../components/apikeys.js";
import { ButtonLink } from "../../components/buttons.js";
import { Page, Section } from "../../components/page.js";
import { html } from "../../core/html.js";
import { currentUser } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { Passkeys } from "./passkeys.js";
import { Sessions } from "./sessions.js";

const texts = strings.account;

export default function Account() {
  const user = currentUser();
  const actions = html`<${ButtonLink} href="/portal/access">${strings.access.title}<//>`;
  return html`<${Page} title=${texts.title} actions=${actions}>
    <${Section} title=${texts.profile}>
      <dl class="facts">
        <dt>${texts.name}</dt><dd><bdi>${user.name}</bdi></dd>
        <dt>${texts.email}</dt><dd>${user.email}</dd>
        <dt>${texts.role}</dt><dd>${strings.users.roles[user.role]}</dd>
      </dl>
    <//>
    <${Sessions} />
    <${Passkeys} />
    <${APIKeys} user=${{ id: user.id, status: "active" }} />
  <//>`;
}
