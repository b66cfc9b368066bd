/** Names as Kubernetes takes them. A trailing newline makes a name invalid: `$` alone would let it pass. */
import * as z from 'zod';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function matches(pattern: RegExp, maxLength: number): (text: string) => boolean {
  return (text) => text.length <= maxLength && !text.endsWith('\n') && pattern.test(text);
}

/** RFC 1123 label: at most 63 of a-z 0-9 -. */
export const labelNameSchema = z
  .string()
  .refine(
    matches(LABEL, 63),
    'expected an RFC 1123 label: 1 to 63 of a-z 0-9 -, starting and ending with a letter or digit',
  );

/** RFC 1123 subdomain: at most 253 of a-z 0-9 - and dots. */
export const subdomainSchema = z
  .string()
  .refine(matches(SUBDOMAIN, 253), 'expected an RFC 1123 subdomain: 1 to 253 of a-z 0-9 - and dots');

const QUALIFIED_NAME = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)$/;

/** Key of a label or annotation: an optional DNS prefix and a name of at most 63 characters. */
export const labelKeySchema = z.string().refine((key) => {
  const [name = '', prefix, ...rest] = key.split('/').reverse();
  const isNamed = QUALIFIED_NAME.test(name) && !name.endsWith('\n');
  return isNamed && rest.length === 0 && (prefix === undefined || matches(SUBDOMAIN, 253)(prefix));
}, 'expected a label key such as example.com/name');

/** Value of a label. */
export const labelValueSchema = z
  .string()
  .refine(
    (value) => value === '' || (QUALIFIED_NAME.test(value) && !value.endsWith('\n')),
    'expected a label value: at most 63 of A-Z a-z 0-9 - _ . that starts and ends with a letter or digit',
  );
