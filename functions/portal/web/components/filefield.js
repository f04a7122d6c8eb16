// A field for one file, which the user chooses or drops.
import { useState } from "preact/hooks";
import { html } from "../core/html.js";
import { useId } from "../core/id.js";

/**
 * @param {{label: string, text: string, accept?: string, isDisabled?: boolean, onFile: (file: File) => void}} props
 *   text: what the area says; accept: as in <input type="file">
 */
export function FileField({ label, text, accept, isDisabled = false, onFile }) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  /** @param {File | undefined} file */
  const take = (file) => {
    if (file && !isDisabled) onFile(file);
  };
  /** @type {(isOver: boolean) => (event: DragEvent) => void} */
  const drag = (over) => (event) => {
    event.preventDefault();
    setOver(over);
  };
  /** @param {DragEvent} event */
  const drop = (event) => {
    drag(false)(event);
    take(event.dataTransfer?.files[0]);
  };
  return html`<div class=${isOver ? "drop-zone over" : "drop-zone"} onDragOver=${drag(true)} onDragLeave=${drag(false)} onDrop=${drop}>
    <p id=${id} role="status">${text}</p>
    <input type="file" aria-label=${label} aria-describedby=${id} accept=${accept} disabled=${isDisabled}
      onChange=${(/** @type {any} */ event) => {
        take(event.currentTarget.files[0]);
        event.currentTarget.value = ""; // so that the same file can be chosen again after a correction
      }} />
  </div>`;
}
