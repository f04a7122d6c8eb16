// Values to copy: secrets, digests and commands.
import { useRef } from "preact/hooks";
import { html } from "../core/html.js";
import { useId } from "../core/id.js";
import { strings } from "../core/strings.js";
import { announce } from "./announcer.js";
import { Button } from "./buttons.js";

/**
 * Copies a text. Pages without TLS cannot use the clipboard; there, it selects the text.
 * @param {string} text
 * @param {HTMLElement | null} element
 */
async function copy(text, element) {
  try {
    await navigator.clipboard.writeText(text);
    announce(strings.common.copied);
  } catch {
    if (element instanceof HTMLInputElement) element.select();
    else if (element) getSelection()?.selectAllChildren(element);
    announce(element ? strings.common.selected : strings.common.notCopied);
  }
}

/**
 * A button that copies a text that stands beside it.
 * @param {{label: string, text: string}} props label: what the button copies
 */
export function CopyButton({ label, text }) {
  return html`<${Button} kind="quiet" label=${`${strings.common.copy}: ${label}`} onClick=${() => copy(text, null)}>${strings.common.copy}<//>`;
}

/**
 * A labeled value with a button that copies it.
 * @param {{label: string, text: string}} props
 */
export function CopyField({ label, text }) {
  const id = useId();
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <div class="copyable">
      <input id=${id} ref=${input} class="mono" type="text" readonly autocomplete="off" spellcheck="false" value=${text} />
      <${Button} label=${`${strings.common.copy}: ${label}`} onClick=${() => copy(text, input.current)}>${strings.common.copy}<//>
    </div>
  </div>`;
}

/**
 * A block of code or commands with a button that copies it.
 * @param {{label: string, text: string}} props label: the accessible name
 */
export function CodeBlock({ label, text }) {
  const code = useRef(/** @type {HTMLElement | null} */ (null));
  return html`<div class="copyable">
    <pre tabindex="0" role="region" aria-label=${label}><code ref=${code}>${text}</code></pre>
    <${Button} label=${`${strings.common.copy}: ${label}`} onClick=${() => copy(text, code.current)}>${strings.common.copy}<//>
  </div>`;
}
