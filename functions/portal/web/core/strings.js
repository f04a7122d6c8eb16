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

  media: {
    title: "Media",
    intro: "Summarize documents and recordings, extract values from them, or compare two of them. Uploads, jobs and answers are deleted after 24 hours.",
    task: "What to do",
    tasks: {
      summarize: { title: "Summarize", hint: "The main points of each file" },
      extract: { title: "Extract values", hint: "Named values of each file, with their places" },
      compare: { title: "Compare", hint: "The same values in two files, and how they differ" },
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
    curl: "The same call as curl",
    curlHint: "Replace $KEY by an API key, or set it as a variable. The command follows the form. A file name stands for a file in the current folder.",
    json: "The response as JSON",
    values: "Values",
    noValues: "The answer has no values.",
    notFound: "not found",
    yes: "yes",
    no: "no",
    show: "Show",
    /** @type {(name: string, file: string) => string} */
    showPlace: (name, file) => (file ? `Show the place of ${name} in the ${file.toLowerCase()}` : `Show the place of ${name}`),
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
    },
    evidence: {
      /** @type {(name: string) => string} */
      title: (name) => `Place of ${name}`,
      chooseAgain: "After a reload, the page no longer has the file. Choose it again to see the place.",
      notLocated: "The place cannot be marked in this view. The quote is:",
      text: "Text of the file",
      /** @type {(name: string) => string} */
      picture: (name) => `Picture ${name}`,
      /** @type {(n: number, name: string) => string} */
      page: (n, name) => `Page ${n} of ${name}`,
    },
    files: {
      title: "Files",
      choose: "Drop files here, or choose them",
      chooseTwo: "Drop two files here, or choose them",
      hint: "PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, HTML, mail, text, CSV, JSON, pictures and recordings, up to 200 MB.",
      /** @type {(count: number) => string} */
      added: (count) => (count === 1 ? "One file added." : `${count} files added.`),
      needOne: "Choose at least one file.",
      /** @type {(count: number) => string} */
      needTwo: (count) => (count > 2 ? `A comparison takes two files. Remove ${count - 2}.` : `A comparison takes two files. Choose ${2 - count} more.`),
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
      add: "Add a variable",
      /** @type {(n: number) => string} */
      row: (n) => `Variable ${n}`,
      name: "Name",
      type: "Type",
      types: { string: "Text", number: "Number", date: "Date", boolean: "Yes or no" },
      description: "Description",
      repeated: "An earlier variable has this name. The last one counts.",
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
      notKeywords: "metadata must be a list of texts.",
      /** @type {(key: string) => string} */
      unknownKey: (key) => `The field model has no key ${key}.`,
      /** @type {(key: string) => string} */
      notText: (key) => `${key} must be a text.`,
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
      language: "Language of the answer",
      anyLanguage: "Language of the document",
      hint: "Focus on",
      hintHint: "A topic in a few words, such as shipping costs.",
      prompt: "Focus on",
      promptHint: "What matters in the comparison, in a few words.",
      recordings: "Options for recordings",
      keywords: "Keywords",
      keywordsHint: "Names and terms that are spoken, one on each line.",
      job: "Work in the background",
      jobHint: "The answer stays available at this page's address for 24 hours, even if you close the page. Long work does this by itself.",
    },
    states: /** @type {Record<string, string>} */ ({
      waiting: "Waiting for the file before it",
      uploading: "Uploading",
      sending: "Sending the file and waiting for the answer",
      queued: "Waiting for its turn",
      running: "Working",
    }),
    jobKept: "The job continues if you close this page. The address of the page leads back to it for 24 hours.",
    stop: "Stop waiting",
    /** @type {(name: string) => string} */
    stopNamed: (name) => `Stop waiting for ${name}`,
    stopped: "Stopped before there was an answer.",
    stoppedJob: "The job continues on the server. Wait again to get its answer.",
    waitAgain: "Wait again",
    repeat: "Send again",
    remove: "Remove",
    /** @type {(name: string) => string} */
    removeNamed: (name) => `Remove the result of ${name}`,
    /** @type {(name: string) => string} */
    done: (name) => `The answer for ${name} is here.`,
    /** @type {(id: string) => string} */
    jobReference: (id) => `When you ask for help, include the job ID ${id}.`,
    uploadTooLarge: "The file has more than 200 MB, which is the limit for an upload. Split it, or send a smaller version.",
    uploadFailed: "The upload was interrupted. Check your connection and send the file again.",
    /** @type {(code: string) => string} */
    uploadRefused: (code) => `The storage did not accept the upload (${code}). Send the file again.`,
  },
};
