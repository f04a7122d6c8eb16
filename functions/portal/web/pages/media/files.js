// The files to work on: dropped or chosen, with the keyboard too.
import { useRef, useState } from "preact/hooks";
import { announce } from "../../components/announcer.js";
import { Button } from "../../components/buttons.js";
import { Section } from "../../components/page.js";
import { formatBytes } from "../../core/format.js";
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { visibleName } from "./document.js";
import { accept, hasSpeech } from "./formats.js";

/**
 * @param {{files: File[], isComparison: boolean, failure: string, onChange: (files: File[]) => void}} props
 */
export function Files({ files, isComparison, failure, onChange }) {
  const [isOver, setOver] = useState(false);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const texts = strings.media.files;
  /** @param {Iterable<File>} added */
  const add = (added) => {
    onChange([...files, ...added]);
    announce(texts.added([...added].length));
  };
  /** @param {DragEvent} event */
  const drop = (event) => {
    event.preventDefault();
    setOver(false);
    add(event.dataTransfer?.files ?? []);
  };
  /** @param {DragEvent} event */
  const over = (event) => {
    event.preventDefault(); // without it, the browser opens the file
    setOver(true);
  };
  const choose = () => {
    if (!input.current?.files?.length) return;
    add([...input.current.files]);
    input.current.value = ""; // the same file can be chosen again
  };
  return html`<${Section} title=${texts.title}>
    <div class=${`drop ${isOver ? "over" : ""} ${failure ? "invalid" : ""}`} onDragOver=${over} onDragLeave=${() => setOver(false)} onDrop=${drop}>
      <label for="media-files">${isComparison ? texts.chooseTwo : texts.choose}</label>
      <input id="media-files" ref=${input} type="file" multiple accept=${accept} onChange=${choose} aria-describedby="media-files-hint"
        aria-invalid=${failure ? "true" : undefined} />
      <p class="hint" id="media-files-hint">
        ${failure ? html`<span class="error">${failure}</span> ` : null}${texts.hint(hasSpeech)}</p>
    </div>
    <${List} files=${files} isComparison=${isComparison} onChange=${onChange} />
  <//>`;
}

/** @param {{files: File[], isComparison: boolean, onChange: (files: File[]) => void}} props */
function List({ files, isComparison, onChange }) {
  const texts = strings.media.files;
  if (files.length === 0) return null;
  return html`<ol class="files">${files.map((file, i) => html`<li>
    ${isComparison ? html`<span class="muted">${texts.position(i + 1)}</span>` : null}
    <bdi class="file-name">${visibleName(file.name)}</bdi> <span class="muted">${formatBytes(file.size)}</span>
    <span class="actions">
      ${isComparison && i > 0 ? html`<${Button} kind="quiet" label=${texts.upNamed(visibleName(file.name))}
        onClick=${() => onChange(swapped(files, i))}>${texts.up}<//>` : null}
      <${Button} kind="quiet" label=${texts.removeNamed(visibleName(file.name))}
        onClick=${() => onChange(files.filter((_, j) => j !== i))}>${texts.remove}<//>
    </span>
  </li>`)}</ol>`;
}

/**
 * @param {File[]} files
 * @param {number} i from 1
 */
function swapped(files, i) {
  return files.map((file, j) => (j === i ? files[i - 1] : j === i - 1 ? files[i] : file));
}
