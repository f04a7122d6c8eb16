// A field for the customer to whom somebody belongs.
import { useState } from "preact/hooks";
import { useCustomer } from "../core/customers.js";
import { html } from "../core/html.js";
import { useId } from "../core/id.js";
import { strings } from "../core/strings.js";
import { Button } from "./buttons.js";
import { CustomerPicker } from "./customerpicker.js";

const texts = strings.customerPicker;

/**
 * @param {{value: string, onChange: (id: string) => void, problem?: import("../core/api.js").Problem, hint?: string, none?: string}} props
 *   value: the ID, or ""; none: the text for ""
 */
export function CustomerField({ value, onChange, problem, hint = texts.hint, none = strings.users.staff }) {
  const id = useId();
  const [isChoosing, setChoosing] = useState(false);
  const customer = useCustomer(value);
  const failure = problem?.errors.find((e) => e.pointer.endsWith("/customerId"))?.detail;
  /** @param {import("../core/customers.js").ListedCustomer} chosen */
  const choose = (chosen) => {
    customer.add(chosen);
    onChange(chosen.id);
    setChoosing(false);
  };
  return html`<div class=${failure ? "field invalid" : "field"} role="group" aria-label=${texts.customer} aria-describedby=${`${id}-hint`}>
    <p class="label">${texts.customer}</p>
    <p class="hint" id=${`${id}-hint`}>${hint}</p>
    <div class="entry">
      <bdi>${value ? customer.name : none}</bdi>
      <${Button} onClick=${() => setChoosing(true)}>${texts.change}<//>
      ${value ? html`<${Button} label=${texts.removeLabel} onClick=${() => onChange("")}>${strings.common.remove}<//>` : null}
    </div>
    ${failure ? html`<p class="error">${failure}</p>` : null}
    ${isChoosing ? html`<${CustomerPicker} onChoose=${choose} onClose=${() => setChoosing(false)} />` : null}
  </div>`;
}
