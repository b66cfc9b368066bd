/** git's text, fit to be shown. */
/** Removes user info of URLs and control characters from git's text. */
export function redactGitText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what this removes
  return text.replace(/\/\/[^/\s]*@/g, '//***@').replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '');
}
