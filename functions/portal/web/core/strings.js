// Every text that users read in the portal, by page. Functions fill in values. The portal shows the API's error texts unchanged,
// so they are not here. index.html has the texts that appear before this module is loaded.
//
// Terms: an email (not a mail), to pull charts and images (not to fetch or download), tokens and passwords, a request for
// credentials. Labels are in sentence case, except those that the specification of the service names: Account, Access
// Management, Request New Credentials.

const roles = /** @type {Record<string, string>} */ ({ admin: "Admin", manager: "Manager", user: "User", viewer: "Viewer" });
const projectStatuses = { draft: "Draft", active: "Active", on_hold: "On hold", completed: "Completed", archived: "Archived" };
const emailAddress = "Email address";
const cannotUndo = "This cannot be undone.";
const deletedUser = "Deleted user";

export const strings = {
  product: "Portside",

  menu: {
    label: "Main menu",
    open: "Menu",
    skip: "Skip to content",
    groups: { own: "My access", software: "Software", vendor: "Administration" },
    home: "Home",
    signOut: "Sign out",
  },

  common: {
    loading: "Loading …",
    save: "Save",
    cancel: "Cancel",
    close: "Close",
    edit: "Edit",
    delete: "Delete",
    remove: "Remove",
    copy: "Copy",
    copied: "Copied.",
    selected: "The text is selected. Copy it with the keys or the menu of your device.",
    notCopied: "Copying is not possible on this page. Select the text and copy it.",
    retry: "Try again",
    uncertain: "The request may have succeeded. You can send it again: it takes effect only once.",
    optional: "optional",
    previous: "Previous",
    next: "Next",
    /** @type {(from: number, to: number, total: string) => string} */
    range: (from, to, total) => `${from}–${to} of ${total}`,
    /** @type {(value: string) => string} */
    percent: (value) => `${value}%`,
    /** @type {(id: string) => string} */
    reference: (id) => `When you ask for help, include the request ID ${id}.`,
    /** @type {(seconds: number) => string} */
    retryAfter: (seconds) => {
      const units = [{ name: "hour", length: 3600 }, { name: "minute", length: 60 }, { name: "second", length: 1 }];
      const { name, length } = units.find((unit) => seconds >= 2 * unit.length) ?? units[2];
      const count = Math.ceil(seconds / length);
      return `Try again in ${count} ${name}${count === 1 ? "" : "s"}.`;
    },
    /** @type {(count: number) => string} */
    failures: (count) => (count === 1 ? "One field needs your attention." : `${count} fields need your attention.`),
  },

  problems: {
    offline: "The server could not be reached. Check your connection and try again.",
    unreadable: "The server could not process the request. Try again in a moment.",
    defect: "The portal could not display this. Reload the page. If it happens again, report it.",
  },

  passkeys: {
    unsupported: "This browser does not support passkeys. Use another browser or device, or sign in by email.",
    canceled: "The passkey was not used. Try again, or sign in by email.",
    registered: "This device already has a passkey for your account.",
    wrongSite: "Passkeys do not work at this address of the portal. Open it by its host name.",
  },

  /** Why a sign-in with the identity provider failed, by the parameter `problem` of the sign-in page. */
  signInProblems: {
    "openid-expired": "The sign-in took longer than 10 minutes, was finished before, or began in another browser. Start again.",
    "openid-canceled": "The sign-in at the identity provider was canceled. Start again, or sign in by email.",
    "openid-failed": "The identity provider's response is not valid. Start again.",
    "openid-too-old": "You signed in at the identity provider more than 15 minutes ago. Sign out there, and start again.",
    "openid-unverified": "The identity provider does not confirm that the email address is yours. Sign in by email instead.",
    "openid-unknown-user": "No active user has your email address. Ask an admin for an account.",
    "openid-unavailable": "The identity provider does not respond. Try again later, or sign in by email.",
    "too-many-requests": "There were too many attempts to sign in from your network address. Wait up to 10 minutes.",
    unknown: "The sign-in failed. Start again, or sign in by email.",
  },

  notFound: {
    title: "Page not found",
    text: "This address does not exist in the portal. Choose a page from the menu.",
  },

  notPermitted: {
    title: "You do not have access to this page",
    text: "Your role does not include the permission for this page. Ask an admin for it.",
    /** By the people whom the page is for. */
    audiences: {
      staff: "This page is only for the vendor's staff.",
      customers: "This page is only for users of customers. You belong to the vendor's staff.",
    },
  },

  failedPage: {
    title: "The page could not be loaded",
    offline: "Check your connection and try again.",
    outdated: "A newer version of the portal was installed. Reload the page to use it.",
    failed: "This page failed. Reload it: everything that you saved is kept. If it happens again, report the problem.",
    reload: "Reload",
  },

  home: {
    /** @type {(name: string) => string} */
    welcome: (name) => `Welcome, ${name}`,
    start: "Get access to charts and images",
    startText: "You cannot pull charts or images yet. Request a username and password. The vendor decides within one business day, " +
      "and an email then shows you how to collect them.",
    startToken: "You cannot pull charts or images yet. Create a token, or request a username and password.",
    startPending: "Your request is waiting for a decision. You get an email with the result.",
    startCollect: "Your request was approved. Open the link in the email to collect your password.",
    mayPull: "What you may pull",
    /** @type {(label: string) => string} */
    save: (label) => `Save your ${label.toLowerCase()} in a file that only you can read: run this command, paste the ${label.toLowerCase()}, press Return and Ctrl+D.`,
    commandsFor: "Log in with",
    placeholders: "These commands read the file. Replace words in capitals, such as IMAGE and TAG.",
    credentials: "Your tokens and passwords",
    /** @type {(count: number) => string} */
    expiring: (count) => (count === 1 ? "One of your tokens and passwords expires within 14 days."
      : `${count} of your tokens and passwords expire within 14 days.`),
    renew: "Renew in Access Management",
    allCredentials: "All tokens and passwords",
    requests: "Your requests",
    allRequests: "All requests",
  },

  secret: {
    username: "Username",
    clients: "Clients",
    use: "Use it",
    saveCommand: "The command that saves it",
    /** @type {(label: string) => string} */
    save: (label) => `Save it in a file that only you can read: run this command, paste the ${label.toLowerCase()}, press Return and Ctrl+D.`,
    /** @type {(client: string) => string} */
    commandsFor: (client) => `Commands for ${client}`,
    download: "Download imagePullSecret",
    downloadHint: "A Kubernetes manifest that contains the secret. Never commit it unencrypted.",
  },

  credentials: {
    kinds: { token: "Token", password: "Password" },
    states: { active: "Active", expired: "Expired", revoked: "Revoked", inactive: "User not active" },
    never: "Never",
    noExpiry: "Does not expire",
    renewed: "Renewed",
    /** @type {(days: number) => string} */
    expiresIn: (days) => (days < 1 ? "Expires today" : days === 1 ? "Expires in 1 day" : `Expires in ${days} days`),
    allCharts: "All charts",
    allImages: "All images",
    /** @type {(names: string) => string} */
    someCharts: (names) => `Charts: ${names}`,
    /** @type {(names: string) => string} */
    someImages: (names) => `Images: ${names}`,
    name: "Name",
    scopes: "May pull",
    lastUsed: "Last used",
    /** @type {(date: string) => string} */
    createdAt: (date) => `created ${date}`,
    expires: "Expires",
    state: "State",
    actions: "Actions",
    /** @type {(name: string) => string} */
    renewLabel: (name) => `Renew ${name}`,
    /** @type {(name: string) => string} */
    revokeLabel: (name) => `Revoke ${name}`,
    renew: "Renew",
    revoke: "Revoke",
    /** @type {(name: string) => string} */
    revokeTitle: (name) => `Revoke ${name}?`,
    revokeText: `It stops working immediately, and programs that use it can no longer pull. ${cannotUndo}`,
    /** @type {(when: string) => string} */
    revokeUsed: (when) => `It was last used ${when}.`,
    revokeUnused: "It was never used.",
    revokeLine: "Also revoke all tokens of its line of renewals",
    revokeLineHint: "Choose this if somebody else may have the token: they may have renewed it.",
    /** @type {(name: string) => string} */
    wasRevoked: (name) => `${name} was revoked.`,
  },

  access: {
    title: "Access Management",
    intro: "Tokens and passwords let people and machines pull charts and images. Use a separate one for each person and machine, so that you " +
      "can revoke it alone.",
    newToken: "Create token",
    newRequest: "Request New Credentials",
    list: "Tokens and passwords",
    show: "Show",
    showWorking: "Working",
    showAll: "All",
    none: "No token or password",
    noneWorking: "No working token or password",
    noneText: "Request credentials to pull charts and images. The vendor decides within one business day.",
    newest: "The list has the newest 500 tokens and passwords. Revoked and expired ones are removed after 90 days.",
    createTitle: "Create token",
    createText: "Tokens are for machines. The token is shown only once.",
    nameHint: "Where it is used, such as: production cluster.",
    what: "What the token may pull",
    days: "Days until it expires",
    notDays: "must be a whole number of days",
    daysHint: "1 to 365, or up to the maximum of this service.",
    daysDefault: "Empty means 30, or the maximum if that is lower.",
    create: "Create token",
    createdTitle: "Save your new token",
    createdText: "You will not be able to see the token again.",
    saved: "I have saved the token",
    token: "Token",
    /** @type {(name: string) => string} */
    renewTitle: (name) => `Renew ${name}`,
    renewText: "This creates a new token with the same name and scopes.",
    /** @type {(date: string) => string} */
    overlap: (date) => `The old token works until ${date}. Switch your machines to the new one before then. To end it earlier, revoke it.`,
    renewNoExpiry: "The old token works until you revoke it.",
    renewPasswordText: "The vendor decides about new passwords, so you renew a password with a new request.",
    /** @type {(date: string) => string} */
    passwordOverlap: (date) => `The old password works until ${date}.`,
    renewPassword: "Continue to the request",
    renewToken: "Create token",
  },

  scopes: {
    charts: "Charts",
    images: "Images",
    chartNames: "Only these charts",
    imageNames: "Only these images",
    namesHint: "Leave the names empty for all. Separate names by spaces; * stands for any text.",
  },

  requests: {
    title: "Requests for credentials",
    newTitle: "Request New Credentials",
    newText: "The vendor decides within one business day. After the approval, the link in an email shows your username and password once.",
    level: "Access level",
    levels: { charts: "Charts", images: "Images", full: "Charts and images" },
    justification: "Justification",
    justificationHint: "Tell the approver what you need the access for. At most 2,000 characters.",
    send: "Send request",
    sent: "Your request was sent.",
    states: { pending: "Pending", approved: "Approved", denied: "Denied", collected: "Collected", expired: "Expired" },
    requested: "Requested",
    due: "Decision due",
    state: "State",
    details: "Details",
    /** @type {(level: string) => string} */
    detailsLabel: (level) => `Details of the request for ${level}`,
    none: "No requests",
    noneText: "Your requests and their status appear here.",
    pageTitle: "Request for credentials",
    requester: "Requester",
    decided: "Decided",
    reason: "Reason",
    collectBy: "Link works until",
    credential: "Password",
    history: "History",
    madeWith: "Requested with",
    decidedWith: "Decided with",
    you: "you",
    system: "the system",
    vendor: "the vendor",
    unknownUser: deletedUser,
    /** @type {Record<string, string>} */
    actions: {
      requested: "Requested", approved: "Approved", denied: "Denied", mailed: "Email sent to the requester", collected: "Password collected",
      withdrawn: "Password revoked, because it did not reach the requester", expired: "The link expired before it was used",
    },
    /** @type {(who: string) => string} */
    by: (who) => `by ${who}`,
    /** @type {Record<string, string>} */
    next: {
      pending: "The request is waiting for a decision. The requester gets an email with the result.",
      approved: "An email to the requester contains the link to collect the password. The link works once.",
      denied: "The requester got an email with the reason.",
      collected: "The requester has collected the password.",
      expired: "The link expired before it was used. Make a new request.",
    },
    back: "All requests",
    newestPage: "Newest",
    oldestPage: "Oldest",
    nextPage: "Next",
  },

  approvals: {
    title: "Approvals",
    intro: "Requests for credentials. A decision is due within one business day. You cannot decide on your own request.",
    filter: "Show",
    filters: { pending: "Pending", approved: "Approved", collected: "Collected", denied: "Denied", expired: "Expired", all: "All" },
    queue: "Requests for credentials",
    access: "Access level",
    overdue: "Overdue",
    /** @type {(when: string) => string} */
    dueSince: (when) => `due ${when}`,
    none: "No requests to decide",
    noneText: "New requests appear here, the most urgent one first. You also get an email for each of them.",
    noneDecided: "No such requests",
    approve: "Approve",
    deny: "Deny",
    /** @type {(who: string) => string} */
    approveLabel: (who) => `Approve the request of ${who}`,
    /** @type {(who: string) => string} */
    denyLabel: (who) => `Deny the request of ${who}`,
    own: "Your own request. Someone else must decide.",
    approveTitle: "Approve this request?",
    denyTitle: "Deny this request?",
    approveText: "The requester gets an email with a link to collect the username and password.",
    denyText: "The requester gets an email with the reason.",
    reason: "Reason",
    reasonHint: "The email to the requester contains it. At most 1,000 characters.",
    approveConfirm: "Approve request",
    denyConfirm: "Deny request",
    /** @type {(who: string) => string} */
    approved: (who) => `The request of ${who} was approved.`,
    /** @type {(who: string) => string} */
    denied: (who) => `The request of ${who} was denied.`,
    /** @type {(who: string, state: string, by: string, when: string) => string} */
    meanwhile: (who, state, by, when) => `The request of ${who} was already decided: ${state} by ${by}, ${when}. Your decision was not saved.`,
    someoneElse: "someone else",
  },

  mailedLink: {
    failedTitle: "This did not work",
    missingTitle: "Open the link in your email",
    toPortal: "Open the portal",
    signIn: "Sign in to the portal",
  },

  collect: {
    title: "Collect your password",
    text: "This page shows a username and a password, only once. Have a safe place ready to store them, such as a password manager.",
    show: "Show the password",
    doneTitle: "Your password",
    password: "Password",
    /** @type {(date: string) => string} */
    until: (date) => `The password works only with this username, until ${date}.`,
    save: "Save both now. You will not be able to see the password again.",
    missing: "This link is incomplete. Open the link in your email, or copy the complete link into the address bar, " +
      "including everything after the #.",
    missingUsed: "If you have already used the link, use the password that you got then. If you no longer have it, request a new one.",
  },

  activate: {
    title: "Activate your account",
    text: "This page shows your first API key, only once. Have a safe place ready to store it, such as a password manager.",
    activate: "Activate",
    doneTitle: "Your account is active",
    /** @type {(name: string) => string} */
    welcome: (name) => (name ? `Welcome, ${name}. This is your first API key.` : "Welcome. This is your first API key."),
    save: "Save it now. You will not be able to see it again.",
    key: "API key",
    example: "Try it",
    exampleLabel: "Example command",
    permissions: "The key has the permissions of your role.",
    docs: "See everything the API can do",
    signInText: "To use the portal, you need no API key. Sign in with a link that we email you.",
    missing: "This link is incomplete. Open the link in your activation email, or copy the complete link " +
      "into the address bar, including everything after the #.",
    missingUsed: "If you have already used the link, your account is active, and you can sign in. If you no longer have the API key, " +
      "create a new one.",
  },

  signIn: {
    title: "Sign in",
    intro: "You do not need a password to sign in. Use a link or code that we email you, or a passkey.",
    linkIntro: "You opened a sign-in link. Sign in to continue in this browser.",
    email: emailAddress,
    sendMail: "Send me an email",
    /** @type {(email: string) => string} */
    mailTo: (email) => `We email a link and a code to ${email}.`,
    checkMail: "Check your email",
    /** @type {(email: string) => string} */
    mailSent: (email) => `If ${email} belongs to an active account, an email is on its way. Open its link in this browser, or type its code here.`,
    code: "Code",
    codeHint: "10 digits; it works for 10 minutes",
    submit: "Sign in",
    askAgain: "Request another email",
    otherWay: "Sign in another way",
    usePasskey: "Use a passkey",
    or: "or by email",
    /** @type {(provider: string) => string} */
    useOpenId: (provider) => `Sign in with ${provider}`,
  },

  signInDialog: {
    "signed-out": { title: "Sign in again", text: "Your session has ended. What you entered on this page is kept." },
    "not-recent": { title: "Confirm that it is you", text: "You signed in more than 15 minutes ago. Sign in again for this action." },
  },

  account: {
    title: "Account",
    profile: "Profile",
    name: "Name",
    email: emailAddress,
    role: "Role",
  },

  sessions: {
    title: "Sessions",
    intro: "A session ends after 12 hours without use, and after 30 days at the latest.",
    device: "Device",
    current: "This browser",
    created: "Signed in",
    lastUsed: "Last used",
    expires: "Ends",
    end: "End",
    /** @type {(device: string) => string} */
    endLabel: (device) => `End the session of ${device}`,
    endTitle: "End this session?",
    endConfirm: "End the session",
    /** @type {(device: string) => string} */
    endText: (device) => `${device} is signed out immediately.`,
    endCurrentText: "This is the session of this browser. You are signed out immediately.",
    wasEnded: "The session was ended.",
    endAll: "Sign out everywhere",
    endAllTitle: "Sign out everywhere?",
    endAllText: "All your sessions end immediately, including this one. API keys, tokens and passwords still work.",
  },

  ownPasskeys: {
    title: "Passkeys",
    intro: "A passkey lets you sign in with your fingerprint, face or PIN instead of an email.",
    none: "You have no passkeys.",
    name: "Name",
    nameHint: "What you call the device or password manager, such as Work laptop",
    created: "Created",
    lastUsed: "Last used",
    never: "Never",
    synced: "Synced",
    locked: "Locked. Delete this passkey.",
    create: "Add a passkey",
    createConfirm: "Add the passkey",
    /** @type {(name: string) => string} */
    wasCreated: (name) => `The passkey ${name} was added.`,
    /** @type {(name: string) => string} */
    deleteLabel: (name) => `Delete the passkey ${name}`,
    /** @type {(name: string) => string} */
    deleteTitle: (name) => `Delete the passkey ${name}?`,
    deleteText: "You can no longer sign in with it. Also remove it from your device or password manager.",
    /** @type {(name: string) => string} */
    wasDeleted: (name) => `The passkey ${name} was deleted.`,
  },

  draft: {
    title: "Someone else made these changes while you were editing:",
    conflict: "Someone else has changed this in the meantime. Their changes are listed above and are now in the form. What you typed " +
      "is still there. Check the values and save again.",
    yours: "The form still has your value; saving replaces theirs.",
    empty: "(empty)",
    changedMeanwhile: "Someone else has changed this in the meantime. Look at the new values and try again.",
  },

  objectField: {
    hint: "Your own information, such as a customer number.",
    jsonHint: "A JSON object, at most 16 KB.",
    onlyJSON: "Values that are not text must be edited as JSON.",
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
    title: "Users",
    intro: "All accounts, in the order in which they were added.",
    caption: "Users",
    create: "Create user",
    import: "Import users",
    allRoles: "All roles",
    allStatuses: "All statuses",
    find: "Find by email address",
    search: "Search by name or email address",
    searchHint: "The search finds users by the beginning of their email address, of their name, or of the second or third word of it.",
    showAll: "Show all users",
    none: "No user matches these filters",
    /** @type {(email: string) => string} */
    notFound: (email) => `No user has the address ${email}`,
    notFoundText: "Check the spelling. The search finds only complete addresses.",
    roles,
    /** @type {Record<string, string>} */
    statuses: { pending: "Pending", active: "Active", inactive: "Inactive", suspended: "Suspended" },
    name: "Name",
    email: emailAddress,
    role: "Role",
    status: "Status",
    customer: "Customer",
    staff: "None: vendor's staff",
    created: "Created",
    updated: "Last changed",
    lastLogin: "Last sign-in",
    id: "User ID",
    never: "Never",
    createTitle: "Create user",
    /** @type {(name: string) => string} */
    wasCreated: (name) => `${name} was created.`,
    edit: "Details",
    saved: "Saved.",
    back: "All users",
    readOnly: "You cannot change this user, because this user's role has more permissions than yours.",
    suspend: "Suspend",
    reactivate: "Reactivate",
    /** @type {(name: string) => string} */
    suspendTitle: (name) => `Suspend ${name}?`,
    suspendText: "All API keys, tokens and passwords of the user stop working immediately, until you reactivate the user. All sessions " +
      "end and all passkeys are deleted permanently.",
    /** @type {(name: string) => string} */
    wasSuspended: (name) => `${name} was suspended.`,
    /** @type {(name: string) => string} */
    wasReactivated: (name) => `${name} was reactivated.`,
    invitation: {
      title: "Invitation",
      waiting: "The activation email has not been sent yet. The service keeps trying for a week.",
      /** @type {(time: string) => string} */
      sent: (time) => `The activation email was sent. Its link works until ${time}.`,
      expired: "The link in the activation email no longer works. Send another email.",
      resend: "Send another email",
      /** @type {(email: string) => string} */
      wasSent: (email) => `Another activation email to ${email} is on its way. The link in the previous email no longer works.`,
    },
    credentials: "Lost or stolen credentials",
    credentialsIntro: "Sign the user out everywhere to end all sessions and delete all passkeys. After a leak, end all credentials: API keys, " +
      "tokens and passwords stop working, too.",
    endAll: "End all credentials",
    /** @type {(name: string) => string} */
    endAllTitle: (name) => `End all credentials of ${name}?`,
    endAllText: `${cannotUndo} All sessions, passkeys, API keys, tokens and passwords of the user stop working immediately. The user can sign in ` +
      "again with an email.",
    /** @type {(name: string) => string} */
    allWereEnded: (name) => `All credentials of ${name} were ended.`,
    signOut: "Sign out everywhere",
    /** @type {(name: string) => string} */
    signOutTitle: (name) => `Sign ${name} out everywhere?`,
    signOutText: "All sessions end and all passkeys are deleted. The user can sign in again with an email and add new passkeys.",
    /** @type {(name: string) => string} */
    wasSignedOut: (name) => `${name} was signed out everywhere.`,
    delete: "Delete user",
    deleteIntro: "Deletes the user and all API keys, tokens and passwords of the user. To keep the account, suspend the user instead.",
    /** @type {(name: string) => string} */
    deleteTitle: (name) => `Delete ${name}?`,
    deleteText: `${cannotUndo} All API keys, tokens and passwords of the user stop working immediately.`,
    /** @type {(email: string) => string} */
    deleteType: (email) => `Type ${email} to confirm`,
    deleteMismatch: "must be the email address of the user",
    own: {
      /** The title and the button of the dialog. */
      confirmations: {
        suspend: ["Deactivate your own account?", "Deactivate"],
        move: ["Change your own customer?", "Change customer"],
        demote: ["Change your own role?", "Change role"],
      },
      /** @type {Record<string, string>} */
      helpers: { admin: "another admin", manager: "an admin or another manager" },
      /** @type {Record<"suspend" | "move" | "demote" | "signOut" | "endAll" | "delete", (helper: string) => string>} */
      warnings: {
        suspend: (helper) => "This is your own account. You are signed out at once, your passkeys are deleted permanently, and your " +
          `API keys, tokens and passwords stop working. Only ${helper} can reactivate the account.`,
        move: (helper) => "This is your own account. You are signed out at once and lose access to everything outside the customer, your passkeys " +
          `are deleted permanently, and your API keys, tokens and passwords end. Only ${helper} of the vendor can move you back.`,
        demote: (helper) => `This is your own account. You lose permissions at once, and only ${helper} can give them back.`,
        signOut: () => "This is your own account. You are signed out at once, also here.",
        endAll: () => "This is your own account. You are signed out at once, and your own programs lose access.",
        delete: () => "This is your own account. You are signed out at once.",
      },
    },
    /** @type {(name: string) => string} */
    wasDeleted: (name) => `${name} was deleted.`,
    danger: "Danger zone",
  },

  userKeys: {
    title: "API keys",
    caption: "API keys",
    intro: "Programs use API keys to act as this user.",
    none: "This user has no API key.",
    create: "Create API key",
    name: "Name",
    nameHint: "What the key is for, such as “build server”",
    expires: "Expires",
    never: "Never",
    /** @type {(days: number) => string} */
    days: (days) => (days === 365 ? "After one year" : `After ${days} days`),
    lastUsed: "Last used",
    key: "API key",
    created: "The API key is ready",
    once: "Copy the key now. You will not be able to see it again.",
    stored: "I have saved the key",
    /** @type {(name: string) => string} */
    deleteTitle: (name) => `Delete the API key ${name}?`,
    deleteText: `Programs that use the key can no longer call the API. ${cannotUndo}`,
    deleteMade: "Also end everything that was created with this key",
    deleteMadeHint: "Choose this if somebody else may have the key. Keys, tokens and passwords that were created with it stop working, also those of " +
      "other users.",
    /** @type {(name: string) => string} */
    deleteLabel: (name) => `Delete the API key ${name}`,
    /** @type {(name: string) => string} */
    wasDeleted: (name) => `The API key ${name} was deleted.`,
  },

  makers: {
    title: "Created by",
    service: "The service",
    you: "You",
    earlier: "with a credential created by",
  },

  userTokens: {
    title: "Tokens and passwords",
    intro: "People and machines use them to pull charts and images.",
    none: "This user has no token or password.",
  },

  userImport: {
    title: "Import users",
    intro: "Add many users from a file. You see what happens to each line before a user is created.",
    file: "CSV or JSON Lines file",
    drop: "Drop the file here, or choose it:",
    /** @type {(optional: string) => string} */
    formats: (optional) => "The file needs the columns email, name and role (admin, manager, user or viewer). These columns are optional: " +
      `${optional}. At most 10,000 lines and 1.5 MB.`,
    example: "Download an example",
    sendMail: "Send an activation email unless the line has sendActivationEmail=false",
    sendMailHint: "Emails are sent in batches within a few minutes. Users without an email are active immediately.",
    checking: "The server checks the file …",
    tooLarge: "The file is larger than 1.5 MB. Split it, or use the command portside import-users.",
    notUTF8: "The file is not UTF-8 text. Save it as “CSV UTF-8”.",
    notText: "Choose a CSV file (.csv) or a JSON Lines file (.jsonl). Spreadsheets can save a sheet as “CSV UTF-8”.",
    preview: "Preview",
    /** @type {(file: string) => string} */
    previewOf: (file) => `What an import of ${file} does`,
    /** @type {Record<string, string>} */
    counts: { ready: "will be created", created: "created", existing: "already exist", failed: "cannot be imported" },
    /** @type {Record<string, string>} */
    tabs: { failed: "Cannot be imported", existing: "Already exist", ready: "Will be created", created: "Created" },
    line: "Line",
    reason: "Reason",
    existingText: "These users are not changed.",
    /** @type {(count: string) => string} */
    start: (count) => `Import ${count} users`,
    startOne: "Import one user",
    nothing: "No line of the file can be imported.",
    other: "Choose another file",
    running: "Importing users",
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
    downloadName: "failed-users",
    toUsers: "Show all users",
  },

  userPicker: {
    title: "Choose a user",
    choose: "Choose",
    /** @type {(name: string) => string} */
    chooseLabel: (name) => `Choose ${name}`,
  },

  customerPicker: {
    title: "Choose a customer",
    customer: "Customer",
    hint: "A user of a customer sees and manages only this customer's users. Without a customer, the user is one of the vendor's staff. " +
      "If you change the customer of a user, all sessions, API keys, tokens and passwords of the user end.",
    change: "Choose a customer",
    removeLabel: "Remove the customer",
    all: "All",
    removeFilter: "Show those of all customers",
    choose: "Choose",
    /** @type {(name: string) => string} */
    chooseLabel: (name) => `Choose ${name}`,
  },

  customers: {
    title: "Customers",
    intro: "The companies that buy from you, in the order in which they were created.",
    caption: "Customers",
    create: "Create customer",
    allStatuses: "All statuses",
    none: "No customer has this status",
    /** @type {(count: string) => string} */
    total: (count) => (count === "1" ? "1 customer" : `${count} customers`),
    empty: "No customers yet",
    emptyText: "Create one to give users of a company access.",
    search: "Search by name, slug or external ID",
    searchHint: "The search finds customers by the beginning of their slug, of their external ID, of their name, or of the second or third " +
      "word of it.",
    /** @type {Record<string, string>} */
    statuses: { active: "Active", suspended: "Suspended" },
    name: "Name",
    slug: "Slug",
    status: "Status",
    externalId: "External ID",
    created: "Created",
    updated: "Last changed",
    id: "Customer ID",
    contactsHint: "The people of the customer to whom you write. They need not be users.",
    contactParts: { name: "Name", email: emailAddress, role: "Responsible for" },
    /** @type {(n: number, part: string) => string} */
    contactPart: (n, part) => `Contact ${n}: ${part}`,
    addContact: "Add a contact",
    /** @type {(n: number) => string} */
    removeContact: (n) => `Remove contact ${n}`,
    users: "Users",
    /** @type {(count: string, limit: string) => string} */
    usersOf: (count, limit) => (limit ? `${count} of at most ${limit}` : count),
    noUsers: "The customer has no users.",
    addUser: "Add a user",
    createTitle: "Create customer",
    edit: "Details",
    back: "All customers",
    /** @type {(name: string) => string} */
    wasCreated: (name) => `${name} was created.`,
    suspend: "Suspend",
    /** @type {(name: string) => string} */
    suspendTitle: (name) => `Suspend ${name}?`,
    suspendText: "All sessions, passkeys, API keys, tokens and passwords of its users stop working with the next request, and nobody of the " +
      "customer can sign in. They work again when you activate the customer.",
    /** @type {(name: string) => string} */
    wasSuspended: (name) => `${name} was suspended.`,
    activate: "Activate",
    /** @type {(name: string) => string} */
    activateTitle: (name) => `Activate ${name}?`,
    activateText: "The credentials of its active users work again, unless they have expired or were ended.",
    /** @type {(name: string) => string} */
    wasActivated: (name) => `${name} was activated.`,
    credentialsIntro: "After a theft or a leak, end all credentials of all users of the customer, and those of its pipelines and pods.",
    /** @type {(name: string) => string} */
    endAllTitle: (name) => `End all credentials of the users of ${name}?`,
    endAllText: `${cannotUndo} All sessions, passkeys, API keys, tokens and passwords of all users of the customer stop working with the next ` +
      "request, and so do the access tokens of its pipelines and pods. The users can sign in again with an email, and pipelines and pods " +
      "can exchange other tokens.",
    /** @type {(name: string) => string} */
    allWereEnded: (name) => `All credentials of the users of ${name} were ended.`,
    delete: "Delete customer",
    deleteIntro: "Deletes the customer permanently. Delete its users or move them to another customer first. To keep it, suspend it instead.",
    /** @type {(name: string) => string} */
    deleteTitle: (name) => `Delete ${name}?`,
    deleteText: cannotUndo,
    /** @type {(name: string) => string} */
    wasDeleted: (name) => `${name} was deleted.`,
  },

  entitlements: {
    title: "Entitlements",
    intro: "What the customer has bought. Its users can pull what at least one active entitlement allows, and nothing else.",
    none: "This customer cannot fetch anything yet.",
    noneText: "Add an entitlement for what it has bought.",
    artifact: "Artifact",
    /** @type {Record<string, string>} */
    artifacts: { chart: "Chart", image: "Image" },
    repository: "Repository",
    versions: "Versions",
    valid: "Valid",
    /** @type {(first: string, last: string) => string} */
    period: (first, last) => `${first} – ${last}`,
    /** @type {(first: string) => string} */
    since: (first) => `From ${first}`,
    /** @type {(last: string) => string} */
    to: (last) => `Until ${last}`,
    always: "Always",
    all: "All",
    status: "Status",
    /** @type {Record<string, string>} */
    statuses: { scheduled: "Scheduled", active: "Active", ended: "Ended" },
    actions: "Actions",
    add: "Add entitlement",
    /** @type {(name: string) => string} */
    wasAdded: (name) => `The entitlement ${name} was added.`,
    /** @type {(name: string) => string} */
    editLabel: (name) => `Edit the entitlement ${name}`,
    editTitle: "Edit entitlement",
    delete: "Delete entitlement",
    /** @type {(name: string) => string} */
    deleteLabel: (name) => `Delete the entitlement ${name}`,
    /** @type {(name: string) => string} */
    deleteTitle: (name) => `Delete the entitlement ${name}?`,
    deleteText: "From the next request on, users of the customer can no longer pull what no other entitlement allows. Their tokens and passwords " +
      `keep working for the rest. ${cannotUndo}`,
    /** @type {(name: string) => string} */
    wasDeleted: (name) => `The entitlement ${name} was deleted.`,
  },

  trustPolicies: {
    title: "Trust policies",
    intro: "Pipelines and pods need no stored secret. If their token of GitHub Actions, GitLab or Kubernetes meets a trust policy, they exchange it " +
      "for a short-lived access token, which also needs the entitlements of the customer.",
    none: "No pipeline or pod of this customer can exchange a token.",
    noneText: "Add a trust policy for its pipelines or pods.",
    platform: "Platform",
    platformHint: "Fills in the issuer and the claims of the usual conditions, and replaces what is there.",
    /** @type {Record<string, string>} */
    platforms: { github: "GitHub Actions", gitlab: "GitLab", kubernetes: "Kubernetes", other: "Another issuer" },
    name: "Name",
    issuer: "Issuer",
    audience: "Audience",
    conditionsHint: "Each claim must match one of the values of its condition, one per line; all conditions must hold. * stands " +
      "for one or more characters other than :, / and @; at the end of a path, as in refs/heads/*, also for / and @.",
    or: " or ",
    repository: "Repository on GitHub",
    repositoryHint: "Such as acme/app. It is not stored, and only links to the IDs for the conditions.",
    repositoryIds: "has the repository_id as id, and the repository_owner_id as id of owner. For a private repository, its owner finds both with: " +
      "gh api repos/OWNER/REPOSITORY --jq .id,.owner.id",
    conditionParts: { claim: "Claim", values: "Values" },
    /** @type {(n: number, part: string) => string} */
    conditionPart: (n, part) => `Condition ${n}: ${part}`,
    claimExample: "sub",
    addCondition: "Add a condition",
    /** @type {(n: number) => string} */
    removeCondition: (n) => `Remove condition ${n}`,
    hasKeys: "keys stored",
    tokens: "Accepted tokens",
    mayPull: "May pull",
    life: "Works for",
    /** @type {(count: number) => string} */
    minutes: (count) => (count === 1 ? "1 minute" : `${count} minutes`),
    /** @type {(name: string) => string} */
    idOf: (name) => `ID of ${name}`,
    actions: "Actions",
    add: "Add trust policy",
    /** @type {(name: string) => string} */
    wasAdded: (name) => `The trust policy ${name} was added.`,
    /** @type {(name: string) => string} */
    editLabel: (name) => `Edit the trust policy ${name}`,
    editTitle: "Edit trust policy",
    editHint: "Access tokens that were issued before keep working until they expire.",
    delete: "Delete trust policy",
    /** @type {(name: string) => string} */
    deleteLabel: (name) => `Delete the trust policy ${name}`,
    /** @type {(name: string) => string} */
    deleteTitle: (name) => `Delete the trust policy ${name}?`,
    /** @type {(minutes: string) => string} */
    deleteText: (minutes) => `It accepts no further tokens. Access tokens that were issued before keep working until they expire, for at most ${minutes}. ` +
      cannotUndo,
    /** @type {(name: string) => string} */
    wasDeleted: (name) => `The trust policy ${name} was deleted.`,
  },

  company: {
    title: "Company",
    intro: "What the vendor has stored about your company. Ask the vendor to change it.",
    details: "Details",
    name: "Name",
    status: "Status",
    users: "Users",
    requests: "Requests per minute",
    contacts: "Contacts",
    entitlements: "What you may pull",
    noEntitlements: "Your company cannot pull anything yet.",
    noEntitlementsText: "Ask the vendor.",
    trustPolicies: "Pipelines and pods",
    trustPoliciesHint: "A pipeline or pod with a token of its platform that meets a trust policy can exchange it for a short-lived access token. The " +
      "exchange names the ID of the policy.",
    noTrustPolicies: "No pipeline or pod of your company can exchange a token.",
    noTrustPoliciesText: "Tell the vendor the issuer and the subjects of your jobs.",
  },

  projects: {
    title: "Projects",
    intro: "All projects, in the order in which they were created.",
    caption: "Projects",
    create: "Create project",
    allStatuses: "All statuses",
    empty: "No projects yet",
    emptyText: "Create one to collect members and settings for a piece of work.",
    none: "No project matches these filters",
    showAll: "Show all projects",
    /** What users of a customer see in place of the name of somebody whom they cannot see. */
    otherUser: "Vendor's staff or a deleted user",
    search: "Search by name",
    searchHint: "The search finds projects by the beginning of their name, or of the second or third word of it.",
    statuses: /** @type {Record<string, string>} */ (projectStatuses),
    name: "Name",
    status: "Status",
    owner: "Owner",
    changeOwner: "Choose another owner",
    created: "Created",
    updated: "Last changed",
    id: "Project ID",
    noMembers: "The project has no members.",
    /** @type {(name: string) => string} */
    memberRoleOf: (name) => `Role of ${name}`,
    /** @type {Record<string, string>} */
    memberRoles: { owner: "Owner", editor: "Editor", viewer: "Viewer" },
    addMember: "Add a member",
    /** @type {(name: string) => string} */
    removeMember: (name) => `Remove ${name}`,
    deletedUser,
    createTitle: "Create project",
    edit: "Details",
    /** @type {(name: string) => string} */
    wasCreated: (name) => `${name} was created.`,
    archive: "Archive",
    /** @type {(name: string) => string} */
    archiveTitle: (name) => `Archive ${name}?`,
    archiveText: "The project stays in the list of archived projects. You can change its status again at any time.",
    /** @type {(name: string) => string} */
    wasArchived: (name) => `${name} was archived.`,
    delete: "Delete project",
    deleteIntro: "Deletes the project permanently. To keep it, archive it instead.",
    /** @type {(name: string) => string} */
    deleteTitle: (name) => `Delete ${name}?`,
    deleteText: cannotUndo,
    /** @type {(name: string) => string} */
    wasDeleted: (name) => `${name} was deleted.`,
    back: "All projects",
  },

  chart: {
    role: "graph",
    keys: "Left and right arrow: one day. Page up and page down: one week. Home and end: first and last day. Escape: hide the values.",
    unknown: "no value",
    /** @type {(title: string, first: string, last: string) => string} */
    label: (title, first, last) => `${title}, ${first} to ${last}`,
    /** @type {(title: string) => string} */
    tableOf: (title) => `Table: ${title}`,
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
    intro: "Users, requests, response times, storage, pulls and media in a period. All days are in UTC.",
    filters: "Period",
    period: "Period",
    periods: {
      today: "Today", yesterday: "Yesterday", this_week: "This week", last_week: "Last week", this_month: "This month", last_month: "Last month",
      this_quarter: "This quarter", last_quarter: "Last quarter", this_year: "This year", last_year: "Last year", custom: "Custom dates",
    },
    compare: "Compare with",
    /** The comparison with the calendar unit before, by period. */
    unitsBefore: /** @type {Record<string, string>} */ ({
      today: "The day before", yesterday: "The day before",
      this_week: "The same days of the week before", last_week: "The week before",
      this_month: "The same days of the month before", last_month: "The month before",
      this_quarter: "The same days of the quarter before", last_quarter: "The quarter before",
      this_year: "The same days of the year before", last_year: "The year before",
      custom: "The same days of the calendar unit before",
    }),
    comparisons: { previous: "Previous period", year_ago: "The same dates a year ago", none: "Nothing" },
    startDate: "First day",
    endDate: "Last day",
    apply: "Show",
    refresh: "Refresh",
    chooseDates: "Choose the first and the last day.",
    /** @type {(first: string, last: string) => string} */
    days: (first, last) => (first === last ? first : `${first} to ${last}`),
    /** @type {(days: string, count: number) => string} */
    countedDays: (days, count) => `${days} (${count === 1 ? "1 day" : `${count} days`})`,
    /** @type {(days: string) => string} */
    comparedWith: (days) => `, compared with ${days}`,
    partial: "Today is not over yet.",
    /** @type {(time: string) => string} */
    asOf: (time) => `As of ${time} UTC.`,
    current: "This period",
    before: "Previous period",
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
      /** @type {(title: string) => string} */
      chart: (title) => `${title}: no values in this period.`,
    },
    sections: {
      users: "Users and projects", requests: "API requests", latency: "Response times", distribution: "Storage and pulls", media: "Media",
    },
    figures: {
      "users.total": "Users",
      "users.active": "Active users",
      "users.growth": "Growth of users",
      "projects.total": "Projects",
      "projects.created": "Projects created",
      "projects.archived": "Projects archived",
      "usage.api.calls": "API requests",
      "performance.errors": "Errors (5xx)",
      "performance.uptime": "Uptime",
      "performance.responseTime.avg": "Average response time",
      "performance.responseTime.p95": "95% of responses within",
      "performance.responseTime.p99": "99% of responses within",
      "usage.storage.used": "Storage used",
      "usage.storage.total": "Storage quota",
      "usage.pulls.charts": "Chart pulls",
      "usage.pulls.images": "Image pulls",
      "usage.pulls.checks": "Update checks",
      "usage.media.calls": "Media requests",
      "usage.media.modelCalls": "Model calls",
      "usage.media.inputTokens": "Model input tokens",
      "usage.media.outputTokens": "Model output tokens",
      "usage.media.cost": "Model cost",
    },
    byRole: "Users by role",
    byStatus: "Projects by status",
    roles: { admin: "Admins", manager: "Managers", user: "Users", viewer: "Viewers" },
    statuses: projectStatuses,
    byTask: "Media requests by task",
    tasks: { summarize: "Summarize", extract: "Extract", compare: "Compare" },
    name: "Name",
    count: "Number",
    rankings: {
      artifact: "Pulls by artifact",
      person: "Pulls by user",
      pulls: "Pulls",
      artifactName: "Artifact",
      personName: "User",
      kinds: { chart: "chart", image: "image" },
      hidden: { chart: "Another chart", image: "Another image" },
      hasHidden: "You see the names of the charts and images that your tokens and passwords can pull.",
      deleted: deletedUser,
      empty: "There were no pulls in this period.",
      incomplete: "In so long a period, the end of this list may miss entries. The numbers shown are exact.",
      denied: "To see pulls by user, you need the permission tokens:read. Ask an admin for it.",
    },
  },

  untrusted: {
    hidden: "This text contains invisible characters, which are shown as \ufffd.",
  },

  lists: {
    find: "Find",
    first: "First page",
    nothingFound: "No results",
    /** @type {(count: string, hasMore: boolean) => string} */
    found: (count, hasMore) => {
      if (hasMore) return count === "1" ? "The first result" : `The first ${count} results`;
      return count === "1" ? "1 result" : `${count} results`;
    },
    showMore: "Show more",
    searchOn: "Nothing on this page matches. The search continues on the next page.",
    request: "You see only what your tokens and passwords can pull. Request credentials first.",
    loginHint: "Log in first, with one of your tokens and passwords.",
    toLogin: "Commands to log in",
  },

  charts: {
    title: "Charts",
    introAll: "All Helm charts in the chart repository. Charts that are stored as OCI artifacts are under Images.",
    introOwn: "The Helm charts that your tokens and passwords can pull. Charts that are stored as OCI artifacts are under Images.",
    caption: "Charts",
    find: "Part of the name",
    /** @type {(count: string) => string} */
    total: (count) => (count === "1" ? "1 chart" : `${count} charts`),
    none: "No charts yet",
    noneOwn: "You cannot pull any chart yet",
    publish: "Upload NAME-VERSION.tgz to the charts/ prefix of the bucket.",
    example: "This command publishes an example on your machine:",
    all: "All charts",
    /** @type {(name: string) => string} */
    allVersions: (name) => `All versions of ${name}`,
    name: "Name",
    version: "Version",
    versions: "Versions",
    versionsTitle: "Versions",
    appVersion: "Product version",
    description: "Description",
    updated: "Updated",
    published: "Published",
    size: "Size",
    digest: "Digest",
    digestLabel: "Digest of the archive",
    signature: "Signature",
    signed: "Signed",
    unsigned: "Not signed",
    deprecated: "Deprecated",
    isDeprecated: "The author has marked this version as deprecated.",
    install: "Install",
    /** @type {Record<string, string>} */
    commands: {
      repository: "Add the repository",
      pull: "Pull the chart",
      values: "Save the default values",
      install: "Install the chart",
    },
    keyring: "The version is signed. Get the vendor's public key through another channel, and store it in ~/.portside/keyring.gpg.",
    about: "About this version",
    kubeVersion: "Kubernetes",
    home: "Website",
    sources: "Sources",
    maintainers: "Maintainers",
    keywords: "Keywords",
    annotations: "Annotations",
    dependencies: "Dependencies",
    repository: "Repository",
    condition: "Enabled by",
    filesTitle: "Files",
    files: { readme: "README", values: "values.yaml", schema: "values.schema.json", provenance: "Provenance" },
    /** @type {(size: string) => string} */
    cut: (size) => `This is the beginning of a file of ${size}. Pull the chart to see all of it.`,
  },

  images: {
    title: "Images",
    introAll: "All repositories of the container registry: images, and charts that are stored as OCI artifacts.",
    introOwn: "The repositories of the container registry that your tokens and passwords can pull.",
    caption: "Repositories",
    find: "Part of the name",
    findTag: "Part of the tag",
    none: "No images yet",
    noneOwn: "You cannot pull any image yet",
    publish: "Push images to the upstream registry.",
    example: "This command pushes examples to the registry of your machine:",
    all: "All repositories",
    /** @type {(repository: string) => string} */
    allTags: (repository) => `All tags of ${repository}`,
    repository: "Repository",
    tags: "Tags",
    tag: "Tag",
    digest: "Digest",
    digestLabel: "Digest of the manifest",
    type: "Type",
    /** @type {Record<string, string>} */
    mediaTypes: {
      "application/vnd.oci.image.index.v1+json": "Multi-platform image",
      "application/vnd.docker.distribution.manifest.list.v2+json": "Multi-platform image",
      "application/vnd.oci.image.manifest.v1+json": "Image or artifact",
      "application/vnd.docker.distribution.manifest.v2+json": "Image",
    },
    contents: { image: "Image", index: "Multi-platform image", chart: "Helm chart", artifact: "Artifact" },
    pull: "Pull",
    about: "About this image",
    size: "Size",
    layers: "Layers",
    created: "Built",
    labels: "Labels",
    annotations: "Annotations",
    platform: "Platform",
    platforms: "Platforms",
    attached: "Signatures and SBOMs",
    nothingAttached: "No signature, SBOM or other artifact is attached to this digest.",
    attachedHint: "The portal lists what is attached and does not verify it. Verify signatures with the tool that made them.",
    purpose: "Purpose",
    purposes: { signature: "Signature", sbom: "SBOM", attestation: "Attestation", other: "Other" },
    format: "Format",
  },

  pulls: {
    title: "Pulls",
    introAll: "Who pulled which chart or image, newest first. A pull appears within a few minutes and stays for 400 days.",
    introOwn: "What your tokens and passwords pulled, newest first. A pull appears within a few minutes and stays for 400 days.",
    introChecks: "How often programs checked a tag for updates without pulling it, by the hour.",
    caption: "Pulls",
    recent: "Recent pulls of all versions",
    recentOwn: "Your pulls",
    all: "All pulls",
    none: "No pulls found",
    noChecks: "No update checks found",
    noneText: "Without dates, the list covers the last 30 days.",
    noneRecent: "There were no pulls in the last 30 days.",
    when: "Time",
    what: "Chart or image",
    byDigest: "(by digest)",
    digest: "Digest",
    who: "User",
    deleted: deletedUser,
    credential: "Token or password",
    from: "From",
    client: "Client",
    repository: "Chart or repository",
    kind: "Kind",
    allKinds: "Charts and images",
    kinds: { chart: "Charts", image: "Images" },
    type: "Show",
    types: { pull: "Pulls", check: "Update checks" },
    hour: "Hour from",
    checks: "Checks",
    fromDay: "From day (UTC)",
    toDay: "To day (UTC)",
  },

  audit: {
    title: "Audit",
    introAll: "Who changed what, newest first. The log keeps a change for 400 days.",
    introOwn: "Who changed what in your company, newest first. The log keeps a change for 400 days.",
    link: "Changes",
    download: "Download as CSV",
    cut: "The file is incomplete: it has only the newest changes. Its last line has the time up to which it goes. Choose that day as the last one to get the rest.",
    none: "No changes found",
    noneText: "Without dates, the list covers the last 30 days.",
    when: "Time",
    actor: "Changed by",
    action: "Action",
    what: "What was changed",
    changes: "Differences",
    address: "IP address",
    target: "Changed resource",
    targetHint: "Its kind and ID, such as user:01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11",
    customer: "Customer",
    everybody: "Everybody",
    allCustomers: "All customers and staff",
    choose: "Choose",
    /** @type {(label: string) => string} */
    chooseLabel: (label) => `Choose: ${label}`,
    /** @type {(label: string) => string} */
    removeLabel: (label) => `Remove: ${label}`,
    allActions: "All actions",
    /** @type {(kind: string) => string} */
    allOf: (kind) => `${kind}: all actions`,
    fromDay: "From day (UTC)",
    toDay: "To day (UTC)",
    /** @type {(count: number) => string} */
    fields: (count) => `${count} fields`,
    empty: "(empty)",
    vendor: "Vendor staff",
    actors: { workload: "Pipeline or pod", schedule: "The service", operator: "Operator", anonymous: "Unknown" },
    kinds: {
      user: "User", session: "Session", passkey: "Passkey", credential: "Credential", credential_request: "Credential request",
      project: "Project", customer: "Customer", entitlement: "Entitlement", trust_policy: "Trust policy", table: "Table",
    },
  },

  media: {
    title: "Media",
    intro: "Summarize documents and recordings, extract values from them, or compare two of them. Uploads, jobs and results are " +
      "deleted after 24 hours.",
    task: "What to do",
    tasks: {
      summarize: { title: "Summarize", hint: "The main points of each file" },
      extract: { title: "Extract values", hint: "Named values of each file, and where they were found" },
      compare: { title: "Compare", hint: "The same values in two files, or what has changed in the whole texts" },
    },
    submit: {
      /** @type {(files: number) => string} */
      summarize: (files) => (files > 1 ? `Summarize ${files} files` : "Summarize"),
      /** @type {(files: number) => string} */
      extract: (files) => (files > 1 ? `Extract from ${files} files` : "Extract"),
      compare: () => "Compare",
    },
    and: "and",
    results: "Results",
    unnamed: "Job",
    curl: "curl command",
    curlHint: "Replace $KEY with an API key, or set it as a variable. The command changes with the form. It looks for files in the current " +
      "folder.",
    json: "JSON response",
    values: "Values",
    noValues: "The result has no values.",
    notFound: "not found",
    candidates: "Possible values",
    relations: {
      equal: "Equal",
      different: "Different",
      onlyFirst: "Only in the first",
      onlySecond: "Only in the second",
      neither: "In neither",
      inDoubt: "In doubt",
    },
    /** @type {(days: number) => string} */
    days: (days) => `${Math.abs(days)} ${Math.abs(days) === 1 ? "day" : "days"} ${days < 0 ? "earlier" : "later"}`,
    formOnly: "only case, spacing or punctuation",
    changes: {
      title: "What has changed",
      none: "The texts of the files are the same.",
      /** @type {(count: number) => string} */
      count: (count) => (count === 1 ? "One clause differs." : `${count} clauses differ.`),
      kind: "Change",
      kinds: { added: "Added", removed: "Removed", changed: "Changed" },
      missing: "not in this file",
      /** @type {(n: number) => string} */
      name: (n) => `change ${n}`,
    },
    yes: "yes",
    no: "no",
    show: "Show",
    /** @type {(name: string, file: string) => string} */
    showPlace: (name, file) => (file ? `Show where ${name} was found in the ${file.toLowerCase()}` : `Show where ${name} was found`),
    columns: {
      name: "Name",
      value: "Value",
      confidence: "Confidence",
      quote: "Found in the file",
      comparison: "Comparison",
      /** @type {(file: number) => string} */
      file: (file) => (file === 1 ? "First file" : "Second file"),
    },
    place: {
      /** @type {(n: number) => string} */
      page: (n) => `page ${n}`,
      /** @type {(n: number) => string} */
      slide: (n) => `slide ${n}`,
      /** @type {(n: number) => string} */
      sheet: (n) => `sheet ${n}`,
      /** @type {(n: number) => string} */
      chapter: (n) => `chapter ${n}`,
      /** @type {(sheet: string, cell: string) => string} */
      cell: (sheet, cell) => `${sheet}, cell ${cell}`,
      /** @type {(heading: string) => string} */
      heading: (heading) => `under “${heading}”`,
      /** @type {(table: number, row: number) => string} */
      row: (table, row) => `table ${table}, row ${row}`,
    },
    evidence: {
      /** @type {(name: string) => string} */
      title: (name) => `Source of ${name}`,
      chooseAgain: "After a reload, the page no longer has the file. Choose it again to see where the value was found.",
      notLocated: "The quote cannot be highlighted in this view. It is:",
      text: "Text of the file",
      unmarked: "The picture is shown without a mark, because the service does not know where in the picture the words are.",
      /** @type {(name: string) => string} */
      picture: (name) => `Picture ${name}`,
      /** @type {(n: number, name: string) => string} */
      page: (n, name) => `Page ${n} of ${name}`,
    },
    files: {
      title: "Files",
      choose: "Drop files here, or choose them",
      chooseTwo: "Drop two files here, or choose them",
      /** @type {(hasSpeech: boolean) => string} */
      hint: (hasSpeech) => "PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, RTF, HTML, XML, Markdown, email, text, CSV, " +
        `JSON, pictures and recordings${hasSpeech ? "" : " with subtitles"}, up to 200 MiB (209 MB).`,
      /** @type {(count: number) => string} */
      added: (count) => (count === 1 ? "One file added." : `${count} files added.`),
      needOne: "Choose at least one file.",
      /** @type {(count: number) => string} */
      needTwo: (count) => `A comparison needs two files. ${count > 2 ? `Remove ${count - 2}.` : `Choose ${2 - count} more.`}`,
      /** @type {(n: number) => string} */
      position: (n) => (n === 1 ? "First" : n === 2 ? "Second" : "Too many"),
      up: "Move up",
      /** @type {(name: string) => string} */
      upNamed: (name) => `Move up: ${name}`,
      remove: "Remove",
      /** @type {(name: string) => string} */
      removeNamed: (name) => `Remove the file ${name}`,
    },
    variables: {
      title: "Variables",
      intro: "Name each value that you want. A description in your own words helps to find it.",
      introChanges: "Without a variable, the result lists what has changed in the whole texts.",
      add: "Add variable",
      /** @type {(n: number) => string} */
      row: (n) => `Variable ${n}`,
      name: "Name",
      type: "Type",
      types: { string: "Text", number: "Number", date: "Date", boolean: "Yes or no" },
      description: "Description",
      repeated: "Another variable has this name. Only the last one is used.",
      remove: "Remove",
      /** @type {(name: string) => string} */
      removeNamed: (name) => `Remove ${name}`,
      /** @type {(name: string) => string} */
      removed: (name) => `Variable ${name} removed.`,
      needOne: "Add at least one variable with a name.",
    },
    importing: {
      title: "Import",
      /** @type {(count: number) => string} */
      done: (count) => (count === 1 ? "Imported with one variable." : `Imported with ${count} variables.`),
      notJSON: "The file is not JSON. Import the JSON of the field model.",
      notObject: "The JSON must be an object, like the field model.",
      notVariables: "variables must be an object whose values have a type and a description.",
      notConfidence: "minConfidence must be a number above 0 and up to 1.",
      notKeywords: "metadata must be a list of words or phrases.",
      /** @type {(key: string) => string} */
      unknownKey: (key) => `The field model has no key ${key}.`,
      /** @type {(key: string) => string} */
      notText: (key) => `${key} must be text.`,
      /** @type {(key: string, values: string[]) => string} */
      notOneOf: (key, values) => `${key} must be one of ${values.join(", ")}.`,
    },
    exporting: "Export",
    options: {
      title: "Options",
      format: "Format",
      formats: { paragraph: "Paragraph", bullet: "Bullet points" },
      length: "Length",
      lengths: { short: "Short", medium: "Medium", long: "Long" },
      language: "Language of the result",
      anyLanguage: "Language of the document",
      confidence: "Least confidence of a value",
      anyConfidence: "Chosen by the service",
      hint: "Focus on",
      hintHint: "A topic in a few words, such as shipping costs.",
      prompt: "Focus on",
      promptHint: "What matters in the comparison, in a few words.",
      recordings: "Options for recordings",
      keywords: "Keywords",
      keywordsHint: "Names and terms that are spoken, one on each line.",
      job: "Run in the background",
      jobHint: "The result stays available at this page's address for 24 hours, even if you close the page. Long requests run in the " +
        "background automatically.",
    },
    states: /** @type {Record<string, string>} */ ({
      waiting: "Waiting for the previous file",
      uploading: "Uploading",
      sending: "Sending the file and waiting for the result",
      queued: "Queued",
      running: "Working",
    }),
    jobKept: "The job continues if you close this page. You can return to it with this page's address for 24 hours.",
    stop: "Stop waiting",
    /** @type {(name: string) => string} */
    stopNamed: (name) => `Stop waiting for ${name}`,
    stopped: "Stopped before there was a result.",
    stoppedJob: "The job continues on the server. Wait again to get its result.",
    waitAgain: "Wait again",
    repeat: "Send again",
    remove: "Remove",
    /** @type {(name: string) => string} */
    removeNamed: (name) => `Remove the result of ${name}`,
    /** @type {(name: string) => string} */
    done: (name) => `The result for ${name} is ready.`,
    /** @type {(id: string) => string} */
    jobReference: (id) => `When you ask for help, include the job ID ${id}.`,
    uploadTooLarge: "The file is larger than 200 MiB (209 MB), the limit for an upload. Split it, or send a smaller version.",
    uploadFailed: "The upload was interrupted. Check your connection and send the file again.",
    /** @type {(code: string) => string} */
    uploadRefused: (code) => `The storage did not accept the upload (${code}). Send the file again.`,
  },
};
