// The fields of a trust policy.
import { useState } from "preact/hooks";
import { ScopeFields } from "../../components/scopes.js";
import { TextArea, TextField } from "../../components/fields.js";
import { NumberField, numberValue } from "../../components/numberfield.js";
import { describeValues, valuesOf } from "../../components/trustpolicies.js";
import { describeScopes, scopesOf, toScopeValues } from "../../core/credentials.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { Conditions } from "./conditions.js";

const texts = strings.trustPolicies;

/** @typedef {import("../../components/trustpolicies.js").TrustPolicy} TrustPolicy */
/** @typedef {import("../../core/api.js").Problem} Problem */
/** @typedef {import("./conditions.js").Condition} Condition */
/**
 * @typedef {{name: string, issuer: string, audience: string, conditions: Condition[],
 *   scopes: import("../../core/credentials.js").ScopeValues, maxMinutes: string, jwks: string}} Values
 */
/** @typedef {"github" | "gitlab" | "kubernetes" | "other"} Platform */

/**
 * What is typical for a platform: the issuer, and examples of conditions. The form shows the examples where a value is missing and does not
 * fill them in, because a policy with an example would trust somebody else.
 * @type {Record<Platform, {issuer: string, examples: Record<string, string>}>}
 */
export const presets = {
  github: {
    issuer: "https://token.actions.githubusercontent.com",
    examples: { repository_id: "74", repository_owner_id: "65", ref: "refs/heads/main" },
  },
  gitlab: { issuer: "https://gitlab.com", examples: { project_id: "20", ref: "main" } },
  kubernetes: { issuer: "", examples: { sub: "system:serviceaccount:acme:puller" } },
  other: { issuer: "", examples: { sub: "" } },
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

/**
 * @param {TrustPolicy} policy
 * @returns {Values}
 */
export function toFields({ name, issuer, audience, conditions, scopes, maxMinutes, jwks }) {
  return {
    name, issuer, audience, conditions: conditions.map((c) => ({ claim: c.claim, values: valuesOf(c).join("\n") })), scopes: toScopeValues(scopes),
    maxMinutes: String(maxMinutes), jwks,
  };
}

/**
 * The body of a request for the given fields. It throws a Problem if the minutes are no number.
 * @param {Partial<Values>} values
 */
export function toBody(values) {
  /** @type {Record<string, unknown>} */
  const body = { ...values };
  if (values.conditions) body.conditions = values.conditions.map(toCondition);
  if (values.scopes) body.scopes = scopesOf(values.scopes);
  if (values.maxMinutes !== undefined) body.maxMinutes = numberValue("/maxMinutes", values.maxMinutes, texts.notMinutes);
  if (values.jwks !== undefined) body.jwks = values.jwks.trim();
  return body;
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

/**
 * @param {{values: Values, set: (name: keyof Values) => (value: any) => void, platform: Platform, problem?: Problem}} props
 */
export function TrustPolicyFields({ values, set, platform, problem }) {
  return html`
    <${TextField} label=${texts.name} name="name" value=${values.name} onChange=${set("name")} problem=${problem} hint=${texts.nameHint}
      isRequired />
    <${TextField} label=${texts.issuer} name="issuer" inputmode="url" value=${values.issuer} onChange=${set("issuer")} problem=${problem}
      hint=${texts.issuerHints[platform]} isRequired />
    <${TextField} label=${texts.audience} name="audience" value=${values.audience} onChange=${set("audience")} problem=${problem}
      hint=${texts.audienceHint} isRequired />
    ${platform === "github" ? html`<${GitHubIds} />` : null}
    <${Conditions} conditions=${values.conditions} onChange=${set("conditions")} examples=${presets[platform].examples}
      hint=${texts.conditionHints[platform]} problem=${problem} />
    <${ScopeFields} label=${texts.scopes} value=${values.scopes} onChange=${set("scopes")} problem=${problem} />
    <${NumberField} label=${texts.maxMinutes} name="maxMinutes" value=${values.maxMinutes} onChange=${set("maxMinutes")}
      problem=${problem} hint=${texts.maxMinutesHint} isRequired />
    <${TextArea} label=${texts.jwks} name="jwks" value=${values.jwks} onChange=${set("jwks")} problem=${problem} hint=${texts.jwksHint} />`;
}
