// A hint for a creation whose response was lost.
import { html } from "../core/html.js";
import { strings } from "../core/strings.js";

/**
 * Says that the button can be pressed again after a failure that does not say whether the request took effect.
 * @param {{problem?: import("../core/api.js").Problem}} props
 */
export function Uncertain({ problem }) {
  const mayExist = problem && (problem.status === 0 || problem.status >= 500);
  return mayExist ? html`<p class="hint">${strings.common.uncertain}</p>` : null;
}
