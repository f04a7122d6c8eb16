// The one-time token of a mailed link, such as /portal/collect#psl_…. This module runs before all others and takes the token out
// of the address at once, so that it is neither in the history nor visible on a shared screen. Only a click of the user
// spends the token, because mail scanners open links.

const link = { path: "", token: "" };

function take() {
  if (!location.hash.startsWith("#psl_")) return;
  link.path = location.pathname;
  link.token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname + location.search);
}

take();

// A link that is pasted into the open page changes only the part after #, so the page must be loaded again.
addEventListener("hashchange", () => {
  if (location.hash.startsWith("#psl_")) location.reload();
});

/** The token of the link that opened this page, or "" if the address had none. */
export function linkToken() {
  return link.path === location.pathname ? link.token : "";
}

/** Forgets the token after it is spent. */
export function forgetLinkToken() {
  link.token = "";
}
