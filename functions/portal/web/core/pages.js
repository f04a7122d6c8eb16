// The pages of the portal. To add one, create a folder in pages/ and add an entry here. The menu shows the entries in this
// order. A path with {parameters} must come after a path that it would also match.
import { strings } from "./strings.js";

/** @type {import("./types").Page[]} */
export const pages = [
  { path: "/portal", load: () => import("../pages/home/home.js"), menu: { label: "Home", group: "own" } },
  {
    path: "/portal/media", load: () => import("../pages/media/media.js"), menu: { label: strings.media.title, group: "own" },
    permission: "capabilities:use",
  },
];
