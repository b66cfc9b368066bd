/** What a registry's or runtime's message about an image pull means. Pure; the texts are containerd's, CRI-O's and registries' own. */

export type PullFault =
  /** The registry is busy or the network hiccups; the kubelet tries again. */
  | 'transient'
  | 'not_found'
  | 'unauthorized'
  /** The registry's name or address leads nowhere, or its certificate does not verify. */
  | 'unreachable'
  | 'name_invalid'
  /** Nothing that is known. */
  | 'unknown';

const RULES: readonly (readonly [RegExp, PullFault])[] = [
  [/invalid reference format|couldn't parse image|InvalidImageName/i, 'name_invalid'],
  [
    /QPS exceeded|too ?many ?requests|\b429\b|rate limit|time-?out|timed out|deadline exceeded|\bEOF\b|connection reset|context canceled|\b50[0-4]\b|internal server error|bad gateway|service unavailable|temporar(y|ily)|server misbehaving|try again|broken pipe|network is unreachable/i,
    'transient',
  ],
  [
    /no such host|connection refused|no route to host|x509|certificate|HTTP response to HTTPS client/i,
    'unreachable',
  ],
  [
    /unauthorized|denied|forbidden|authentication required|insufficient_scope|no basic auth credentials|failed to authorize|\b40[13]\b|may require/i,
    'unauthorized',
  ],
  [
    /not found|manifest[ _]unknown|name[ _]unknown|does not exist|no match for platform|no matching manifest|no such image|\b404\b/i,
    'not_found',
  ],
];

/** The text without image names, addresses and numbers of other kinds, which may contain any word. */
function stripNames(message: string, image: string | undefined): string {
  const withoutQuotes = message.replace(/"[^"]*"/g, ' ').replace(/\b(lookup|tcp|udp) \S+( on \S+)?/g, ' ');
  const withoutUrls = withoutQuotes.replace(/\bhttps?:\/\/\S+/gi, ' ');
  const withoutDigests = withoutUrls.replace(/\bsha256:[0-9a-f]+/gi, ' ');
  return image === undefined || image === '' ? withoutDigests : withoutDigests.replaceAll(image, ' ');
}

/**
 * What kind of fault a pull met.
 *
 * @param image as the Pod names it; words inside of it mean nothing.
 */
export function classifyPull(message: string, image?: string): PullFault {
  const named = RULES[0];
  if (named?.[0].test(message) === true) return 'name_invalid';
  const text = stripNames(message, image)
    // containerd repeats the reference with its registry: `docker.io/library/x:1: not found`.
    .replace(/\S*\/\S*:/g, ' ');
  return RULES.find(([pattern]) => pattern.test(text))?.[1] ?? 'unknown';
}

/** Whether the text says more than that the kubelet waits before it tries again. */
export function isExplained(message: string): boolean {
  return !/^(Back-off pulling image "[^"]*"\.?|)$/.test(message.trim());
}
