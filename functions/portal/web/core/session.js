// The session of the user: who is signed in and what the role permits. The API enforces permissions; the portal only hides
// what the user cannot do.
import { useEffect, useState } from "preact/hooks";
import { get, remove } from "./api.js";

/** @typedef {{id: string, recentUntil: string, user: {id: string, email: string, name: string, role: string, permissions: string[]}}} Session */

const path = "/v1/sessions/current";

/** @type {{current: Session | null, isLoaded: boolean}} */
const state = { current: null, isLoaded: false };
const listeners = new Set();

/** @param {Session | null} session */
export function setSession(session) {
  state.current = session;
  state.isLoaded = true;
  for (const listener of listeners) listener();
}

/** Asks the API who is signed in. It throws a Problem unless the answer is a session or "nobody". */
export async function loadSession() {
  try {
    setSession((await get(path, { isPublic: true, isPreloaded: true })).data);
  } catch (error) {
    if (/** @type {any} */ (error).status !== 401) throw error;
    setSession(null);
  }
}

/** Ends the session and forgets it. */
export async function signOut() {
  try {
    await remove(path, { isPublic: true });
  } catch (error) {
    if (/** @type {any} */ (error).status !== 401) throw error; // the session has ended already
  }
  setSession(null);
}

/**
 * Calls the listener when the session changes. It returns a function that stops this.
 * @param {() => void} listener
 */
export function onSessionChange(listener) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The session, or null if nobody is signed in. The component is rendered again when it changes. */
export function useSession() {
  const [, render] = useState(0);
  useEffect(() => onSessionChange(() => render((n) => n + 1)), []);
  return { session: state.current, isLoaded: state.isLoaded };
}

/** The signed-in user. Only pages that need a session may call it. */
export function currentUser() {
  if (!state.current) throw new Error("nobody is signed in");
  return state.current.user;
}

/**
 * Whether the role of the user includes the permission.
 * @param {string} permission
 */
export function can(permission) {
  return state.current?.user.permissions?.includes(permission) ?? false;
}
