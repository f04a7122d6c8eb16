// The conditions of a trust policy, to edit.
import { Button } from "../../components/buttons.js";
import { html } from "../../core/html.js";
import { useId } from "../../core/id.js";
import { strings } from "../../core/strings.js";

const texts = strings.trustPolicies;
const maxConditions = 10;

/** @typedef {import("../../core/types").Schema<"TrustCondition">} Condition */
/** @typedef {import("../../core/api.js").Problem} Problem */

/** The fields of a condition, in the order of the inputs. */
const parts = /** @type {const} */ (["claim", "value"]);

/**
 * @param {{conditions: Condition[], onChange: (conditions: Condition[]) => void, examples: Record<string, string>, hint: string,
 *   problem?: Problem}} props examples: of values, by claim
 */
export function Conditions({ conditions, onChange, examples, hint, problem }) {
  const id = useId();
  const failure = problem?.errors.find((e) => e.pointer === "/conditions")?.detail;
  /** @type {(index: number, part: Partial<Condition>) => void} */
  const edit = (index, part) => onChange(conditions.map((condition, i) => (i === index ? { ...condition, ...part } : condition)));
  return html`<fieldset class="object-field" aria-describedby=${`${id}-hint ${id}-error`}>
    <legend>${texts.conditions}</legend>
    <p class="hint" id=${`${id}-hint`}>${texts.conditionsHint} ${hint}</p>
    ${conditions.map((condition, i) => html`<div class="entry" key=${i}>
      ${parts.map((part) => html`<${Input} index=${i} part=${part} text=${condition[part]} problem=${problem}
        placeholder=${part === "claim" ? texts.claimExample : examples[condition.claim]}
        onChange=${(/** @type {string} */ text) => edit(i, { [part]: text })} />`)}
      <${Button} label=${texts.removeCondition(i + 1)} onClick=${() => onChange(conditions.filter((_, at) => at !== i))}>
        ${strings.common.remove}<//>
    </div>`)}
    <p class="error" id=${`${id}-error`} hidden=${!failure}>${failure}</p>
    <${Button} isDisabled=${conditions.length >= maxConditions} onClick=${() => onChange([...conditions, { claim: "", value: "" }])}>
      ${texts.addCondition}<//>
  </fieldset>`;
}

/**
 * @param {{index: number, part: "claim" | "value", text: string, placeholder?: string, onChange: (text: string) => void,
 *   problem?: Problem}} props
 */
function Input({ index, part, text, placeholder, onChange, problem }) {
  const id = useId();
  const name = `conditions/${index}/${part}`;
  const failure = problem?.errors.find((e) => e.pointer === `/${name}`)?.detail;
  return html`<div class=${failure ? "entry-part invalid" : "entry-part"}>
    <input type="text" name=${name} aria-label=${texts.conditionPart(index + 1, texts.conditionParts[part])} value=${text}
      placeholder=${placeholder} autocomplete="off" spellcheck="false" aria-invalid=${failure ? "true" : undefined}
      aria-describedby=${failure ? id : undefined} onInput=${(/** @type {any} */ e) => onChange(e.currentTarget.value)} />
    ${failure ? html`<p class="error" id=${id}>${failure}</p>` : null}
  </div>`;
}
