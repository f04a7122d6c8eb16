// A dialog in which the user chooses a customer.
import { useState } from "preact/hooks";
import { get } from "../core/api.js";
import { useLoad } from "../core/hooks.js";
import { html } from "../core/html.js";
import { strings } from "../core/strings.js";
import { Button } from "./buttons.js";
import { Dialog } from "./dialog.js";
import { Empty, Loaded } from "./page.js";
import { SearchForm } from "./search.js";
import { maxText, SearchResults } from "./searchresults.js";
import { CustomerStatus } from "./statuses.js";
import { Pager, Table } from "./table.js";

const texts = strings.customerPicker;
const limit = 10;

/** @typedef {import("../core/customers.js").ListedCustomer} ListedCustomer */

/** @param {{onChoose: (customer: ListedCustomer) => void, onClose: () => void}} props */
export function CustomerPicker({ onChoose, onClose }) {
  const [q, setText] = useState("");
  return html`<${Dialog} title=${texts.title} isWide onClose=${onClose}>
    <${SearchForm} label=${strings.customers.search} value=${q} maxLength=${maxText} isLive onSearch=${setText} />
    ${q ? html`<${SearchResults} path="/v1/customers/search" q=${q} hint=${strings.customers.searchHint}>
        ${(/** @type {ListedCustomer[]} */ customers) => html`<${Choices} customers=${customers} onChoose=${onChoose} />`}<//>`
      : html`<${AllCustomers} onChoose=${onChoose} />`}
    <div class="form-actions"><${Button} onClick=${onClose}>${strings.common.cancel}<//></div>
  <//>`;
}

/** @param {{onChoose: (customer: ListedCustomer) => void}} props */
function AllCustomers({ onChoose }) {
  const [offset, setOffset] = useState(0);
  const load = useLoad((signal) => get("/v1/customers", { query: { offset, limit }, signal }), [offset]);
  return html`<${Loaded} load=${load}>${(/** @type {any} */ { data, pagination }) => html`
    ${data.length > 0 ? html`<${Choices} customers=${data} onChoose=${onChoose} />`
      : html`<${Empty} title=${strings.customers.empty}><p>${strings.customers.emptyText}</p><//>`}
    <${Pager} offset=${pagination.offset} limit=${limit} total=${pagination.total} onChange=${setOffset} />`}
  <//>`;
}

/** @param {{customers: ListedCustomer[], onChoose: (customer: ListedCustomer) => void}} props */
function Choices({ customers, onChoose }) {
  const columns = [
    { title: strings.customers.name, cell: (/** @type {ListedCustomer} */ c) => html`<bdi>${c.name}</bdi>` },
    { title: strings.customers.status, cell: (/** @type {ListedCustomer} */ c) => html`<${CustomerStatus} status=${c.status} />` },
    { title: texts.choose, isActions: true, cell: (/** @type {ListedCustomer} */ c) =>
      html`<${Button} label=${texts.chooseLabel(c.name)} onClick=${() => onChoose(c)}>${texts.choose}<//>` },
  ];
  return html`<${Table} caption=${strings.customers.caption} columns=${columns} rows=${customers}
    rowKey=${(/** @type {ListedCustomer} */ c) => c.id} />`;
}
