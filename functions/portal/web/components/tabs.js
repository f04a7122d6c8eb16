// Tabs, as in the ARIA Authoring Practices: arrow keys move between the tabs, and Tab moves into the panel.
import { useState } from "preact/hooks";
import { html } from "../core/html.js";
import { useId } from "../core/id.js";

/**
 * @param {{label: string, tabs: {name: string, title: string, content: () => any}[]}} props label: the accessible name of the list
 */
export function Tabs({ label, tabs }) {
  const id = useId();
  const [current, setCurrent] = useState(tabs[0]?.name);
  const selected = tabs.find((t) => t.name === current) ?? tabs[0];
  if (!selected) return null;
  /** @param {KeyboardEvent} event */
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(selected) + step + tabs.length) % tabs.length];
    setCurrent(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return html`<div class="tabs">
    <div role="tablist" aria-label=${label} onKeyDown=${move}>
      ${tabs.map((t) => html`<button type="button" role="tab" key=${t.name} id=${`${id}-${t.name}`} aria-selected=${t === selected ? "true" : "false"}
        aria-controls=${`${id}-panel`} tabindex=${t === selected ? 0 : -1} onClick=${() => setCurrent(t.name)}>${t.title}</button>`)}
    </div>
    <div role="tabpanel" id=${`${id}-panel`} aria-labelledby=${`${id}-${selected.name}`}>${selected.content()}</div>
  </div>`;
}
