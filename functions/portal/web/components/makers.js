// Who created a credential: the cell of tables, and the names that it needs.
import { html } from "../core/html.js";
import { usePeople } from "../core/people.js";
import { currentUser } from "../core/session.js";
import { strings } from "../core/strings.js";

/** @typedef {import("../core/types").Schema<"Maker">} Maker */

const texts = strings.makers;

/**
 * The names of the users in chains of makers, by ID. The user of the page needs no request.
 * @param {Maker[][]} chains
 * @returns {(id: string) => string}
 */
export function useMakerNames(chains) {
  const others = new Set(chains.flat().map((m) => m.userId));
  others.delete(currentUser().id);
  const people = usePeople([...others].sort());
  return (id) => (id === currentUser().id ? texts.you : people.name(id));
}

/** @param {{makers: Maker[], name: (id: string) => string}} props */
export function Makers({ makers, name }) {
  const [nearest] = makers;
  if (!nearest) return texts.service;
  const others = [...new Set(makers.map((m) => m.userId))].filter((id) => id !== nearest.userId);
  return html`<div><bdi>${name(nearest.userId)}</bdi> <span class="muted mono small">${nearest.credentialId}</span>
    ${others.map((id) => html`<div class="small" key=${id}>${texts.earlier} <bdi>${name(id)}</bdi></div>`)}
  </div>`;
}
