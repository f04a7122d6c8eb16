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

  passkeys: {
    unsupported: "This browser has no passkeys. Use another browser or device, or sign in by mail.",
    canceled: "The passkey was not used. Try again, or sign in by mail.",
    registered: "This device has a passkey for your account already.",
    wrongSite: "Passkeys do not work at this address of the portal. Open it by its host name.",
  },

  /** Why a sign-in with the identity provider failed, by the parameter `problem` of the sign-in page. */
  signInProblems: {
    "openid-expired": "The sign-in took longer than 10 minutes, was finished before, or began in another browser. Start again.",
    "openid-canceled": "You canceled the sign-in at the identity provider.",
    "openid-failed": "The identity provider's response is not valid. Start again.",
    "openid-too-old": "You signed in at the identity provider more than 15 minutes ago. Sign out there, and start again.",
    "openid-unverified": "The identity provider does not confirm that the e-mail address is yours. Sign in by mail instead.",
    "openid-unknown-user": "No active user has your e-mail address. Ask an administrator for an account.",
    "openid-unavailable": "The identity provider does not answer. Try again later, or sign in by mail.",
    "too-many-requests": "There were too many attempts to sign in from your network address. Wait for up to 10 minutes.",
    unknown: "The sign-in failed. Start again, or sign in by mail.",
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
    /** @type {(name: string) => string} */
    welcome: (name) => `Welcome, ${name}`,
    start: "Get access to charts and images",
    startText: "You have no working token or password yet. Request one; a person at the vendor decides within one business day. " +
      "Then a mail shows you how to collect it.",
    startPending: "Your request is being decided. You get a mail with the result.",
    startCollect: "Your request was approved. Open the link in the mail to collect your password.",
    mayPull: "What you may pull",
    commandsFor: "Log in with",
    placeholders: "Replace the words in capital letters. The commands read the token or password from a file, which the first " +
      "command below creates.",
    credentials: "Your tokens and passwords",
    expiring: "Expiring soon",
    allCredentials: "All tokens and passwords",
    requests: "Your requests",
    allRequests: "All requests",
    noRequests: "You have made no requests.",
  },

  secret: {
    username: "User name",
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
    states: { active: "Active", expired: "Expired", revoked: "Revoked", inactive: "Suspended" },
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
    created: "Created",
    expires: "Expires",
    state: "State",
    actions: "Actions",
    /** @type {(name: string) => string} */
    renewLabel: (name) => `Renew ${name}`,
    /** @type {(name: string) => string} */
    revokeLabel: (name) => `Revoke ${name}`,
    renew: "Renew",
    revoke: "Revoke",
  },

  access: {
    title: "Access Management",
    intro: "Tokens and passwords let people and machines pull charts and images. Use one for each person or machine, so that you can revoke " +
      "it alone.",
    newToken: "Create Token",
    newRequest: "Request New Credentials",
    list: "Tokens and passwords",
    show: "Show",
    showWorking: "Working",
    showAll: "All",
    none: "No token or password",
    noneWorking: "No working token or password",
    noneText: "Request credentials to pull charts and images. A person at the vendor decides within one business day.",
    newest: "The list has the newest 500 tokens and passwords. Revoked and expired ones leave it after 90 days.",
    createTitle: "Create a token",
    createText: "Tokens are for machines. The token is shown only once.",
    nameHint: "Where it is used, such as: production cluster.",
    what: "What the token may pull",
    charts: "Charts",
    images: "Images",
    chartNames: "Only these charts",
    imageNames: "Only these images",
    namesHint: "Names with spaces between them; * stands for any text. Leave it empty for all.",
    days: "Days until it expires",
    daysHint: "1 to 365.",
    create: "Create token",
    createdTitle: "Save your new token",
    createdText: "This is the only time that the token is shown.",
    saved: "I have saved it",
    token: "Token",
    uncertain: "If the list shows the new token although its secret was not shown here, revoke it and create another one.",
    /** @type {(name: string) => string} */
    renewTitle: (name) => `Renew ${name}`,
    renewText: "This creates a new token with the same name and scopes.",
    /** @type {(date: string) => string} */
    overlap: (date) => `The old token works until ${date}. Switch your machines to the new one before then. To end it earlier, revoke it.`,
    renewNoExpiry: "The old token works until you revoke it.",
    renewPasswordText: "A person decides about new passwords, so you renew a password with a new request.",
    /** @type {(date: string) => string} */
    passwordOverlap: (date) => `The old password works until ${date}.`,
    renewPassword: "Continue to the request",
    renewToken: "Create the new token",
    /** @type {(name: string) => string} */
    revokeTitle: (name) => `Revoke ${name}?`,
    revokeText: "It stops working with the next request, and nobody can undo this. Programs that use it can no longer pull.",
    /** @type {(when: string) => string} */
    revokeUsed: (when) => `It was last used ${when}.`,
    revokeUnused: "It was never used.",
    revokeConfirm: "Revoke it",
    /** @type {(name: string) => string} */
    revoked: (name) => `${name} is revoked.`,
  },

  requests: {
    title: "Requests for credentials",
    newTitle: "Request New Credentials",
    newText: "A person at the vendor decides within one business day. After the approval, a mailed link shows your user name and password once.",
    level: "Access level",
    levels: { charts: "Charts", images: "Images", full: "Charts and images" },
    justification: "Justification",
    justificationHint: "For the person who decides: what you need the access for. At most 2,000 characters.",
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
    noneText: "Your requests for credentials, and what became of them, appear here.",
    pageTitle: "Request for credentials",
    requester: "Requester",
    decidedBy: "Decided by",
    decided: "Decided",
    reason: "Reason",
    collectBy: "Link works until",
    credential: "Password",
    history: "History",
    you: "you",
    system: "the system",
    somebody: "the vendor",
    unknownUser: "A deleted user",
    /** @type {Record<string, string>} */
    actions: {
      requested: "Requested", approved: "Approved", denied: "Denied", mailed: "Mail sent to the requester", collected: "Password collected",
      withdrawn: "Password revoked, because it did not reach the requester", expired: "The link expired before it was used",
    },
    /** @type {(who: string) => string} */
    by: (who) => `by ${who}`,
    /** @type {Record<string, string>} */
    next: {
      pending: "A person at the vendor decides. You get a mail with the result.",
      approved: "A mail to the requester contains the link to collect the password. The link works once.",
      denied: "The requester got a mail with the reason.",
      collected: "The requester has collected the password.",
      expired: "Nobody used the link in time. Make a new request.",
    },
    back: "All requests",
    newestPage: "Newest",
    oldestPage: "Oldest",
    nextPage: "Next",
  },

  approvals: {
    title: "Approvals",
    intro: "Requests for credentials. A decision is due within one business day. Nobody can decide on their own request.",
    filter: "Show",
    filters: { pending: "Pending", approved: "Approved", collected: "Collected", denied: "Denied", expired: "Expired", all: "All" },
    queue: "Requests for credentials",
    access: "Access",
    overdue: "Overdue",
    /** @type {(when: string) => string} */
    dueSince: (when) => `due ${when}`,
    none: "No requests to decide",
    noneText: "New requests appear here, the most urgent one first. You also get a mail for each of them.",
    noneDecided: "No such requests",
    approve: "Approve",
    deny: "Deny",
    /** @type {(who: string) => string} */
    approveLabel: (who) => `Approve the request of ${who}`,
    /** @type {(who: string) => string} */
    denyLabel: (who) => `Deny the request of ${who}`,
    own: "Your own request. Somebody else must decide.",
    approveTitle: "Approve this request?",
    denyTitle: "Deny this request?",
    approveText: "The requester gets a mail with a link to collect the user name and password.",
    denyText: "The requester gets a mail with the reason.",
    reason: "Reason",
    reasonHint: "The mail to the requester contains it. At most 1,000 characters.",
    approveConfirm: "Approve request",
    denyConfirm: "Deny request",
    /** @type {(who: string) => string} */
    approved: (who) => `The request of ${who} is approved.`,
    /** @type {(who: string) => string} */
    denied: (who) => `The request of ${who} is denied.`,
    /** @type {(who: string, state: string, by: string, when: string) => string} */
    meanwhile: (who, state, by, when) => `The request of ${who} was already decided: ${state} by ${by}, ${when}. Your decision was not used.`,
    somebodyElse: "somebody else",
  },

  mailedLink: {
    failedTitle: "This did not work",
    missingTitle: "Open the link from your mail",
    toPortal: "Open the portal",
    signIn: "Sign in to the portal",
  },

  collect: {
    title: "Collect your password",
    text: "This page shows a user name and a password, only once. Have a safe place ready to store them, such as a password manager.",
    show: "Show the password",
    doneTitle: "Your password",
    password: "Password",
    /** @type {(date: string) => string} */
    until: (date) => `The password works only with this user name, until ${date}.`,
    save: "Save both now. The password is not shown again.",
    missing: "The address of this page has no token. Open the link in your mail, or copy the complete link into the address bar, " +
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
    save: "Save it now. It is not shown again.",
    key: "API key",
    example: "Try it",
    exampleLabel: "Example command",
    permissions: "The key has the permissions of your role.",
    docs: "See everything the API can do",
    signInText: "To use the portal, you need no API key: sign in with a link that we mail you.",
    missing: "The address of this page has no activation token. Open the link in your activation mail, or copy the complete link " +
      "into the address bar, including everything after the #.",
    missingUsed: "If you have already used the link, your account is active, and you can sign in. If you no longer have the API key, " +
      "create a new one.",
  },
};
