// An empty list of charts or images, with the next step: staff publish, and customers request access.
import { isLocal } from "../core/commands.js";
import { html } from "../core/html.js";
import { canForAll } from "../core/session.js";
import { strings } from "../core/strings.js";
import { ButtonLink } from "./buttons.js";
import { Empty } from "./page.js";

/** @param {{none: string, publish: string, example: string, noneOwn: string}} props noneOwn: what a customer reads instead of none */
export function NothingPublished({ none, publish, example, noneOwn }) {
  if (canForAll("tokens:read")) {
    return html`<${Empty} title=${none}><p>${publish}</p>
      ${isLocal() ? html`<p>${example} <code>make demo</code></p>` : null}<//>`;
  }
  return html`<${Empty} title=${noneOwn}>
    <p>${strings.lists.request}</p>
    <p><${ButtonLink} kind="primary" href="/portal/access?new=request">${strings.access.newRequest}<//></p>
  <//>`;
}
