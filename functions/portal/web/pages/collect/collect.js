// The page of the link in the mail after an approval: it creates the password and shows it once.
import { OneTimePage } from "../../components/onetime.js";
import { Secret } from "../../components/secret.js";
import { post } from "../../core/api.js";
import { passwordFile } from "../../core/commands.js";
import { formatDate } from "../../core/format.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";

const texts = strings.collect;

/** @param {string} token */
async function collect(token) {
  return (await post("/api/v1/credential-requests/collect", { body: { token }, isPublic: true })).data;
}

export default function Collect() {
  return html`<${OneTimePage} title=${texts.title} text=${texts.text} button=${texts.show} doneTitle=${texts.doneTitle}
    missing=${[texts.missing, texts.missingUsed]} spend=${collect} done=${(/** @type {any} */ data) => html`<${Done} made=${data} />`} />`;
}

/** @param {{made: import("../../core/types").Schema<"Password">}} props */
function Done({ made }) {
  return html`<section class="card">
    <p>${texts.until(formatDate(made.expiresAt))} <strong>${texts.save}</strong></p>
    <${Secret} isPassword label=${texts.password} secret=${made.password}
      login=${{ username: made.username, file: passwordFile, scopes: made.scopes }} />
  </section>`;
}
