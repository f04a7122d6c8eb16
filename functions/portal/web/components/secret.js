// A new secret, which is shown only once: copy it, download it for Kubernetes, and see the commands that use it.
import { commands, includesImages, pullSecret, saveCommand } from "../core/commands.js";
import { downloadText } from "../core/download.js";
import { useLeaveWarning } from "../core/leave-guard.js";
import { html } from "../core/html.js";
import { strings } from "../core/strings.js";
import { Button } from "./buttons.js";
import { CodeBlock, CopyField } from "./copy.js";
import { Tabs } from "./tabs.js";

/** @typedef {import("../core/commands.js").Login} Login */

/**
 * The commands for each client, as tabs.
 * @param {{login: Login}} props
 */
export function Commands({ login }) {
  const tabs = commands(login).map(({ name, title, text }) => ({
    name, title, content: () => html`<${CodeBlock} key=${name} label=${strings.secret.commandsFor(title)} text=${text} />`,
  }));
  return html`<${Tabs} label=${strings.secret.clients} tabs=${tabs} />`;
}

/**
 * Shows a secret. The browser asks before the page closes, because the secret cannot be shown again.
 * @param {{login: Login, secret: string, label: string, isPassword?: boolean}} props
 */
export function Secret({ login, secret, label, isPassword = false }) {
  useLeaveWarning(true);
  const download = () => downloadText("portside-pull.yaml", pullSecret({ username: login.username, secret }), "application/yaml");
  return html`
    ${isPassword ? html`<${CopyField} label=${strings.secret.username} text=${login.username} />` : null}
    <${CopyField} label=${label} text=${secret} />
    ${includesImages(login.scopes) ? html`<p><${Button} onClick=${download}>${strings.secret.download}<//></p>
      <p class="hint">${strings.secret.downloadHint}</p>` : null}
    <h2 class="sub">${strings.secret.use}</h2>
    <p>${strings.secret.save(label)}</p>
    <${CodeBlock} label=${strings.secret.saveCommand} text=${saveCommand(login)} />
    <${Commands} login=${login} />`;
}
