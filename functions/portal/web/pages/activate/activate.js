// The page of the link in the activation mail: it activates the account and shows the first API key once.
import { ButtonLink } from "../../components/buttons.js";
import { CodeBlock, CopyField } from "../../components/copy.js";
import { OneTimePage } from "../../components/onetime.js";
import { post } from "../../core/api.js";
import { useLeaveWarning } from "../../core/leave-guard.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";

const texts = strings.activate;

/** @param {string} token */
async function activate(token) {
  return (await post("/v1/users/activate", { body: { token }, isPublic: true })).data;
}

export default function Activate() {
  return html`<${OneTimePage} title=${texts.title} text=${texts.text} button=${texts.activate} doneTitle=${texts.doneTitle}
    missing=${[texts.missing, texts.missingUsed]} spend=${activate} done=${(/** @type {any} */ data) => html`<${Done} user=${data} />`} />`;
}

/** @param {{user: {id: string, name: string, apiKey: string}}} props */
function Done({ user }) {
  useLeaveWarning(true);
  const example = `curl -H "X-API-Key: ${user.apiKey}" \\\n  ${location.origin}/v1/users/${user.id}`;
  return html`<section class="card">
    <p>${texts.welcome(user.name)} <strong>${texts.save}</strong></p>
    <${CopyField} label=${texts.key} text=${user.apiKey} />
    <h2 class="sub">${texts.example}</h2>
    <${CodeBlock} label=${texts.exampleLabel} text=${example} />
    <p>${texts.permissions} <a href="/docs" target="_blank" rel="noopener">${texts.docs}</a>.</p>
    <p>${texts.signInText}</p>
    <p><${ButtonLink} kind="primary" href="/portal/sign-in">${strings.mailedLink.signIn}<//></p>
  </section>`;
}
