// Texts of other authors: metadata of charts and images, names of clients. They can contain anything, so they are shown as
// plain text that cannot change the texts around it.
import { html } from "../core/html.js";
import { strings } from "../core/strings.js";
import { CopyButton } from "./copy.js";

/** Characters that are invisible or change the direction of the text, except tabs and line ends. */
const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/**
 * Returns the text with a visible sign in place of each hidden character.
 * @param {string} text
 */
export function visible(text) {
  return text.replace(/\r\n/g, "\n").replace(hidden, "\ufffd");
}

/**
 * Whether the text has hidden characters.
 * @param {string} text
 */
export function hasHidden(text) {
  return visible(text) !== text.replace(/\r\n/g, "\n");
}

/**
 * A short text of another author. A text that is too long is cut.
 * @param {{text: string | null | undefined, most?: number}} props most: characters
 */
export function UntrustedText({ text, most = 500 }) {
  if (!text) return "–";
  const shown = visible(text);
  return html`<bdi>${shown.length > most ? `${shown.slice(0, most)}…` : shown}</bdi>`;
}

/**
 * An address of another author: a link if it is a web or mail address, otherwise text.
 * @param {{address: string, text?: string}} props text: instead of the address
 */
export function UntrustedLink({ address, text }) {
  const href = safeAddress(address);
  if (!href) return html`<${UntrustedText} text=${text || address} />`;
  return html`<a href=${href} target="_blank" rel="noopener noreferrer nofollow"><${UntrustedText} text=${text || address} /></a>`;
}

/**
 * Returns the address if a link may lead there, or "". Only web and mail addresses are safe.
 * @param {string} address
 */
export function safeAddress(address) {
  if (!/^(https?:\/\/|mailto:)/i.test(address) || hasHidden(address) || address.length > 2000) return "";
  try {
    const url = new URL(address);
    return ["https:", "http:", "mailto:"].includes(url.protocol) && !url.password ? url.href : "";
  } catch {
    return "";
  }
}

/**
 * A digest, shortened, with a button that copies the whole of it.
 * @param {{digest: string | null}} props
 */
export function Digest({ digest }) {
  if (!digest) return "–";
  const [algorithm, hex = ""] = digest.split(":");
  const short = hex.length > 16 ? `${algorithm}:${hex.slice(0, 12)}…` : digest;
  return html`<span class="nowrap"><code title=${digest}>${short}</code> <${CopyButton} label=${short} text=${digest} /></span>`;
}

/**
 * A remark below a text that has hidden characters.
 * @param {{text: string}} props
 */
export function HiddenRemark({ text }) {
  return hasHidden(text) ? html`<p class="note warning">${strings.untrusted.hidden}</p>` : null;
}
