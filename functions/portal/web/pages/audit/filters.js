// The filters of the audit log.
import { useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { CustomerPicker } from "../../components/customerpicker.js";
import { Select, TextField } from "../../components/fields.js";
import { UserPicker } from "../../components/userpicker.js";
import { useCustomer } from "../../core/customers.js";
import { html } from "../../core/html.js";
import { usePeople } from "../../core/people.js";
import { setQuery } from "../../core/router.js";
import { isStaff } from "../../core/session.js";
import { strings } from "../../core/strings.js";
import { actions } from "./actions.js";

const texts = strings.audit;

/** The names of the filters in the address and in the API. */
export const names = /** @type {const} */ (["actorId", "target", "customerId", "action", "from", "to"]);

/** @param {{view: Record<string, string>}} props */
export function Filters({ view }) {
  const [values, setValues] = useState(view);
  /** @type {(name: string) => (value: string) => void} */
  const set = (name) => (value) => setValues((before) => ({ ...before, [name]: value.trim() }));
  /** @param {SubmitEvent} event */
  const find = (event) => {
    event.preventDefault();
    setQuery({ ...values, cursor: null });
  };
  const options = [{ value: "", label: texts.allActions }, ...Object.entries(actions).flatMap(([kind, verbs]) => [
    { value: `${kind}.*`, label: texts.allOf(texts.kinds[/** @type {keyof typeof actions} */ (kind)]) },
    ...verbs.map((verb) => ({ value: `${kind}.${verb}`, label: `${kind}.${verb}` })),
  ])];
  return html`<form class="fields" role="search" onSubmit=${find}>
    <${PersonFilter} label=${texts.actor} id=${values.actorId} onChange=${set("actorId")} />
    <${TextField} label=${texts.target} hint=${texts.targetHint} value=${values.target} onChange=${set("target")} maxLength=${300} hidesOptional />
    ${isStaff() ? html`<${CustomerFilter} id=${values.customerId} onChange=${set("customerId")} />` : null}
    <${Select} label=${texts.action} value=${values.action} options=${options} onChange=${set("action")} hidesOptional />
    <${TextField} label=${texts.fromDay} type="date" value=${values.from} onChange=${set("from")} hidesOptional />
    <${TextField} label=${texts.toDay} type="date" value=${values.to} onChange=${set("to")} hidesOptional />
    <div class="field"><${Button} type="submit">${strings.lists.find}<//></div>
  </form>`;
}

/** @param {{label: string, id: string, onChange: (id: string) => void}} props */
function PersonFilter({ label, id, onChange }) {
  const [isChoosing, setChoosing] = useState(false);
  const people = usePeople(id ? [id] : []);
  /** @param {import("../../core/people.js").ListedUser} user */
  const choose = (user) => {
    people.add(user);
    onChange(user.id);
    setChoosing(false);
  };
  return html`<${Chosen} label=${label} name=${id ? people.name(id) : texts.everybody} isSet=${id !== ""}
    onChoose=${() => setChoosing(true)} onRemove=${() => onChange("")} />
    ${isChoosing ? html`<${UserPicker} onChoose=${choose} onClose=${() => setChoosing(false)} />` : null}`;
}

/** @param {{id: string, onChange: (id: string) => void}} props */
function CustomerFilter({ id, onChange }) {
  const [isChoosing, setChoosing] = useState(false);
  const customer = useCustomer(id);
  /** @param {import("../../core/customers.js").ListedCustomer} chosen */
  const choose = (chosen) => {
    customer.add(chosen);
    onChange(chosen.id);
    setChoosing(false);
  };
  return html`<${Chosen} label=${texts.customer} name=${id ? customer.name : texts.allCustomers} isSet=${id !== ""}
    onChoose=${() => setChoosing(true)} onRemove=${() => onChange("")} />
    ${isChoosing ? html`<${CustomerPicker} onChoose=${choose} onClose=${() => setChoosing(false)} />` : null}`;
}

/** @param {{label: string, name: string, isSet: boolean, onChoose: () => void, onRemove: () => void}} props */
function Chosen({ label, name, isSet, onChoose, onRemove }) {
  return html`<div class="field" role="group" aria-label=${label}>
    <p class="label">${label}</p>
    <div class="entry">
      <bdi>${name}</bdi>
      <${Button} label=${texts.chooseLabel(label)} onClick=${onChoose}>${texts.choose}<//>
      ${isSet ? html`<${Button} label=${texts.removeLabel(label)} onClick=${onRemove}>${strings.common.remove}<//>` : null}
    </div>
  </div>`;
}
