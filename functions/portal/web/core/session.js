// The session of the user: who is signed in and what the role permits. The API enforces permissions; the portal only hides
// what the user cannot do.
import { useEffect, useState } from "preact/hooks";
import { get, remove } from "./api.js";

/** @typedef {{id: string, recentUntil: string, user: {id: string, email: string, name: string, role: string, permissions: string[]}}} Session */

const path = "/v1/sessions/current";
const tabs = new BroadcastChannel("portside-sessions");

/** @type {{current: Session | null, isLoaded: boolean}} */
const state = { current: null, isLoaded: false };
const listeners = new Set();

/** @param {Session | null} session */
export function setSession(session) {
  state.current = session;
  state.isLoaded = true;
  for (const listener of listeners) listener();
}

/** Asks the API who is signed in, and shows the answer. It throws a Problem if the API does not answer. */
export async function loadSession() {
  setSession(await readSession({ isPreloaded: true }));
}

/**
 * @param {{isPreloaded?: boolean}} [options]
 * @returns {Promise<Session | null>} null without a sign-in
 */
async function readSession({ isPreloaded = false } = {}) {
  try {
    return (await get(path, { isPublic: true, isPreloaded })).data;
  } catch (error) {
    if (/** @type {any} */ (error).status !== 401) throw error;
    return null;
  }
}

/**
 * Shows that a session has begun, in all tabs of this browser.
 * @param {Session} session
 */
export function beginSession(session) {
  setSession(session);
  tabs.postMessage("signed in");
}

/** Shows that the session has ended, in all tabs of this browser. */
export function endSession() {
  setSession(null);
  tabs.postMessage("signed out");
}

/**
 * Follows the sign-ins and sign-outs of other tabs. If this tab's user has signed out, or another user has signed in, it reloads the
 * page, because another user must not see or send what this one typed.
 */
export function followOtherTabs() {
  tabs.addEventListener("message", async () => {
    const before = state.current?.user.id;
    const now = await readSession().catch(() => undefined); // when offline, the next request shows whether the session has ended
    if (now === undefined) return;
    if (before && before !== now?.user.id) location.reload();
    else setSession(now);
  });
}

/** Ends the session on the server and in all tabs of this browser. */
export async function signOut() {
  try {
    await remove(path, { isPublic: true });
  } catch (error) {
    // A 401 means that the session has already ended.
    if (/** @type {any} */ (error).status !== 401) throw error;
  }
  endSession();
}

/**
 * Calls the listener when the session changes. It returns a function that removes the listener.
 * @param {() => void} listener
 */
export function onSessionChange(listener) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The session, or null without a sign-in. The component renders again when it changes. */
export function useSession() {
  const [, render] = useState(0);
  useEffect(() => onSessionChange(() => render((n) => n + 1)), []);
  return { session: state.current, isLoaded: state.isLoaded };
}

/** The signed-in user. Only pages that need a session may call it. */
export function currentUser() {
  if (!state.current) throw new Error("no user is signed in");
  return state.current.user;
}

/**
 * Whether the role of the user includes the permission.
 * @param {string} permission
 */
export function can(permission) {
  return state.current?.user.permissions?.includes(permission) ?? false;
}
