/** Loaded only when there is a configuration file. */
export { parse as parseYaml } from 'yaml';
