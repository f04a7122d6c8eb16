// The permissions of the signed-in user over other users. The API decides; these functions only hide what it would refuse.
import { optionsOf } from "../../components/fields.js";
import { can, currentUser } from "../../core/session.js";
import { strings } from "../../core/strings.js";

/** @typedef {import("../../core/types").Schema<"User">} User */
/** @typedef {import("../../core/types").Schema<"ListedUser">} ListedUser */

/** All roles, as options of a list. */
export const roleOptions = optionsOf(["admin", "manager", "user", "viewer"], strings.users.roles);

/** All statuses, as options of a list. */
export const statusOptions = optionsOf(["active", "pending", "inactive", "suspended"], strings.users.statuses);

/**
 * The roles that the signed-in user may give: those that do not permit more than the user's own role, and the current one.
 * @param {string} current
 */
export function assignableRoles(current) {
  return roleOptions.filter((o) => o.value !== "admin" || current === "admin" || currentUser().role === "admin");
}

/**
 * Whether the signed-in user may change this user: a user with fewer or the same permissions.
 * @param {User} user
 */
export function mayChange(user) {
  return can("users:write") && user.permissions.every(can);
}

/** @param {User} user */
export function mayDelete(user) {
  return can("users:delete") && user.permissions.every(can);
}
