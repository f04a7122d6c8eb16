// Code shared by the pages that mails link to. A page uses the one-time token of its link only when the user presses the
// button, because mail scanners that open links would otherwise use it up.
"use strict";

const element = (id) => document.getElementById(id);

// Remove the token from the address bar at once, so that it is neither in the history nor visible on a shared screen.
const token = location.hash.slice(1);
history.replaceState(null, "", location.pathname);

function show(view) {
  for (const section of document.querySelectorAll("[data-view]")) {
    section.hidden = section.dataset.view !== view;
  }
  document.querySelector(`[data-view="${view}"] h1`).focus();
}

function showFailure(detail, { requestId = "", mayRetry = false } = {}) {
  element("detail").textContent = detail;
  element("reference").textContent = requestId && `When you ask for help, include the request ID ${requestId}.`;
  element("again").hidden = !mayRetry;
  show("failed");
}

// useToken sends the token and passes the data of the response to the page.
async function useToken(button, { address, title, welcome }) {
  button.disabled = true;
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token }),
      cache: "no-store",
      credentials: "omit",
    });
    const body = await response.json().catch(() => ({}));
    if (response.ok) {
      welcome(body.data);
      document.title = `${title} · Portside`;
      addEventListener("beforeunload", (event) => event.preventDefault()); // the secret is lost when the page is closed
      show("done");
    } else {
      const fallback = "The server could not process the request. Your link is still valid. Try again in a moment.";
      const mayRetry = response.status === 429 || response.status >= 500;
      showFailure(body.detail ?? fallback, { requestId: body.requestId, mayRetry });
    }
  } catch {
    showFailure("The server could not be reached. Check your connection and try again.", { mayRetry: true });
  } finally {
    button.disabled = false;
  }
}

async function copy(event) {
  const source = element(event.currentTarget.dataset.copy);
  const text = source.value ?? source.textContent;
  try {
    await navigator.clipboard.writeText(text);
    element("copied").textContent = "Copied.";
  } catch { // pages without TLS cannot use the clipboard
    getSelection().selectAllChildren(source);
    source.select?.();
    element("copied").textContent = "Selected. Press Ctrl+C to copy.";
  }
}

// start sets up a page. page has the address for the token, the title after success, and welcome, which shows the data.
function start(page) {
  for (const button of [element("go"), element("again")]) {
    button.addEventListener("click", () => useToken(button, page));
  }
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", copy);
  }
  // Pasting another link into the open page changes only the part after #, so the page must be reloaded.
  addEventListener("hashchange", () => location.reload());
  show(token ? "ready" : "missing");
}
