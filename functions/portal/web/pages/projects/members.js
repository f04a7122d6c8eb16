// The members of a project.
import { useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { UserPicker } from "../../components/userpicker.js";

const texts = strings.projects;
const maxMembers = 100;

/** @typedef {import("./fields.js").Member} Member */

/**
 * @param {{label: string, hint: string, value: Member[], onChange: (members: Member[]) => void,
 *   people: ReturnType<import("../../core/people.js").usePeople>, problem?: import("../../core/api.js").Problem}} props
 */
export function Members({ label, hint, value: members, onChange, people, problem }) {
  const [isChoosing, setChoosing] = useState(false);
  const failures = problem?.errors.filter((e) => e.pointer.startsWith("/members")) ?? [];
  /** @param {import("../../core/people.js").ListedUser} user */
  const add = (user) => {
    people.add(user);
    setChoosing(false);
    if (!members.some((m) => m.userId === user.id)) onChange([...members, { userId: user.id, role: "viewer" }]);
  };
  /** @type {(userId: string, role: any) => void} */
  const setRole = (userId, role) => onChange(members.map((m) => (m.userId === userId ? { ...m, role } : m)));
  return html`<fieldset class="object-field">
    <legend>${label} <span class="muted">(${strings.common.optional})</span></legend>
    <p class="hint">${hint}</p>
    ${members.length === 0 ? html`<p class="muted">${texts.noMembers}</p>` : null}
    <ul class="plain">${members.map((m) => html`<li class="entry member" key=${m.userId}>
      <a href=${`/portal/users/${m.userId}`}><bdi>${people.name(m.userId)}</bdi></a>
      <select aria-label=${texts.memberRoleOf(people.name(m.userId))} value=${m.role}
        onChange=${(/** @type {any} */ e) => setRole(m.userId, e.currentTarget.value)}>
        ${Object.entries(texts.memberRoles).map(([value, label]) => html`<option value=${value} selected=${value === m.role}>${label}</option>`)}
      </select>
      <${Button} label=${texts.removeMember(people.name(m.userId))} onClick=${() => onChange(members.filter((other) => other !== m))}>
        ${strings.common.remove}<//>
    </li>`)}</ul>
    ${failures.map((f) => html`<p class="error">${f.detail}</p>`)}
    <${Button} isDisabled=${members.length >= maxMembers} onClick=${() => setChoosing(true)}>${texts.addMember}<//>
    ${isChoosing ? html`<${UserPicker} onChoose=${add} onClose=${() => setChoosing(false)} />` : null}
  </fieldset>`;
}
