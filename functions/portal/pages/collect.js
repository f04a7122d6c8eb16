// Collects a user name and password and shows them.
"use strict";

start({
  address: "/api/v1/credential-requests/collect",
  title: "Your password",
  welcome({ username, password, scopes, expiresAt }) {
    element("username").value = username;
    element("password").value = password;
    element("until").textContent = new Date(expiresAt).toLocaleDateString("en", { dateStyle: "long" });
    const lines = [];
    if (scopes.includes("read:helm-charts")) {
      lines.push(`helm repo add portside ${location.origin}/charts --username ${username} --password-stdin`);
    }
    if (scopes.includes("read:docker-images")) {
      lines.push(`docker login ${location.host} --username ${username} --password-stdin`);
    }
    element("example").textContent = lines.join("\n");
  },
});
