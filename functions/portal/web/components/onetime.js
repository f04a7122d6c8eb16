// The pages of mailed links. Opening such a page spends nothing: only the button sends the token of the link.
import { useState } from "preact/hooks";
import { useAction } from "../core/hooks.js";
import { html } from "../core/html.js";
import { forgetLinkToken, linkToken } from "../core/link.js";
import { strings } from "../core/strings.js";
import { Button, ButtonLink } from "./buttons.js";
import { Page, ProblemMessage } from "./page.js";

/**
 * @template D
 * @param {{title: string, text: string, button: string, doneTitle: string, missing: string[], spend: (token: string) => Promise<D>,
 *   done: (data: D) => any}} props missing: what to say without a token; done: what to show after success
 */
export function OneTimePage({ title, text, button, doneTitle, missing, spend, done }) {
  const [token] = useState(linkToken);
  const [data, setData] = useState(/** @type {D | null} */ (null));
  const action = useAction(async () => {
    setData(await spend(token));
    forgetLinkToken();
  });
  const problem = action.problem;
  if (data) return html`<div class="narrow" key="done"><${Page} title=${doneTitle}>${done(data)}<//></div>`;
  if (problem && !problem.isTemporary) {
    return html`<div class="narrow" key="failed"><${Page} title=${strings.mailedLink.failedTitle}>
      <${ProblemMessage} problem=${problem} />
      <p><${ButtonLink} href="/portal">${strings.mailedLink.toPortal}<//></p>
    <//></div>`;
  }
  if (!token) {
    return html`<div class="narrow" key="missing"><${Page} title=${strings.mailedLink.missingTitle}>
      ${missing.map((line) => html`<p>${line}</p>`)}
      <p><${ButtonLink} href="/portal">${strings.mailedLink.toPortal}<//></p>
    <//></div>`;
  }
  return html`<div class="narrow" key="ready"><${Page} title=${title}>
    <p>${text}</p>
    <${ProblemMessage} problem=${problem} />
    <${Button} kind="primary" isRunning=${action.isRunning} onClick=${() => action.run()}>${problem ? strings.common.retry : button}<//>
  <//></div>`;
}
