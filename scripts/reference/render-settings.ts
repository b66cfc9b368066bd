/** docs/reference/settings.md from the settings tables. */
import { KUBERNETES_SETTINGS } from '@omnigent/launcher';
import { renderTable } from './render-table.ts';
import { LOCAL_SETTINGS, SANDBOX_SETTINGS, SERVER_SETTINGS } from './settings.ts';
import type { SettingMeaning } from './settings.ts';

const EXAMPLE = `server:
  listen: 0.0.0.0:8080
  url: https://omnigent.example.com
  token_file: /etc/omnigent/token
sandbox:
  provider: kubernetes
  lifetime_seconds: 28800
  kubernetes:
    namespace: omnigent-sandboxes
    secret_name: git-credentials
    resources:
      limits: { memory: 8Gi }`;

/** The example as the page shows it. */
export function readSettingsExample(): string {
  return EXAMPLE;
}

/** Renders the page of settings. */
export function renderSettings(): string {
  return `# Settings

The server reads a YAML file, named by \`--config\` or \`OMNIGENT_CONFIG\`. Flags win over all else. For \`server\`
environment variables win over the file; for \`sandbox.kubernetes\` the file wins.
An unknown key, a value that is not valid and a variable that is not valid stop the server, with the name of what is wrong.

\`\`\`yaml
${EXAMPLE}
\`\`\`

## server

${renderMeanings(SERVER_SETTINGS)}

## sandbox

${renderMeanings(SANDBOX_SETTINGS)}

## sandbox.local

${renderMeanings(LOCAL_SETTINGS)}

## sandbox.kubernetes

${renderKubernetes()}
`;
}

function renderMeanings(settings: Readonly<Record<string, SettingMeaning>>): string {
  const rows = Object.entries(settings).map(([key, { alias, fallback, meaning }]) => [
    `\`${key}\``,
    alias,
    fallback,
    meaning,
  ]);
  return renderTable(['key', 'also', 'default', 'meaning'], rows);
}

function renderKubernetes(): string {
  const rows = KUBERNETES_SETTINGS.map(({ key, variable, fallback, rule }) => [
    `\`${key}\``,
    variable === null ? '' : `\`${variable}\``,
    fallback === null ? '' : `\`${fallback}\``,
    rule,
  ]);
  return renderTable(['key', 'environment variable', 'default', 'rule'], rows);
}
