// The pages of the portal. To add one, create a folder in pages/ and add an entry here. The menu shows the entries in this
// order. A path with {parameters} must come after a path that it would also match.

/** @type {import("./types").Page[]} */
export const pages = [
  { path: "/portal", load: () => import("../pages/home/home.js"), menu: { label: "Home", group: "own" } },
  { path: "/portal/access", load: () => import("../pages/access/access.js"), menu: { label: "Access Management", group: "own" } },
  { path: "/portal/access/requests/{requestId}", load: () => import("../pages/access/request.js") },
  { path: "/portal/collect", load: () => import("../pages/collect/collect.js"), isPublic: true },
  { path: "/portal/activate", load: () => import("../pages/activate/activate.js"), isPublic: true },
  {
    path: "/portal/approvals", load: () => import("../pages/approvals/approvals.js"), permission: "credentials:approve",
    menu: { label: "Approvals", group: "vendor" },
  },
];
