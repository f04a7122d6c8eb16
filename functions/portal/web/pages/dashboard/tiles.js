// Tiles: a figure and how it changed.
import { html } from "../../core/html.js";
import { strings } from "../../core/strings.js";
import { changeText, titleOf, valueOf } from "./figures.js";

/** @typedef {import("./figures.js").Figure} Figure */
/** @typedef {import("./figures.js").Metrics} Metrics */

/**
 * Without metrics, the tiles keep their place.
 * @param {{figures: Figure[], isCompared: boolean, metrics?: Metrics, before?: Metrics}} props
 */
export function Tiles({ figures, isCompared, metrics, before }) {
  return html`<dl class=${isCompared ? "tiles compared" : "tiles"}>
    ${figures.map((f) => html`<${Tile} key=${f.path} figure=${f} metrics=${metrics} before=${before} />`)}</dl>`;
}

/** @param {{figure: Figure, metrics?: Metrics, before?: Metrics}} props */
function Tile({ figure, metrics, before }) {
  const value = metrics && valueOf(metrics, figure.path);
  const was = before && valueOf(before, figure.path);
  return html`<div class="tile"><dt>${titleOf(figure)}</dt>
    <dd class="tile-value" data-figure=${figure.path}>
      ${value === undefined ? html`<span class="placeholder"></span>` : figure.format(value)}</dd>
    ${value === undefined || was === undefined ? null : html`<${Change} figure=${figure} value=${value} before=${was} />`}
  </div>`;
}

/** @param {{figure: Figure, value: number, before: number}} props */
function Change({ figure, value, before }) {
  const text = changeText(value, before, figure);
  const { same, was } = strings.dashboard.change;
  const tone = text === same || !figure.better ? "" : value > before === (figure.better === "up") ? "good" : "bad";
  return html`<dd class="tile-change"><span class=${tone}>${text}</span>
    ${text === same ? null : html` <span class="muted" data-before=${figure.path}>${was(figure.format(before))}</span>`}</dd>`;
}
