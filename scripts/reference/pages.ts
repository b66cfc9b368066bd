/** The pages of docs/reference, each made from code. */
import { renderApi } from './render-api.ts';
import { renderCli } from './render-cli.ts';
import { renderErrors } from './render-errors.ts';
import { renderSettings } from './render-settings.ts';

/** One generated page. */
export interface ReferencePage {
  /** File name below docs/reference. */
  readonly name: string;
  readonly render: () => string | Promise<string>;
}

/** Every page of the reference. */
export const REFERENCE_PAGES: readonly ReferencePage[] = [
  { name: 'errors.md', render: renderErrors },
  { name: 'settings.md', render: renderSettings },
  { name: 'api.md', render: renderApi },
  { name: 'cli.md', render: renderCli },
];
