// The conditions of a trust policy, to edit.
import { Button } from "../../components/buttons.js";
import { html } from "../../core/html.js";
import { useId } from "../../core/id.js";
import { strings } from "../../core/strings.js";

const texts = strings.trustPolicies;
const maxConditions = 10;
const maxLines = 10; // as many values as a condition can have

/** @typedef {{claim: string, values: string}} Condition values: one per line */
/** @typedef {import("../../core/api.js").Problem} Problem */

/** The fields of a condition, in the order of the inputs. */
const parts = /** @type {const} */ (["claim", "values"]);

/**
 * @param {{label: string, value: Condition[], onChange: (conditions: Condition[]) => void, examples: Record<string, string>, hint: string,
 *   problem?: Problem}} props examples: of values, by claim
 */
export function Conditions({ label, value: conditions, onChange, examples, hint, problem }) {
  const id = useId();
  const failure = problem?.errors.find((e) => e.pointer === "/conditions")?.detail;
  /** @type {(index: number, part: Partial<Condition>) => void} */
  const edit = (index, part) => onChange(conditions.map((condition, i) => (i === index ? { ...condition, ...part } : condition)));
  return html`<fieldset class="object-field" aria-describedby=${`${id}-hint ${id}-error`}>
    <legend>${label}</legend>
    <p class="hint" id=${`${id}-hint`}>${texts.conditionsHint} ${hint}</p>
    ${conditions.map((condition, i) => html`<div class="entry" key=${i}>
      ${parts.map((part) => html`<${Input} index=${i} part=${part} text=${condition[part]} problem=${problem}
        placeholder=${part === "claim" ? texts.claimExample : examples[condition.claim]}
        onChange=${(/** @type {string} */ text) => edit(i, { [part]: text })} />`)}
      <${Button} label=${texts.removeCondition(i + 1)} onClick=${() => onChange(conditions.filter((_, at) => at !== i))}>
        ${strings.common.remove}<//>
    </div>`)}
    <p class="error" id=${`${id}-error`} hidden=${!failure}>${failure}</p>
    <${Button} isDisabled=${conditions.length >= maxConditions} onClick=${() => onChange([...conditions, { claim: "", values: "" }])}>
      ${texts.addCondition}<//>
  </fieldset>`;
}

/**
 * @param {{index: number, part: "claim" | "values", text: string, placeholder?: string, onChange: (text: string) => void,
 *   problem?: Problem}} props
 */
function Input({ index, part, text, placeholder, onChange, problem }) {
  const id = useId();
  const name = `conditions/${index}/${part}`;
  const failures = (problem?.errors ?? []).filter((e) => isAbout(e.pointer, index, part)).map((e) => e.detail);
  const props = {
    name, "aria-label": texts.conditionPart(index + 1, texts.conditionParts[part]), value: text, placeholder, autocomplete: "off", spellcheck: false,
    "aria-invalid": failures.length > 0 ? "true" : undefined, "aria-describedby": failures.length > 0 ? id : undefined,
    onInput: (/** @type {any} */ e) => onChange(e.currentTarget.value),
  };
  return html`<div class=${failures.length > 0 ? "entry-part invalid" : "entry-part"}>
    ${part === "claim" ? html`<input type="text" ...${props} />` : html`<textarea rows=${Math.min(text.split("\n").length, maxLines)} ...${props} />`}
    ${failures.length > 0 ? html`<p class="error" id=${id}>${[...new Set(failures)].join(" ")}</p>` : null}
  </div>`;
}

/**
 * Whether a failure is about an input. The API names value, values, or one of the values.
 * @param {string} pointer
 * @param {number} index
 * @param {"claim" | "values"} part
 */
function isAbout(pointer, index, part) {
  const [, field, at, name] = pointer.split("/");
  return field === "conditions" && at === String(index) && (name === part || (part === "values" && name === "value"));
}
