// A filter of a list by customer, for the vendor's staff.
import { useState } from "preact/hooks";
import { useCustomer } from "../core/customers.js";
import { html } from "../core/html.js";
import { isStaff } from "../core/session.js";
import { strings } from "../core/strings.js";
import { Button } from "./buttons.js";
import { CustomerPicker } from "./customerpicker.js";

const texts = strings.customerPicker;

/** @param {{value: string, onChange: (id: string) => void}} props value: the ID; "" for all customers */
export function CustomerFilter({ value, onChange }) {
  const [isChoosing, setChoosing] = useState(false);
  const customer = useCustomer(value);
  /** @param {import("../core/customers.js").ListedCustomer} chosen */
  const choose = (chosen) => {
    customer.add(chosen);
    onChange(chosen.id);
    setChoosing(false);
  };
  if (!isStaff()) return null;
  return html`<div class="field" role="group" aria-label=${texts.customer}>
    <p class="label">${texts.customer}</p>
    <div class="entry">
      <bdi>${value ? customer.name : texts.all}</bdi>
      <${Button} onClick=${() => setChoosing(true)}>${texts.change}<//>
      ${value ? html`<${Button} label=${texts.removeFilter} onClick=${() => onChange("")}>${strings.common.remove}<//>` : null}
    </div>
    ${isChoosing ? html`<${CustomerPicker} onChoose=${choose} onClose=${() => setChoosing(false)} />` : null}
  </div>`;
}
