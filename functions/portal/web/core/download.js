// Downloads of texts that the portal makes in the browser.

/**
 * Saves a text as a file.
 * @param {string} name
 * @param {string} text
 * @param {string} [type] the media type
 */
export function downloadText(name, text, type = "text/plain") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser reads it after the click
}
