// The fields of a trust policy, with the texts that only they show.
import { useState } from "preact/hooks";
import { TextArea, TextField } from "../../components/fields.js";
import { NumberField, numberValue } from "../../components/numberfield.js";
import { formOf } from "../../components/resourceform.js";
import { ScopeFields } from "../../components/scopes.js";
import { describeValues, valuesOf } from "../../components/trustpolicies.js";
import { describeScopes, scopesOf, toScopeValues } from "../../core/credentials.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { Conditions } from "./conditions.js";

const texts = strings.trustPolicies;

/** @typedef {import("../../components/trustpolicies.js").TrustCondition} TrustCondition */
/** @typedef {import("./conditions.js").Condition} Condition */
/** @typedef {"github" | "gitlab" | "kubernetes" | "other"} Platform */

/**
 * What is typical for a platform: the issuer, and examples of conditions. The form shows the examples where a value is missing and does not
 * fill them in, because a policy with an example would trust somebody else.
 * @type {Record<Platform, {issuer: string, issuerHint: string, examples: Record<string, string>, conditionsHint: string}>}
 */
export const presets = {
  github: {
    issuer: "https://token.actions.githubusercontent.com", issuerHint: "The claim iss of the tokens.",
    examples: { repository_id: "74", repository_owner_id: "65", ref: "refs/heads/main" },
    conditionsHint: "GitHub signs for everybody, so name the repository, best by its IDs. Its name and the subject can change, and a name " +
      "can pass to another owner, but an ID cannot.",
  },
  gitlab: {
    issuer: "https://gitlab.com", issuerHint: "The claim iss of the tokens. Change it for a GitLab with another address.",
    examples: { project_id: "20", ref: "main" },
    conditionsHint: "GitLab signs for everybody, so name the project. Paths can be taken over after a deletion, but IDs cannot.",
  },
  kubernetes: {
    issuer: "",
    issuerHint: "The claim iss of the tokens, which the customer finds with: kubectl get --raw /.well-known/openid-configuration",
    examples: { sub: "system:serviceaccount:acme:puller" }, conditionsHint: "The subject names the namespace and the service account.",
  },
  other: { issuer: "", issuerHint: "The claim iss of the tokens, an https address.", examples: { sub: "" }, conditionsHint: "" },
};

/**
 * The fields that a preset fills in.
 * @param {Platform} platform
 */
export function presetFields(platform) {
  const { issuer, examples } = presets[platform];
  return { issuer, conditions: Object.keys(examples).map((claim) => ({ claim, values: "" })) };
}

/**
 * The platform of an issuer. The issuers of Kubernetes clusters have no common address.
 * @param {string} issuer
 */
export function platformOf(issuer) {
  const found = Object.entries(presets).find(([, preset]) => preset.issuer === issuer && issuer !== "");
  return /** @type {Platform} */ (found ? found[0] : "other");
}

export const trustPolicyForm = formOf([
  [{ name: "name", label: texts.name, isRequired: true, hint: "What uses it, such as: builds of the app. Lists of pulls show it." }],
  [{ name: "issuer", label: texts.issuer, input: Issuer, inputmode: "url", isRequired: true }],
  [{
    name: "audience", label: texts.audience, isRequired: true,
    hint: "A value of the claim aud of the tokens. With the address of this service, tokens for other services do not work here.",
  }],
  [{
    name: "conditions", label: "Conditions", input: PlatformConditions,
    read: (/** @type {TrustCondition[]} */ stored = []) => stored.map((c) => ({ claim: c.claim, values: valuesOf(c).join("\n") })),
    write: (conditions) => conditions.map(toCondition),
  }],
  [{ name: "scopes", label: "What access tokens may pull", input: ScopeFields, read: (stored = []) => toScopeValues(stored), write: scopesOf }],
  [{
    name: "maxMinutes", label: "Longest life in minutes", input: NumberField, isRequired: true, hint: "1 to 60. An access token works that long.",
    read: String, write: (text, pointer) => numberValue(pointer, text, "must be a whole number from 1 to 60"),
  }],
  [{
    name: "jwks", label: "Keys of the issuer", input: TextArea, write: (text) => text.trim(),
    hint: "The JSON Web Key Set of an issuer that is not at a public address; for Kubernetes, the output of: kubectl get --raw /openid/v1/jwks. " +
      "Leave it empty to read the keys from the issuer.",
  }],
]);

/** @param {import("../../components/fields.js").FieldProps & {platform: Platform}} props */
function Issuer({ platform, ...props }) {
  return html`<${TextField} ...${props} hint=${presets[platform].issuerHint} />`;
}

/** @param {Parameters<typeof Conditions>[0] & {platform: Platform}} props */
function PlatformConditions({ platform, ...props }) {
  return html`${platform === "github" ? html`<${GitHubIds} />` : null}
    <${Conditions} ...${props} examples=${presets[platform].examples} hint=${presets[platform].conditionsHint} />`;
}

/**
 * A condition in the form of the API.
 * @param {Condition} condition
 */
function toCondition({ claim, values }) {
  const all = values.split("\n").map((value) => value.trim()).filter((value) => value !== "");
  return all.length > 1 ? { claim, values: all } : { claim, value: all[0] ?? "" };
}

/**
 * The value of a field in words, for the changes that someone else made.
 * @param {any} value
 * @param {string} field
 */
export function describe(value, field) {
  if (field === "conditions") return value.map(describeCondition).join(", ");
  return field === "scopes" ? describeScopes(scopesOf(value)).join(", ") : value;
}

/** @param {Condition} condition */
const describeCondition = (condition) => `${condition.claim} = ${describeValues(toCondition(condition))}`;

/**
 * Where the IDs of a repository on GitHub are. The Content-Security-Policy lets the page not ask GitHub, so the user opens the address.
 */
function GitHubIds() {
  const [repository, setRepository] = useState("");
  const name = repository.trim();
  const address = `https://api.github.com/repos/${name}`;
  return html`<${TextField} label=${texts.repository} name="repository" value=${repository} onChange=${setRepository}
      hint=${texts.repositoryHint} />
    ${/^[\w-]+\/[\w-][\w.-]*$/.test(name) ? html`<p class="hint">
      <a href=${address} target="_blank" rel="noopener noreferrer">${address}</a> ${texts.repositoryIds}</p>` : null}`;
}
