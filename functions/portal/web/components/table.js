// Tables and their pagers. On narrow screens, each row becomes a card whose cells repeat their column's title.
import { html } from "../core/html.js";
import { formatNumber } from "../core/format.js";
import { strings } from "../core/strings.js";
import { Button } from "./buttons.js";

/**
 * @template R
 * @typedef {object} Column
 * @property {string} title
 * @property {(row: R) => any} cell
 * @property {boolean} [isNumber] aligned to the right
 * @property {boolean} [isActions] buttons; the title is only for screen readers
 */

/**
 * A table.
 * @template R
 * @param {{caption: string, columns: Column<R>[], rows: R[], rowKey: (row: R) => string, showCaption?: boolean}} props
 */
export function Table({ caption, columns, rows, rowKey, showCaption = false }) {
  return html`<div class="table-scroll"><table>
    <caption class=${showCaption ? "" : "visually-hidden"}>${caption}</caption>
    <thead><tr>${columns.map((c) => html`<th scope="col" class=${c.isNumber ? "number" : ""}>
      ${c.isActions ? html`<span class="visually-hidden">${c.title}</span>` : c.title}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${rowKey(row)}>
      ${columns.map((c) => html`<td class=${c.isNumber ? "number" : c.isActions ? "cell-actions" : ""} data-title=${c.title}>${c.cell(row)}</td>`)}
    </tr>`)}</tbody>
  </table></div>`;
}

/**
 * Buttons for the pages of a list with a known total.
 * @param {{offset: number, limit: number, total: number, onChange: (offset: number) => void}} props
 */
export function Pager({ offset, limit, total, onChange }) {
  if (total <= limit && offset === 0) return null;
  const last = Math.min(offset + limit, total);
  return html`<nav class="pager" aria-label=${strings.common.range(offset + 1, last, formatNumber(total))}>
    <${Button} isDisabled=${offset === 0} onClick=${() => onChange(Math.max(0, offset - limit))}>${strings.common.previous}<//>
    <span>${strings.common.range(Math.min(offset + 1, total), last, formatNumber(total))}</span>
    <${Button} isDisabled=${last >= total} onClick=${() => onChange(offset + limit)}>${strings.common.next}<//>
  </nav>`;
}

/**
 * A short word in a colored frame.
 * @param {{tone?: "good" | "warning" | "bad" | "neutral", children: any}} props
 */
export function Badge({ tone = "neutral", children }) {
  return html`<span class=${`badge ${tone}`}>${children}</span>`;
}
