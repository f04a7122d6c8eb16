// The files that the page offers: those that the service reads. ../../../media_test.go compares them with its readers.

/**
 * Ends of file names, and media types, by the service's name of the format. The service finds the format in the content, so a file
 * with another name can be dropped.
 * @type {Record<string, string>}
 */
const types = {
  text: "text/*,.txt,.log,.srt,.vtt",
  markdown: ".md,.markdown",
  html: ".html,.htm,.xhtml",
  csv: ".csv,.tsv",
  json: ".json,.jsonl,.ndjson",
  xml: ".xml",
  rtf: ".rtf",
  eml: ".eml,.msg,.mbox",
  pdf: ".pdf",
  docx: ".docx,.docm,.dotx,.dotm",
  pptx: ".pptx,.pptm,.potx,.potm,.ppsx,.ppsm",
  xlsx: ".xlsx,.xlsm,.xltx,.xltm",
  odt: ".odt,.ott",
  ods: ".ods,.ots",
  odp: ".odp,.otp",
  epub: ".epub",
  image: ".png,.apng,.jpg,.jpeg,.gif,.webp",
  audio: ".mp3,.wav,.flac,.ogg,.oga,.opus,.m4a,.aac,.amr",
  video: ".mp4,.m4v,.mov,.webm,.mkv,.avi,.ogv,.3gp,.3g2",
};

/** Whether the service reads recordings without subtitles. */
export const hasSpeech = /** @type {HTMLMetaElement} */ (document.querySelector("meta[name=has-speech]")).content === "true";

/** As in <input type="file">. */
export const accept = Object.values(types).join(",");
