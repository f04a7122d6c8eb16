// Buttons for the pages of a list without a known total, whose pages follow each other by a cursor.
import { html } from "../core/html.js";
import { Button } from "./buttons.js";

/**
 * @param {{label: string, first: string, next: string, isFirst: boolean, cursor: string | null, onChange: (cursor: string) => void}} props
 *   first and next: the texts of the buttons; cursor: of the next page, or null on the last; onChange gets "" for the first page
 */
export function CursorPager({ label, first, next, isFirst, cursor, onChange }) {
  if (isFirst && !cursor) return null;
  return html`<nav class="pager" aria-label=${label}>
    <${Button} isDisabled=${isFirst} onClick=${() => onChange("")}>${first}<//>
    <${Button} isDisabled=${!cursor} onClick=${() => onChange(cursor ?? "")}>${next}<//>
  </nav>`;
}
