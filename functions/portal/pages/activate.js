// Activates an account and shows its first API key.
"use strict";

start({
  address: "/v1/users/activate",
  title: "Your account is active",
  welcome({ id, name, apiKey }) {
    element("name").textContent = name ? `, ${name}` : "";
    element("key").value = apiKey;
    element("example").textContent = `curl -H "X-API-Key: ${apiKey}" \\\n  ${location.origin}/v1/users/${id}`;
  },
});
