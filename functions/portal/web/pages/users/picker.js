// A dialog in which the user chooses another user.
import { useState } from "preact/hooks";
import { Button } from "../../components/buttons.js";
import { Dialog } from "../../components/dialog.js";
import { TextField } from "../../components/fields.js";
import { Empty, Loaded } from "../../components/page.js";
import { Pager, Table } from "../../components/table.js";
import { get } from "../../core/api.js";
import { useLoad } from "../../core/hooks.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";

const texts = strings.userPicker;
const limit = 10;

/** @typedef {import("./roles.js").ListedUser} ListedUser */

/** @param {{onChoose: (user: ListedUser) => void, onClose: () => void}} props */
export function UserPicker({ onChoose, onClose }) {
  const [email, setEmail] = useState("");
  const [view, setView] = useState({ email: "", offset: 0 });
  const load = useLoad((signal) => get("/v1/users", { query: { ...view, limit }, signal }), [view]);
  /** @param {SubmitEvent} event the dialog may be inside another form, which must not notice */
  const find = (event) => {
    event.preventDefault();
    event.stopPropagation();
    setView({ email: email.trim(), offset: 0 });
  };
  const columns = [
    { title: strings.users.name, cell: (/** @type {ListedUser} */ u) => html`<bdi>${u.name}</bdi>` },
    { title: strings.users.email, cell: (/** @type {ListedUser} */ u) => u.email },
    { title: texts.choose, isActions: true, cell: (/** @type {ListedUser} */ u) =>
      html`<${Button} label=${texts.chooseLabel(u.name)} onClick=${() => onChoose(u)}>${texts.choose}<//>` },
  ];
  return html`<${Dialog} title=${texts.title} isWide onClose=${onClose}>
    <form class="find" role="search" onSubmit=${find}>
      <${TextField} label=${strings.users.find} value=${email} onChange=${setEmail} inputmode="email" maxLength=${320} hidesOptional />
      <${Button} type="submit">${strings.users.findButton}<//>
    </form>
    <${Loaded} load=${load}>${(/** @type {any} */ { data, pagination }) => html`
      ${data.length > 0 ? html`<${Table} caption=${strings.users.caption} columns=${columns} rows=${data} rowKey=${(/** @type {ListedUser} */ u) => u.id} />`
        : html`<${Empty} title=${strings.users.notFound(view.email)}><p>${strings.users.notFoundText}</p><//>`}
      <${Pager} offset=${pagination.offset} limit=${limit} total=${pagination.total}
        onChange=${(/** @type {number} */ offset) => setView({ ...view, offset })} />`}
    <//>
    <div class="form-actions"><${Button} onClick=${onClose}>${strings.common.cancel}<//></div>
  <//>`;
}
