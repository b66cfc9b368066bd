/** What the keys of the configuration file mean; names, and for Kubernetes everything, come from the code. */

/** One key of the configuration file. */
export interface SettingMeaning {
  /** Another way to say it: flag or environment variable. */
  readonly alias: string;
  readonly fallback: string;
  readonly meaning: string;
}

/** Section `server`. */
export const SERVER_SETTINGS: Readonly<Record<string, SettingMeaning>> = {
  listen: {
    alias: '`--listen`',
    fallback: '`127.0.0.1:0`',
    meaning: 'ADDRESS:PORT to listen on; port 0 is any free one. Anything but loopback needs `token_file`.',
  },
  url: {
    alias: '`--url`, `OMNIGENT_SERVER_URL`',
    fallback: 'where it listens',
    meaning: 'URL that sandboxes dial, as they see it.',
  },
  token_file: {
    alias: '`--token-file`',
    fallback: '`token` in the state directory, on loopback',
    meaning: 'File with the bearer token of the API.',
  },
  database_url: {
    alias: '`--database-url`, `OMNIGENT_DATABASE_URL`',
    fallback: 'SQLite in the state directory',
    meaning: '`sqlite:PATH` or `postgres://…`.',
  },
  preview_domain: {
    alias: '`--preview-domain`, `OMNIGENT_PREVIEW_DOMAIN`',
    fallback: '`localhost`, on loopback',
    meaning:
      '`[http://]DOMAIN[:PORT]`: previews are names below it, `PORT--SANDBOX.DOMAIN`; https unless it says http. See [previews](../guides/previews.md).',
  },
  instance: {
    alias: '',
    fallback: 'made once for each state directory',
    meaning: 'Id of this installation; the label `omnigent.ai/instance` of all that it creates.',
  },
};

/** Section `sandbox`. */
export const SANDBOX_SETTINGS: Readonly<Record<string, SettingMeaning>> = {
  provider: {
    alias: '',
    fallback: '`local`',
    meaning: '`local` or `kubernetes`, where a launch names none.',
  },
  lifetime_seconds: {
    alias: '',
    fallback: '86400',
    meaning: 'A sandbox is terminated this long after its launch, where the launch says nothing else.',
  },
  idle_timeout_seconds: {
    alias: '',
    fallback: 'never',
    meaning: 'A sandbox is terminated when no process ran and no call came for this long.',
  },
  online_timeout_seconds: {
    alias: '',
    fallback: '120',
    meaning: 'How long a host that runs may take to connect.',
  },
  kubernetes: { alias: '', fallback: '', meaning: 'See below.' },
  local: { alias: '', fallback: '', meaning: 'See below.' },
};

/** Section `sandbox.local`. */
export const LOCAL_SETTINGS: Readonly<Record<string, SettingMeaning>> = {
  isolation: {
    alias: '',
    fallback: '`auto`',
    meaning:
      '`bubblewrap`, `none`, or `auto`: bubblewrap where it works, else none with a warning at each launch.',
  },
  readable_paths: {
    alias: '',
    fallback: 'none',
    meaning: 'Absolute paths of the machine that every sandbox may read.',
  },
  env: {
    alias: '',
    fallback: 'none',
    meaning:
      'Names of variables of the server that every sandbox gets, such as `HTTPS_PROXY`; names of credentials are refused.',
  },
  local_repositories: {
    alias: '',
    fallback: '`true`',
    meaning: 'Whether a repository may be a path of this machine.',
  },
};
