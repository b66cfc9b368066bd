/** Ends the command: what was written is flushed, then the process goes, whatever is still open. */

/** Ends the process with a status once both standard streams have taken everything. */
export async function endProcess(status: number): Promise<never> {
  await Promise.all([process.stdout, process.stderr].map(flush));
  process.exit(status);
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('error', () => resolve());
    stream.write('', () => resolve());
  });
}
