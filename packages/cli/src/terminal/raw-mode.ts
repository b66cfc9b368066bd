/** Raw mode of the command's own terminal, given back however the command ends. */
import { spawnSync } from 'node:child_process';

/** Switches raw mode on; returns what switches it off again. */
export function enterRawMode(stdin: NodeJS.ReadStream): () => void {
  if (!stdin.isTTY) return () => undefined;
  const leave = () => {
    process.off('exit', leave);
    process.off('SIGCONT', again);
    if (!stdin.destroyed) stdin.setRawMode(false);
  };
  // The shell that let the command go on has set the terminal its own way.
  const again = () => {
    stdin.setRawMode(false);
    setRaw(stdin);
  };
  setRaw(stdin);
  process.on('exit', leave);
  process.on('SIGCONT', again);
  return leave;
}

/**
 * The raw mode of Node.js still makes "new line" out of "line feed". The program's own terminal has done that where it is
 * wanted; done again, whatever moves the cursor down by a line feed draws in the wrong column.
 */
function setRaw(stdin: NodeJS.ReadStream): void {
  stdin.setRawMode(true);
  spawnSync('stty', ['-opost'], { stdio: ['inherit', 'ignore', 'ignore'] });
}
