export { runHost } from './host.ts';
export { startTerminalProgram } from './pty/terminal-program.ts';
export { parseHostArguments, resolveSettings } from './settings.ts';
export type { HostSettings } from './settings.ts';
