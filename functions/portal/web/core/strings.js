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

  chart: {
    role: "chart",
    keys: "Left and right arrow: one day. Page up and page down: one week. Home and end: first and last day. Escape: hide the values.",
    unknown: "no value",
    /** @type {(title: string, first: string, last: string) => string} */
    label: (title, first, last) => `${title}, ${first} to ${last}`,
    showTable: "Show as table",
    hideTable: "Hide the table",
    download: "Download CSV",
    date: "Day (UTC)",
    /** @type {(title: string) => string} */
    showTableOf: (title) => `Show as table: ${title}`,
    /** @type {(title: string) => string} */
    hideTableOf: (title) => `Hide the table: ${title}`,
    /** @type {(title: string) => string} */
    downloadOf: (title) => `Download CSV: ${title}`,
  },

  dashboard: {
    title: "Dashboard",
    intro: "What there was and what was used in a period. All days are in UTC.",
    filters: "Period",
    period: "Period",
    periods: {
      today: "Today", yesterday: "Yesterday", this_week: "This week", last_week: "Last week", this_month: "This month", last_month: "Last month",
      this_quarter: "This quarter", last_quarter: "Last quarter", this_year: "This year", last_year: "Last year", custom: "Custom dates",
    },
    compare: "Compare with",
    comparisons: { previous: "The period before", year_ago: "The same dates a year ago", none: "Nothing" },
    startDate: "First day",
    endDate: "Last day",
    apply: "Show",
    refresh: "Refresh",
    chooseDates: "Choose the first and the last day.",
    /** @type {(first: string, last: string) => string} */
    days: (first, last) => (first === last ? first : `${first} to ${last}`),
    /** @type {(days: string) => string} */
    comparedWith: (days) => `, compared with ${days}`,
    partial: "Today is not over yet.",
    /** @type {(time: string) => string} */
    asOf: (time) => `As of ${time} UTC.`,
    current: "This period",
    before: "Period before",
    yearAgo: "A year ago",
    change: {
      same: "No change",
      /** @type {(difference: string, percent: string) => string} */
      by: (difference, percent) => `${difference} (${percent})`,
      /** @type {(number: string) => string} */
      points: (number) => `${number} percentage points`,
      /** @type {(value: string) => string} */
      was: (value) => `was ${value}`,
    },
    empty: {
      title: "No data in this period",
      text: "Choose another period, or come back when something has happened.",
      /** @type {(title: string) => string} */
      chart: (title) => `${title}: no values in this period.`,
    },
    sections: {
      users: "Users and projects", requests: "Requests", latency: "Response times", distribution: "Storage and pulls", media: "Media",
    },
    figures: {
      "users.total": "Users",
      "users.active": "Active users",
      "users.growth": "Growth of users",
      "projects.total": "Projects",
      "projects.created": "Projects created",
      "projects.archived": "Projects archived",
      "usage.api.calls": "Requests",
      "performance.errors": "Errors (5xx)",
      "performance.uptime": "Uptime",
      "performance.responseTime.avg": "Average response time",
      "performance.responseTime.p95": "95 % of responses within",
      "performance.responseTime.p99": "99 % of responses within",
      "usage.storage.used": "Storage used",
      "usage.storage.total": "Storage quota",
      "usage.pulls.charts": "Chart pulls",
      "usage.pulls.images": "Image pulls",
      "usage.media.calls": "Media requests",
      "usage.media.modelCalls": "Model calls",
      "usage.media.inputTokens": "Tokens read",
      "usage.media.outputTokens": "Tokens written",
      "usage.media.cost": "Cost of models",
    },
    byRole: "Users by role",
    byStatus: "Projects by status",
    roles: { admin: "Administrators", manager: "Managers", user: "Users", viewer: "Viewers" },
    statuses: { draft: "Draft", active: "Active", on_hold: "On hold", completed: "Completed", archived: "Archived" },
    name: "Name",
    count: "Number",
    rankings: {
      artifact: "Pulls by artifact",
      person: "Pulls by person",
      pulls: "Pulls",
      artifactName: "Artifact",
      personName: "Person",
      kinds: { chart: "chart", image: "image" },
      deleted: "Deleted user",
      empty: "Nobody pulled anything in this period.",
      incomplete: "With so many in so many months, somebody else may have more pulls than the last ones listed. The numbers are exact.",
      denied: "To see who pulls, you need the permission tokens:read.",
    },
  },
};
