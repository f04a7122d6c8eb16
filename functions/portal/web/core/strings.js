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
    remove: "Remove",
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

  draft: {
    title: "While you edited, somebody else changed:",
    conflict: "Somebody else has changed this in the meantime. Their changes are listed above and are now in the form. What you typed " +
      "is still there. Check the values and save again.",
    yours: "The form still has your value; saving replaces theirs.",
    empty: "(empty)",
    changedMeanwhile: "Somebody else has changed this in the meantime. Look at the new values and try again.",
  },

  objectField: {
    hint: "Your own information, such as a customer number.",
    jsonHint: "A JSON object, at most 16 KB.",
    onlyJSON: "Values other than texts are edited as JSON.",
    asJSON: "Edit as JSON",
    asFields: "Edit as fields",
    keyHint: "Key",
    valueHint: "Value",
    add: "Add a value",
    repeated: "Each key can have only one value.",
    invalid: "must be a JSON object such as {\"customerNumber\": \"C-1815\"}",
    /** @type {(label: string) => string} */
    json: (label) => `${label} as JSON`,
    /** @type {(label: string, n: number) => string} */
    key: (label, n) => `${label}: key ${n}`,
    /** @type {(label: string, n: number) => string} */
    value: (label, n) => `${label}: value ${n}`,
    /** @type {(label: string, n: number) => string} */
    removeEntry: (label, n) => `Remove: ${label} ${n}`,
  },

  users: {
    menu: "Users",
    title: "Users",
    intro: "Everybody who can sign in to Portside, in the order in which they were added.",
    caption: "Users",
    create: "Create a user",
    import: "Import users",
    allRoles: "All roles",
    find: "Find by e-mail address",
    findHint: "The complete address",
    findButton: "Find",
    showAll: "Show all users",
    none: "No user has this role",
    /** @type {(email: string) => string} */
    notFound: (email) => `No user has the address ${email}`,
    notFoundText: "Check the spelling. The search finds complete addresses only.",
    /** @type {Record<string, string>} */
    roles: { admin: "Admin", manager: "Manager", user: "User", viewer: "Viewer" },
    /** @type {Record<string, string>} */
    roleHints: {
      admin: "Everything, including API keys of other users, approvals and deletions",
      manager: "Users, projects, the dashboard, and tokens",
      user: "Projects and media",
      viewer: "Reads users, projects and the dashboard",
    },
    /** @type {Record<string, string>} */
    statuses: { pending: "Pending", active: "Active", inactive: "Inactive", suspended: "Suspended" },
    name: "Name",
    email: "E-mail address",
    role: "Role",
    status: "Status",
    statusHint: "The keys, tokens and sessions of a user work only while the user is active.",
    pendingHint: "The user has not used the link in the activation mail yet. Choose a status to end the invitation.",
    department: "Department",
    metadata: "Metadata",
    created: "Created",
    updated: "Last changed",
    lastLogin: "Last sign-in",
    id: "User ID",
    permissions: "Permissions",
    never: "Never",
    createTitle: "Create a user",
    sendMail: "Send an activation mail",
    sendMailHint: "The user is pending until the link in the mail is used. Without a mail, the user is active at once.",
    /** @type {(name: string) => string} */
    wasCreated: (name) => `${name} was created.`,
    edit: "Details",
    saved: "Saved.",
    back: "All users",
    readOnly: "Your role permits less than the role of this user, so you cannot change this user.",
    suspend: "Suspend",
    reactivate: "Reactivate",
    /** @type {(name: string) => string} */
    suspendTitle: (name) => `Suspend ${name}?`,
    suspendText: "All keys, tokens, passwords and sessions of the user stop working at once. You can reactivate the user at any time.",
    /** @type {(name: string) => string} */
    wasSuspended: (name) => `${name} is suspended.`,
    /** @type {(name: string) => string} */
    wasReactivated: (name) => `${name} is active again.`,
    delete: "Delete the user",
    deleteIntro: "Deletes the user and all keys, tokens and passwords of the user. To keep the user, suspend it instead.",
    /** @type {(name: string) => string} */
    deleteTitle: (name) => `Delete ${name}?`,
    deleteText: "This cannot be undone. All keys, tokens and passwords of the user stop working at once.",
    /** @type {(email: string) => string} */
    deleteType: (email) => `Type ${email} to confirm`,
    deleteMismatch: "must be the e-mail address of the user",
    deleteSelf: "You are deleting yourself: you will be signed out.",
    /** @type {(name: string) => string} */
    wasDeleted: (name) => `${name} was deleted.`,
    danger: "Danger zone",
  },

  userKeys: {
    title: "API keys",
    caption: "API keys",
    intro: "Programs use API keys to act as this user.",
    none: "This user has no API key.",
    create: "Create an API key",
    name: "Name",
    nameHint: "What the key is for, such as “build server”",
    expires: "Expires",
    never: "Never",
    /** @type {(days: number) => string} */
    days: (days) => (days === 365 ? "After one year" : `After ${days} days`),
    lastUsed: "Last used",
    key: "API key",
    created: "The API key is ready",
    once: "Copy the key now. Nobody can show it again.",
    stored: "I have stored the key",
    /** @type {(name: string) => string} */
    deleteTitle: (name) => `Delete the API key ${name}?`,
    deleteText: "Programs that use the key can no longer call the API.",
    /** @type {(name: string) => string} */
    deleteLabel: (name) => `Delete the API key ${name}`,
    /** @type {(name: string) => string} */
    wasDeleted: (name) => `The API key ${name} was deleted.`,
  },

  userTokens: {
    title: "Tokens and passwords",
    caption: "Tokens and passwords",
    intro: "Machines use them to fetch charts and images.",
    none: "This user has no token or password.",
    kind: "Kind",
    /** @type {Record<string, string>} */
    kinds: { token: "Token", password: "Password" },
    scopes: "May fetch",
    /** @type {Record<string, string>} */
    statuses: { active: "Active", expired: "Expired", revoked: "Revoked", inactive: "User not active" },
    revoke: "Revoke",
    /** @type {(name: string) => string} */
    revokeLabel: (name) => `Revoke ${name}`,
    /** @type {(name: string) => string} */
    revokeTitle: (name) => `Revoke ${name}?`,
    revokeText: "Machines that use it can no longer fetch charts and images. This cannot be undone.",
    /** @type {(name: string) => string} */
    wasRevoked: (name) => `${name} was revoked.`,
  },

  userImport: {
    title: "Import users",
    intro: "Add many users from a file. You see what happens to each line before anybody is created.",
    file: "CSV or JSON Lines file",
    drop: "Drop the file here, or choose it:",
    formats: "The file needs the columns email, name and role (admin, manager, user or viewer). The columns department, metadata (a JSON " +
      "object) and sendActivationEmail (true or false) are optional. At most 10,000 lines and 1.5 MB.",
    example: "Download an example",
    sendMail: "Send activation mails to users whose line does not say otherwise",
    sendMailHint: "Mails are sent in batches within some minutes. Users without a mail are active at once.",
    checking: "The server checks the file …",
    tooLarge: "The file is larger than 1.5 MB. Split it, or use the command portside import-users.",
    notUTF8: "The file is not UTF-8 text. Save it as “CSV UTF-8”.",
    notText: "Choose a CSV file (.csv) or a JSON Lines file (.jsonl). Spreadsheets can save a sheet as “CSV UTF-8”.",
    preview: "Preview",
    /** @type {(file: string) => string} */
    previewOf: (file) => `What an import of ${file} does`,
    /** @type {Record<string, string>} */
    counts: { ready: "will be created", created: "created", existing: "exist already", failed: "cannot be imported" },
    /** @type {Record<string, string>} */
    tabs: { failed: "Cannot be imported", existing: "Exist already", ready: "Will be created", created: "Created" },
    line: "Line",
    reason: "Reason",
    existingText: "These users stay unchanged.",
    /** @type {(count: string) => string} */
    start: (count) => `Import ${count} users`,
    startOne: "Import one user",
    nothing: "No line of the file can be imported.",
    other: "Choose another file",
    running: "The import runs",
    /** @type {(done: string, total: string) => string} */
    progress: (done, total) => `${done} of ${total} lines`,
    /** @type {(seconds: number) => string} */
    waiting: (seconds) => `The server is busy. The import continues in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
    doneTitle: "The import is complete",
    stoppedTitle: "The import has stopped",
    /** @type {(count: string) => string} */
    remaining: (count) => `${count} lines are not imported yet.`,
    resume: "Continue",
    download: "Download the lines that failed as CSV",
    downloadName: "failed-users.csv",
    toUsers: "Show all users",
  },

  userPicker: {
    title: "Choose a user",
    choose: "Choose",
    /** @type {(name: string) => string} */
    chooseLabel: (name) => `Choose ${name}`,
  },

  projects: {
    menu: "Projects",
    title: "Projects",
    intro: "All projects, in the order in which they were created.",
    caption: "Projects",
    create: "Create a project",
    allStatuses: "All statuses",
    empty: "There is no project yet",
    emptyText: "Create one to collect people and settings for a piece of work.",
    none: "No project has this status",
    /** @type {Record<string, string>} */
    statuses: { draft: "Draft", active: "Active", on_hold: "On hold", completed: "Completed", archived: "Archived" },
    name: "Name",
    description: "Description",
    status: "Status",
    owner: "Owner",
    changeOwner: "Choose another owner",
    created: "Created",
    updated: "Last changed",
    id: "Project ID",
    settings: "Settings",
    metadata: "Metadata",
    members: "Members",
    membersHint: "Roles of members describe their part in the project. They grant no permissions.",
    noMembers: "The project has no members.",
    member: "Member",
    memberRole: "Role",
    /** @type {(name: string) => string} */
    memberRoleOf: (name) => `Role of ${name}`,
    /** @type {Record<string, string>} */
    memberRoles: { owner: "Owner", editor: "Editor", viewer: "Viewer" },
    addMember: "Add a member",
    /** @type {(name: string) => string} */
    removeMember: (name) => `Remove ${name}`,
    deletedUser: "Deleted user",
    createTitle: "Create a project",
    edit: "Details",
    /** @type {(name: string) => string} */
    wasCreated: (name) => `${name} was created.`,
    archive: "Archive",
    /** @type {(name: string) => string} */
    archiveTitle: (name) => `Archive ${name}?`,
    archiveText: "The project stays in the list of archived projects. You can change its status again at any time.",
    /** @type {(name: string) => string} */
    wasArchived: (name) => `${name} is archived.`,
    delete: "Delete the project",
    deleteIntro: "Deletes the project permanently. To keep it, archive it instead.",
    /** @type {(name: string) => string} */
    deleteTitle: (name) => `Delete ${name}?`,
    deleteText: "This cannot be undone.",
    /** @type {(name: string) => string} */
    wasDeleted: (name) => `${name} was deleted.`,
    back: "All projects",
  },
};
