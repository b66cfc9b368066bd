/** Records of the POSIX.1-2001 pax format: `LENGTH NAME=VALUE\n`, where the length counts itself. Pure. */
import { SandboxError } from '../errors.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const SPACE = 32;
const NEWLINE = 10;

export function encodePaxRecords(records: Readonly<Record<string, string>>): Uint8Array {
  return encoder.encode(
    Object.entries(records)
      .map(([name, value]) => encodeRecord(`${name}=${value}`))
      .join(''),
  );
}

function encodeRecord(text: string): string {
  const rest = encoder.encode(text).length + 2;
  let length = rest;
  while (String(length).length + rest !== length) length = String(length).length + rest;
  return `${length} ${text}\n`;
}

/** @throws SandboxError `archive_invalid`. */
export function decodePaxRecords(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  for (let start = 0; start < bytes.length; ) {
    const space = bytes.indexOf(SPACE, start);
    const digits = decoder.decode(bytes.subarray(start, Math.max(start, space)));
    const end = start + Number(digits);
    const record = decoder.decode(bytes.subarray(space + 1, end - 1));
    const equals = record.indexOf('=');
    if (!/^\d{1,9}$/.test(digits) || end > bytes.length || bytes[end - 1] !== NEWLINE || equals < 1)
      throw new SandboxError('archive_invalid', 'expected records such as "20 path=name", found others');
    records.set(record.slice(0, equals), record.slice(equals + 1));
    start = end;
  }
  return records;
}
