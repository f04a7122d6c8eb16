// The fields of a project.
import { useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { CustomerField } from "../../components/customerfield.js";
import { Select, TextArea, TextField, optionsOf } from "../../components/fields.js";
import { ObjectField, objectValue } from "../../components/objectfield.js";
import { html } from "../../core/html.js";
import { formatObject } from "../../core/json.js";
import { strings } from "../../core/strings.js";
import { UserPicker } from "../../components/userpicker.js";
import { Members } from "./members.js";
import { usePeople } from "../../core/people.js";

const texts = strings.projects;

/** @typedef {import("../../core/types").Schema<"Project">} Project */
/** @typedef {import("../../core/types").Schema<"Member">} Member */
/**
 * @typedef {{name: string, description: string, status: string, customerId: string, ownerId: string, members: Member[], settings: string,
 *   metadata: string}} Values
 */

/** @type {Record<string, "good" | "warning" | "bad" | "neutral">} */
export const statusTones = { draft: "neutral", active: "good", on_hold: "warning", completed: "good", archived: "neutral" };

/** All statuses, as options of a list. */
export const statusOptions = optionsOf(Object.keys(texts.statuses), texts.statuses);

/**
 * @param {Project} project
 * @returns {Values}
 */
export function toFields({ name, description, status, customerId, ownerId, members, settings, metadata }) {
  return {
    name, description, status, customerId: customerId ?? "", ownerId, members, settings: formatObject(settings), metadata: formatObject(metadata),
  };
}

/**
 * The body of a request for the given fields. It throws a Problem if a field for an object has none.
 * @param {Partial<Values>} values
 */
export function toBody(values) {
  /** @type {Record<string, unknown>} */
  const body = { ...values };
  if (values.customerId !== undefined) body.customerId = values.customerId || null;
  if (values.settings !== undefined) body.settings = objectValue("/settings", values.settings);
  if (values.metadata !== undefined) body.metadata = objectValue("/metadata", values.metadata);
  return body;
}

/**
 * @param {{values: Values, set: (name: keyof Values) => (value: any) => void, problem?: import("../../core/api.js").Problem}} props
 */
export function ProjectFields({ values, set, problem }) {
  const [isChoosing, setChoosing] = useState(false);
  const people = usePeople([values.ownerId, ...values.members.map((m) => m.userId)]);
  /** @param {import("../../core/people.js").ListedUser} user */
  const chooseOwner = (user) => {
    people.add(user);
    set("ownerId")(user.id);
    setChoosing(false);
  };
  return html`
    <${TextField} label=${texts.name} name="name" value=${values.name} onChange=${set("name")} problem=${problem} isRequired />
    <${TextArea} label=${texts.description} name="description" value=${values.description} onChange=${set("description")} problem=${problem} />
    <${Select} label=${texts.status} name="status" value=${values.status} onChange=${set("status")} problem=${problem}
      options=${statusOptions} isRequired />
    <${CustomerField} value=${values.customerId} onChange=${set("customerId")} problem=${problem} hint=${texts.customerHint}
      none=${texts.noCustomer} />
    <div class="field" role="group" aria-label=${texts.owner}>
      <p class="label">${texts.owner}</p>
      <div class="entry"><bdi>${people.name(values.ownerId)}</bdi><${Button} onClick=${() => setChoosing(true)}>${texts.changeOwner}<//></div>
    </div>
    <${Members} members=${values.members} onChange=${set("members")} people=${people} problem=${problem} />
    <${ObjectField} label=${texts.settings} name="settings" value=${values.settings} onChange=${set("settings")} problem=${problem}
      hint=${texts.settingsHint} />
    <${ObjectField} label=${texts.metadata} name="metadata" value=${values.metadata} onChange=${set("metadata")} problem=${problem} />
    ${isChoosing ? html`<${UserPicker} onChoose=${chooseOwner} onClose=${() => setChoosing(false)} />` : null}`;
}
