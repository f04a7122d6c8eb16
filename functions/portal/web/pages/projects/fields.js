// The fields of a project, with the texts that only they show.
import { useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { CustomerField } from "../../components/customerfield.js";
import { Select, TextArea, optionsOf } from "../../components/fields.js";
import { formOf, objectField } from "../../components/resourceform.js";
import { UserPicker } from "../../components/userpicker.js";
import { html } from "../../core/html.js";
import { usePeople } from "../../core/people.js";
import { strings } from "../../core/strings.js";
import { Members } from "./members.js";

const texts = strings.projects;

/** @typedef {import("../../core/types").Schema<"Project">} Project */
/** @typedef {import("../../core/types").Schema<"Member">} Member */

/** @type {Record<string, "good" | "warning" | "bad" | "neutral">} */
export const statusTones = { draft: "neutral", active: "good", on_hold: "warning", completed: "good", archived: "neutral" };

/** All statuses, as options of a list. */
export const statusOptions = optionsOf(Object.keys(texts.statuses), texts.statuses);

export const projectForm = formOf([
  [{ name: "name", label: texts.name, isRequired: true }],
  [{ name: "description", label: "Description", input: TextArea }],
  [{ name: "status", label: texts.status, input: Select, options: statusOptions, isRequired: true }],
  [{
    name: "customerId", label: "Customer", input: CustomerField, none: "None", write: (id) => id || null,
    hint: "The users of the customer can read the project, but not its settings and metadata.",
  }],
  [{ name: "ownerId", label: texts.owner, input: Owner }],
  [{
    name: "members", label: "Members", input: Members, read: (stored = []) => stored,
    hint: "Roles of members describe their part in the project. They grant no permissions.",
  }],
  [{ ...objectField, name: "settings", label: "Settings", hint: "Settings of your programs for this project, such as visibility." }],
  [{ ...objectField, name: "metadata", label: "Metadata" }],
]);

/** @param {Parameters<typeof projectForm.Fields>[0]} props */
export function ProjectFields(props) {
  const { ownerId, members } = props.values;
  const people = usePeople([ownerId, ...members.map((/** @type {Member} */ m) => m.userId)]);
  return html`<${projectForm.Fields} ...${props} people=${people} />`;
}

/**
 * @param {{label: string, value: string, onChange: (id: string) => void, people: ReturnType<import("../../core/people.js").usePeople>}} props
 */
function Owner({ label, value, onChange, people }) {
  const [isChoosing, setChoosing] = useState(false);
  /** @param {import("../../core/people.js").ListedUser} user */
  const choose = (user) => {
    people.add(user);
    onChange(user.id);
    setChoosing(false);
  };
  return html`<div class="field" role="group" aria-label=${label}>
    <p class="label">${label}</p>
    <div class="entry"><bdi>${people.name(value)}</bdi><${Button} onClick=${() => setChoosing(true)}>${texts.changeOwner}<//></div>
    ${isChoosing ? html`<${UserPicker} onChoose=${choose} onClose=${() => setChoosing(false)} />` : null}
  </div>`;
}
