// A dialog in which the user chooses another user.
import { useState } from "preact/hooks";
import { get } from "../core/api.js";
import { useLoad } from "../core/hooks.js";
import { html } from "../core/html.js";
import { strings } from "../core/strings.js";
import { Button } from "./buttons.js";
import { Dialog } from "./dialog.js";
import { Empty, Loaded } from "./page.js";
import { SearchForm } from "./search.js";
import { Pager, Table } from "./table.js";

const texts = strings.userPicker;
const limit = 10;

/** @typedef {import("../core/people.js").ListedUser} ListedUser */

/** @param {{onChoose: (user: ListedUser) => void, onClose: () => void}} props */
export function UserPicker({ onChoose, onClose }) {
  const [view, setView] = useState({ email: "", offset: 0 });
  const load = useLoad((signal) => get("/v1/users", { query: { ...view, limit }, signal }), [view]);
  const columns = [
    { title: strings.users.name, cell: (/** @type {ListedUser} */ u) => html`<bdi>${u.name}</bdi>` },
    { title: strings.users.email, cell: (/** @type {ListedUser} */ u) => u.email },
    { title: texts.choose, isActions: true, cell: (/** @type {ListedUser} */ u) =>
      html`<${Button} label=${texts.chooseLabel(u.name)} onClick=${() => onChoose(u)}>${texts.choose}<//>` },
  ];
  return html`<${Dialog} title=${texts.title} isWide onClose=${onClose}>
    <${SearchForm} label=${strings.users.find} inputmode="email" value="" maxLength=${320}
      onSearch=${(/** @type {string} */ email) => setView({ email, offset: 0 })} />
    <${Loaded} load=${load}>${(/** @type {any} */ { data, pagination }) => html`
      ${data.length > 0 ? html`<${Table} caption=${strings.users.caption} columns=${columns} rows=${data}
          rowKey=${(/** @type {ListedUser} */ u) => u.id} />`
        : html`<${Empty} title=${strings.users.notFound(view.email)}><p>${strings.users.notFoundText}</p><//>`}
      <${Pager} offset=${pagination.offset} limit=${limit} total=${pagination.total}
        onChange=${(/** @type {number} */ offset) => setView({ ...view, offset })} />`}
    <//>
    <div class="form-actions"><${Button} onClick=${onClose}>${strings.common.cancel}<//></div>
  <//>`;
}
