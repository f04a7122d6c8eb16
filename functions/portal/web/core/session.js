// The session of the user: who is signed in and what the role permits. The API enforces permissions; the portal only hides
// what the user cannot do.
import { useEffect, useState } from "preact/hooks";
import { get, remove } from "./api.js";

/** @typedef {{id: string, email: string, name: string, customerId: string | null, role: string, permissions: string[]}} SessionUser */
/** @typedef {{id: string, recentUntil: string, user: SessionUser}} Session */

const tabs = new BroadcastChannel("portside-sessions");

/**
 * A message to the other tabs.
 * @typedef {{userId: string | undefined, isNew: boolean}} Message who is signed in, and whether the session has just begun or ended
 */

/** @type {{current: Session | null, isLoaded: boolean}} */
const state = { current: null, isLoaded: false };
const listeners = new Set();

/** @param {Session | null} session */
export function setSession(session) {
  if (state.current && state.current.user.id !== session?.user.id) clearTab();
  state.current = session;
  state.isLoaded = true;
  for (const listener of listeners) listener();
}

/** Removes what pages have stored in this tab, such as the settings of the media page, because the next user must not see it. */
function clearTab() {
  try {
    sessionStorage.clear();
  } catch {
    // The browser forbids storage, so it is empty.
  }
}

/**
 * Asks the API who is signed in, and shows the answer in all tabs: after a sign-in with an identity provider, no other code tells
 * them. It throws a Problem if the API does not answer.
 */
export async function loadSession() {
  const session = await readSession({ isPreloaded: true });
  setSession(session);
  tell({ userId: session?.user.id, isNew: false });
}

/** @param {Message} message */
function tell(message) {
  tabs.postMessage(message);
}

/**
 * @param {{isPreloaded?: boolean}} [options]
 * @returns {Promise<Session | null>} null without a sign-in
 */
async function readSession({ isPreloaded = false } = {}) {
  return (await get("/v1/sign-in/session", { isPublic: true, isPreloaded })).data ?? null;
}

/**
 * Shows that a session has begun, in all tabs of this browser.
 * @param {Session} session
 */
export function beginSession(session) {
  setSession(session);
  tell({ userId: session.user.id, isNew: true });
}

/** Shows that the session has ended, in all tabs of this browser. */
export function endSession() {
  setSession(null);
  tell({ userId: undefined, isNew: true });
}

/**
 * Follows the sign-ins and sign-outs of other tabs. If this tab's user has signed out, or another user has signed in, it reloads the
 * page, because another user must not see or send what this one typed.
 */
export function followOtherTabs() {
  tabs.addEventListener("message", async ({ data }) => {
    const { userId, isNew } = /** @type {Message} */ (data);
    const before = state.current?.user.id;
    if (!isNew && userId === before) return; // another tab has only loaded a page
    const now = await readSession().catch(() => undefined); // offline: the next request finds out
    if (now === undefined) return;
    if (before && before !== now?.user.id) {
      clearTab();
      location.reload();
    } else setSession(now);
  });
}

/** Ends the session on the server and in all tabs of this browser. */
export async function signOut() {
  try {
    await remove("/v1/sessions/current", { isPublic: true });
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

/** Whether the user is one of the vendor's staff, and not one of a customer's users. */
export function isStaff() {
  return !currentUser().customerId;
}

/**
 * Whether the user has the permission for what belongs to anybody. Users of customers have theirs only for their customer.
 * @param {string} permission
 */
export function canForAll(permission) {
  return can(permission) && isStaff();
}
