// A field for the scopes of a credential: whether it may pull charts and images, and which.
import { html } from "../core/html.js";
import { useId } from "../core/id.js";
import { strings } from "../core/strings.js";
import { Checkbox, TextField } from "./fields.js";

/** @typedef {import("../core/credentials.js").ScopeValues} ScopeValues */

const texts = strings.scopes;

/**
 * @param {{label: string, value: ScopeValues, onChange: (value: ScopeValues) => void, problem?: import("../core/api.js").Problem}} props
 */
export function ScopeFields({ label, value, onChange, problem }) {
  const id = useId();
  /** @type {(name: keyof ScopeValues) => (part: any) => void} */
  const set = (name) => (part) => onChange({ ...value, [name]: part });
  const failures = problem?.errors.filter((e) => /^\/scopes(\/|$)/.test(e.pointer)).map((e) => e.detail) ?? [];
  return html`<fieldset class="group" aria-describedby=${`${id}-hint ${id}-errors`}>
    <legend>${label}</legend>
    <p class="hint" id=${`${id}-hint`}>${texts.namesHint}</p>
    <${Checkbox} label=${texts.charts} value=${value.charts} onChange=${set("charts")} />
    ${value.charts ? html`<${TextField} label=${texts.chartNames} value=${value.chartNames} onChange=${set("chartNames")} />` : null}
    <${Checkbox} label=${texts.images} value=${value.images} onChange=${set("images")} />
    ${value.images ? html`<${TextField} label=${texts.imageNames} value=${value.imageNames} onChange=${set("imageNames")} />` : null}
    <div id=${`${id}-errors`}>${[...new Set(failures)].map((detail) => html`<p class="error">${detail}</p>`)}</div>
  </fieldset>`;
}
