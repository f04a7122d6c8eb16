// Warnings for users who change their own account, because a mistake there can lock them out.
import { html } from "../../core/html.js";
import { currentUser } from "../../core/session.js";
import { strings } from "../../core/strings.js";

const texts = strings.users.own;

/** @typedef {import("./roles.js").User} User */
/** @typedef {"suspend" | "move" | "demote" | "signOut" | "endAll" | "delete"} Loss what users do to their own account */

/** @param {User} user */
export function isOwn(user) {
  return user.id === currentUser().id;
}

/**
 * What a change of the customer, the role and the status takes away from the signed-in user; null for the account of somebody else. Every other
 * role is a lower one: nobody can get more permissions than they have.
 * @param {User} user
 * @param {Record<string, any>} to the values of the form
 * @returns {"suspend" | "move" | "demote" | null}
 */
export function findLoss(user, { customerId, role, status }) {
  if (!isOwn(user)) return null;
  if (status !== "active") return "suspend";
  if (customerId !== (user.customerId ?? "")) return "move";
  return role === user.role ? null : "demote";
}

/**
 * Warns in a dialog if the account is the user's own.
 * @param {{user: User, loss: Loss}} props
 */
export function OwnWarning({ user, loss }) {
  return isOwn(user) ? html`<p class="note warning">${texts.warnings[loss](texts.helpers[currentUser().role])}</p>` : null;
}
