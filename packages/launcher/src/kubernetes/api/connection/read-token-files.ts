/**
 * `tokenFile` of a kubeconfig's users. The official client knows only `token-file`, which no other tool writes, and reads
 * that once; token files rotate, so they are handed to its authenticator that reads them every minute.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { z } from 'zod';

const usersSchema = z.object({
  users: z
    .array(
      z.object({
        name: z.string(),
        user: z.object({ tokenFile: z.string().optional() }).nullish(),
      }),
    )
    .nullish(),
});

/** Absolute token files by the name of their user. */
function readTokenFiles(file: string): Map<string, string> {
  const parsed = usersSchema.safeParse(parse(readFileSync(file, 'utf8')));
  const users = parsed.data?.users ?? [];
  return new Map(
    users.flatMap(({ name, user }) =>
      user?.tokenFile ? [[name, path.resolve(path.dirname(file), user.tokenFile)] as const] : [],
    ),
  );
}

/** Makes users with a token file authenticate by it. */
export function applyTokenFiles(config: KubeConfig, file: string): void {
  const tokenFiles = readTokenFiles(file);
  config.users = config.users.map((user) => {
    const tokenFile = tokenFiles.get(user.name);
    return tokenFile === undefined
      ? user
      : { name: user.name, authProvider: { name: 'tokenFile', config: { tokenFile } } };
  });
}
