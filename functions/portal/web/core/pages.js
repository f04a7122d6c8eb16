// The pages of the portal. To add one, create a folder in pages/ and add an entry here. The menu shows the entries in this
// order. The first match wins, so a path with {parameters} must come after the literal paths that it also matches. The server
// searches this file for the paths, the imports and isPublic, to let the browser load all modules of a page at once, so an entry
// begins with its path and its import.
import { strings } from "./strings.js";

/** @type {import("./types").Page[]} */
export const pages = [
  { path: "/portal", load: () => import("../pages/home/home.js"), menu: { label: strings.menu.home, group: "own" } },
  { path: "/portal/access", load: () => import("../pages/access/access.js"), menu: { label: strings.access.title, group: "own" } },
  { path: "/portal/access/requests/{requestId}", load: () => import("../pages/access/request.js") },
  {
    path: "/portal/media", load: () => import("../pages/media/media.js"), menu: { label: strings.media.title, group: "own" },
    permission: "capabilities:use",
  },
  { path: "/portal/account", load: () => import("../pages/account/account.js"), menu: { label: strings.account.title, group: "own" } },
  { path: "/portal/sign-in", load: () => import("../pages/sign-in/sign-in.js"), isPublic: true },
  { path: "/portal/collect", load: () => import("../pages/collect/collect.js"), isPublic: true },
  { path: "/portal/activate", load: () => import("../pages/activate/activate.js"), isPublic: true },
  {
    path: "/portal/approvals", load: () => import("../pages/approvals/approvals.js"), permission: "credentials:approve", audience: "staff",
    menu: { label: strings.approvals.title, group: "vendor" },
  },
  {
    path: "/portal/company", load: () => import("../pages/company/company.js"), permission: "customers:read", audience: "customers",
    menu: { label: strings.company.title, group: "vendor" },
  },
  {
    path: "/portal/customers", load: () => import("../pages/customers/customers.js"), permission: "customers:read", audience: "staff",
    menu: { label: strings.customers.title, group: "vendor" },
  },
  { path: "/portal/customers/new", load: () => import("../pages/customers/create.js"), permission: "customers:write", audience: "staff" },
  { path: "/portal/customers/{customerId}", load: () => import("../pages/customers/customer.js"), permission: "customers:read", audience: "staff" },
  {
    path: "/portal/users", load: () => import("../pages/users/users.js"), permission: "users:read",
    menu: { label: strings.users.title, group: "vendor" },
  },
  { path: "/portal/users/new", load: () => import("../pages/users/create.js"), permission: "users:write" },
  { path: "/portal/users/import", load: () => import("../pages/users/import.js"), permission: "users:write" },
  { path: "/portal/users/{userId}", load: () => import("../pages/users/user.js"), permission: "users:read" },
  {
    path: "/portal/projects", load: () => import("../pages/projects/projects.js"), permission: "projects:read",
    menu: { label: strings.projects.title, group: "vendor" },
  },
  { path: "/portal/projects/new", load: () => import("../pages/projects/create.js"), permission: "projects:write", audience: "staff" },
  { path: "/portal/projects/{projectId}", load: () => import("../pages/projects/project.js"), permission: "projects:read" },
  {
    path: "/portal/dashboard", load: () => import("../pages/dashboard/dashboard.js"), menu: { label: strings.dashboard.title, group: "vendor" },
    permission: "analytics:read", audience: "staff",
  },
  {
    path: "/portal/audit", load: () => import("../pages/audit/audit.js"), permission: "audit:read",
    menu: { label: strings.audit.title, group: "vendor" },
  },
  { path: "/portal/charts", load: () => import("../pages/charts/charts.js"), menu: { label: strings.charts.title, group: "software" } },
  { path: "/portal/charts/{name}", load: () => import("../pages/charts/chart.js") },
  { path: "/portal/charts/{name}/{version}", load: () => import("../pages/charts/version.js") },
  { path: "/portal/images", load: () => import("../pages/images/images.js"), menu: { label: strings.images.title, group: "software" } },
  { path: "/portal/images/{repository}", load: () => import("../pages/images/repository.js") },
  { path: "/portal/images/{repository}/{reference}", load: () => import("../pages/images/manifest.js") },
  { path: "/portal/pulls", load: () => import("../pages/pulls/pulls.js"), menu: { label: strings.pulls.title, group: "software" } },
];
