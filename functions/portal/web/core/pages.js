// The pages of the portal. To add one, create a folder in pages/ and add an entry here. The menu shows the entries in this
// order. A path with {parameters} must come after a path that it would also match.

/** @type {import("./types").Page[]} */
export const pages = [
  { path: "/portal", load: () => import("../pages/home/home.js"), menu: { label: "Home", group: "own" } },
  {
    path: "/portal/dashboard", load: () => import("../pages/dashboard/dashboard.js"), menu: { label: "Dashboard", group: "vendor" },
    permission: "analytics:read",
  },
];
