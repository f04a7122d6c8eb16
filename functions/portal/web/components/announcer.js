// Short messages for everybody: shown at the edge of the window and read by screen readers.
import { useEffect, useState } from "preact/hooks";
import { html } from "../core/html.js";

/** @type {(text: string) => void} */
let show = () => {};

/**
 * Announces the result of an action, such as "Copied."
 * @param {string} text
 */
export function announce(text) {
  show(text);
}

/** The place where announcements appear. The shell renders it once. */
export function Announcer() {
  const [message, setMessage] = useState({ text: "", round: 0 });
  useEffect(() => {
    show = (text) => setMessage((before) => ({ text, round: before.round + 1 }));
  }, []);
  useEffect(() => {
    if (!message.text) return undefined;
    const timer = setTimeout(() => setMessage((before) => ({ ...before, text: "" })), 6000);
    return () => clearTimeout(timer);
  }, [message.round]);
  return html`<div class=${message.text ? "announcer visible" : "announcer"} role="status">${message.text}</div>`;
}
