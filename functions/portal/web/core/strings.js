// Every text that people read in the portal, by page. Functions fill in values. Texts of the API's problems are not here: the
// portal shows what the server says.

export const strings = {
  product: "Portside",

  menu: {
    label: "Portal",
    open: "Menu",
    skip: "Skip to the content",
    groups: { own: "My access", software: "Software", vendor: "Administration" },
    home: "Home",
    signOut: "Sign out",
    account: "Account",
  },

  common: {
    loading: "Loading …",
    save: "Save",
    cancel: "Cancel",
    close: "Close",
    delete: "Delete",
    copy: "Copy",
    copied: "Copied.",
    selected: "Selected. Press Ctrl+C to copy.",
    retry: "Try again",
    required: "required",
    optional: "optional",
    previous: "Previous",
    next: "Next",
    more: "Load more",
    /** @type {(from: number, to: number, total: string) => string} */
    range: (from, to, total) => `${from}–${to} of ${total}`,
    /** @type {(id: string) => string} */
    reference: (id) => `When you ask for help, include the request ID ${id}.`,
    /** @type {(seconds: number) => string} */
    retryAfter: (seconds) => `Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
    /** @type {(count: number) => string} */
    failures: (count) => (count === 1 ? "One field needs your attention." : `${count} fields need your attention.`),
  },

  passkeys: {
    unsupported: "This browser has no passkeys. Use another browser or device, or sign in by mail.",
    canceled: "The passkey was not used. Try again, or sign in by mail.",
    registered: "This device has a passkey for your account already.",
    wrongSite: "Passkeys do not work at this address of the portal. Open it by its host name.",
  },

  /** Why a sign-in with the identity provider failed, by the parameter `problem` of the sign-in page. */
  signInProblems: {
    "openid-expired": "The sign-in took longer than 10 minutes, was finished before, or began in another browser. Start again.",
    "openid-canceled": "You canceled the sign-in at the identity provider.",
    "openid-failed": "The identity provider's response is not valid. Start again.",
    "openid-too-old": "You signed in at the identity provider more than 15 minutes ago. Sign out there, and start again.",
    "openid-unverified": "The identity provider does not confirm that the e-mail address is yours. Sign in by mail instead.",
    "openid-unknown-user": "No active user has your e-mail address. Ask an administrator for an account.",
    "openid-unavailable": "The identity provider does not answer. Try again later, or sign in by mail.",
    "too-many-requests": "There were too many attempts to sign in from your network address. Wait for up to 10 minutes.",
    unknown: "The sign-in failed. Start again, or sign in by mail.",
  },

  notFound: {
    title: "There is no such page",
    text: "The address does not belong to any page of the portal. Choose one from the menu.",
  },

  outdated: {
    title: "Reload the page",
    text: "A newer version of the portal has been installed. Reload the page to use it.",
    reload: "Reload",
  },

  home: {
    title: "Home",
  },
};
