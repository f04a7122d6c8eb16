// Types that follow from the API's OpenAPI document.
import type { components, paths } from "../../types/openapi";

type Content<R> = R extends { content: { "application/json": infer Body } } ? Body : undefined;
type Successes<R> = { [Status in keyof R & (200 | 201 | 202 | 204)]: Content<R[Status]> }[keyof R & (200 | 201 | 202 | 204)];

/** Answer is the body of a successful response: of all success statuses of the operation, if it has several. */
export type Answer<Path extends keyof paths, Method extends string> =
  Method extends keyof paths[Path]
    ? paths[Path][Method] extends { responses: infer Responses }
      ? Successes<Responses>
      : never
    : never;

/** Schema is a schema of the document, such as Schema<"User">. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** Page is an entry of the table of pages in pages.js. */
export interface Page {
  /** The address, with {parameters}: /portal/charts/{name}. */
  path: string;
  /** Loads the module of the page, whose default export is its component. */
  load: () => Promise<{ default: (props: { params: Record<string, string> }) => any }>;
  /** The entry in the menu. Pages without one are reached from other pages. */
  menu?: { label: string; group: "own" | "software" | "vendor" };
  /** The permission without which the menu hides the page, and its address explains why. The API enforces it. */
  permission?: string;
  /** Whom the menu shows the page, if not everybody: the vendor's staff, or the users of customers. The API enforces it. */
  audience?: "staff" | "customers";
  /** Whether the page works without a session. */
  isPublic?: boolean;
}
