/** Downloads files. */

/** Downloads a file under a name. */
export const saveBlob = (name: string, content: Blob): void => {
  const url = URL.createObjectURL(content);
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
};
