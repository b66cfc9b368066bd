/** The client that all examples use. */
import { createClient } from '@omnigent/client';
import type { Client } from '@omnigent/client';

/** Connects to the server that the environment names. */
export function connect(environment: NodeJS.ProcessEnv): Client {
  const { OMNIGENT_SERVER: url, OMNIGENT_TOKEN: token } = environment;
  if (url === undefined || token === undefined) throw new Error('set OMNIGENT_SERVER and OMNIGENT_TOKEN');
  return createClient({ url, token });
}
