// The page of the link in the activation mail: it activates the account and shows the first API key once.
import { ButtonLink } from "../../components/buttons.js";
import { CodeBlock, CopyField } from "../../components/copy.js";
import { OneTimePage } from "../../components/onetime.js";
import { post } from "../../core/api.js";
import { useHold } from "../../core/hold.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";

const text = strings.activate;

/** @param {string} token */
async function activate(token) {
  return (await post("/v1/users/activate", { body: { token }, isPublic: true })).data;
}

export default function Activate() {
  return html`<${OneTimePage} title=${text.title} text=${text.text} button=${text.activate} doneTitle=${text.doneTitle}
    missing=${[text.missing, text.missingUsed]} spend=${activate} done=${(/** @type {any} */ data) => html`<${Done} user=${data} />`} />`;
}

/** @param {{user: {id: string, name: string, apiKey: string}}} props */
function Done({ user }) {
  useHold(true);
  const example = `curl -H "X-API-Key: ${user.apiKey}" \\\n  ${location.origin}/v1/users/${user.id}`;
  return html`<section class="card">
    <p>${text.welcome(user.name)} <strong>${text.save}</strong></p>
    <${CopyField} label=${text.key} text=${user.apiKey} />
    <h2 class="sub">${text.example}</h2>
    <${CodeBlock} label=${text.exampleLabel} text=${example} />
    <p>${text.permissions} <a href="/docs" target="_blank" rel="noopener">${text.docs}</a>.</p>
    <p>${text.signInText}</p>
    <p><${ButtonLink} kind="primary" href="/portal/sign-in">${strings.mailedLink.signIn}<//></p>
  </section>`;
}
