// The users whose IDs are in other resources, such as owners and members of projects.
import { useState } from "preact/hooks";
import { get } from "./api.js";
import { useLoad } from "./hooks.js";
import { isStaff } from "./session.js";
import { strings } from "./strings.js";

/** @typedef {import("./types").Schema<"ListedUser">} ListedUser */

/** How many users one request may ask for. */
const maxIDs = 100;

/**
 * Loads the users with the IDs. The result lacks deleted users, and IDs that belong to no user, such as "system".
 * @param {string[]} ids
 * @param {AbortSignal} signal
 * @returns {Promise<Record<string, ListedUser>>} by ID
 */
async function loadPeople(ids, signal) {
  const wanted = [...new Set(ids)].filter((id) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)).sort();
  const found = [];
  for (let at = 0; at < wanted.length; at += maxIDs) {
    const { data } = await get("/v1/users", { query: { ids: wanted.slice(at, at + maxIDs).join(",") }, signal });
    found.push(...data);
  }
  return Object.fromEntries(found.map((user) => [user.id, user]));
}

/**
 * The users with the IDs, for a component.
 * @param {string[]} ids
 */
export function usePeople(ids) {
  const [known, setKnown] = useState(/** @type {Record<string, ListedUser>} */ ({}));
  const load = useLoad((signal) => loadPeople(ids.filter((id) => !(id in known)), signal), [ids.join()]);
  /** @param {string} id */
  const find = (id) => known[id] ?? load.data?.[id];
  return {
    /** @param {string} id */
    find,
    /** @param {string} id */
    name: (id) => find(id)?.name ?? (!load.data ? "…" : isStaff() ? strings.projects.deletedUser : strings.projects.otherUser),
    /** @param {ListedUser} user */
    add: (user) => setKnown((before) => ({ ...before, [user.id]: user })),
  };
}
