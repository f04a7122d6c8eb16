// The changes that someone else made while a form was open.
import { html } from "../core/html.js";
import { strings } from "../core/strings.js";

/**
 * @param {{differences: import("../core/draft.js").Difference[], labels: Record<string, string>}} props labels: of the fields
 */
export function Differences({ differences, labels }) {
  if (differences.length === 0) return null;
  return html`<div class="note warning">
    <p><strong>${strings.draft.title}</strong></p>
    <ul>${differences.map((d) => html`<li key=${d.field}>
      <strong>${labels[d.field] ?? d.field}</strong>: <del>${d.before || strings.draft.empty}</del> → <ins>${d.now || strings.draft.empty}</ins>.
      ${d.isYours ? ` ${strings.draft.yours}` : ""}</li>`)}</ul>
  </div>`;
}
