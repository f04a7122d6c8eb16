// The names of users whose ids a project has.
import { useState } from "preact/hooks";
import { get } from "../../core/api.js";
import { useLoad } from "../../core/hooks.js";
import { strings } from "../../core/strings.js";

/** @typedef {import("../../core/types").Schema<"ListedUser">} ListedUser */

/**
 * Loads the users with the ids, in requests of up to 100.
 * @param {string[]} ids
 */
export function usePeople(ids) {
  const [known, setKnown] = useState(/** @type {Record<string, ListedUser>} */ ({}));
  const wanted = [...new Set(ids)].filter((id) => !(id in known)).sort();
  const load = useLoad(async (signal) => {
    const found = [];
    for (let at = 0; at < wanted.length; at += 100) {
      const { data } = await get("/v1/users", { query: { ids: wanted.slice(at, at + 100).join(",") }, signal });
      found.push(...data);
    }
    return Object.fromEntries(found.map((user) => [user.id, user]));
  }, [ids.join()]);
  /** @param {string} id */
  const find = (id) => known[id] ?? load.data?.[id];
  return {
    /** @param {string} id */
    find,
    /** @param {string} id */
    name: (id) => find(id)?.name ?? (load.data ? strings.projects.deletedUser : "…"),
    /** @param {ListedUser} user */
    add: (user) => setKnown((before) => ({ ...before, [user.id]: user })),
  };
}
