// Buttons and links that look like buttons.
import { html } from "../core/html.js";

/**
 * A button. While an action runs, it stays focusable, so that the keyboard does not lose its place, and does nothing.
 * @param {{kind?: "primary" | "danger" | "quiet", type?: "button" | "submit", isRunning?: boolean, isDisabled?: boolean,
 *   label?: string, onClick?: (event: MouseEvent) => void, children: any}} props label: the accessible name, if it differs from the text
 */
export function Button({ kind, type = "button", isRunning = false, isDisabled = false, label, onClick, children }) {
  /** @param {MouseEvent} event */
  const click = (event) => {
    if (isRunning) event.preventDefault();
    else onClick?.(event);
  };
  return html`<button type=${type} class=${`button ${kind ?? ""}`} aria-disabled=${isRunning ? "true" : undefined}
    disabled=${isDisabled} aria-label=${label} onClick=${click}>
    ${isRunning ? html`<span class="spinner" aria-hidden="true"></span>` : null}${children}
  </button>`;
}

/**
 * A link that looks like a button, for opening a page.
 * @param {{href: string, kind?: "primary" | "quiet", children: any}} props
 */
export function ButtonLink({ href, kind, children }) {
  return html`<a class=${`button ${kind ?? ""}`} href=${href}>${children}</a>`;
}
