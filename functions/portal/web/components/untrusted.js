// Untrusted text, such as metadata of charts and images and names of clients. It can contain anything, so it is shown as plain
// text that cannot change the text around it.
import { hiddenInText } from "../core/hidden.js";
import { html } from "../core/html.js";
import { strings } from "../core/strings.js";
import { CopyButton } from "./copy.js";

/**
 * Returns the text with a visible sign in place of each hidden character.
 * @param {string} text
 */
export function visible(text) {
  return text.replace(/\r\n/g, "\n").replace(hiddenInText, "\ufffd");
}

/**
 * Whether the text has hidden characters.
 * @param {string} text
 */
export function hasHidden(text) {
  return visible(text) !== text.replace(/\r\n/g, "\n");
}

/**
 * A short untrusted text. A text that is too long is cut.
 * @param {{text: string | null | undefined, most?: number}} props most: characters
 */
export function UntrustedText({ text, most = 500 }) {
  if (!text) return "–";
  const shown = visible(text);
  return html`<bdi>${shown.length > most ? `${shown.slice(0, most)}…` : shown}</bdi>`;
}

/**
 * An untrusted address: a link if it is a web or email address, otherwise text.
 * @param {{address: string, text?: string}} props text: instead of the address
 */
export function UntrustedLink({ address, text }) {
  const href = safeAddress(address);
  if (!href) return html`<${UntrustedText} text=${text || address} />`;
  return html`<a href=${href} target="_blank" rel="noopener noreferrer nofollow"><${UntrustedText} text=${text || address} /></a>`;
}

/**
 * Returns the address if a link may lead there, or "". Only web and email addresses are safe. A web address with a user name
 * looks like one of another host, such as https://portside.example@other.example.
 * @param {string} address
 */
export function safeAddress(address) {
  if (!/^(https?:\/\/|mailto:)/i.test(address) || hasHidden(address) || address.length > 2000) return "";
  try {
    const url = new URL(address);
    const hasLogin = url.username !== "" || url.password !== "";
    return ["https:", "http:", "mailto:"].includes(url.protocol) && !hasLogin ? url.href : "";
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
