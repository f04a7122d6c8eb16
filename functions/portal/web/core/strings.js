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
