/** Text that goes through a shell or through Kubernetes' own expansion arrives as it was. */

/** Quotes a word for a POSIX shell. */
export function quoteShell(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Kubernetes expands `$(NAME)` in commands, arguments and environment values, and turns `$$` into `$`. */
export function escapeExpansion(text: string): string {
  return text.replaceAll('$', '$$$$');
}
