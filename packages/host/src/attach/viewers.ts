/**
 * Who looks at a program and who types. It lives beside the program, so that it outlasts servers and is one truth for
 * several of them; each change of the driver begins an epoch, and input of an earlier one is never taken.
 */
import type { AttachMode, TerminalSize } from '@omnigent/protocol';

/** What a connected viewer is told. */
export interface Viewer {
  readonly id: string;
  /** The driver or its epoch changed. */
  onDriver(): void;
  onSize(size: TerminalSize): void;
  /** Another connection of the same viewer took its place. */
  onReplaced(): void;
}

export class Viewers {
  readonly #connected = new Map<string, Viewer>();
  #driver: string | null = null;
  #epoch = 0;

  /** The viewer that types; it may be away for a moment. */
  get driver(): string | null {
    return this.#driver;
  }

  get epoch(): number {
    return this.#epoch;
  }

  join(viewer: Viewer, mode: AttachMode): void {
    this.#connected.get(viewer.id)?.onReplaced();
    this.#connected.set(viewer.id, viewer);
    if (mode !== 'follow') this.drive(viewer.id, { force: mode === 'take' });
  }

  /** Its connection ended. One that is expected back stays the driver until another asks for it. */
  leave(viewer: Viewer, options: { readonly isForGood: boolean }): void {
    if (this.#connected.get(viewer.id) !== viewer) return;
    this.#connected.delete(viewer.id);
    if (options.isForGood && this.#driver === viewer.id) this.#setDriver(null);
  }

  /** Makes a viewer the driver. Returns whether it is: another that is connected gives way only to force. */
  drive(id: string, options: { readonly force: boolean }): boolean {
    if (this.#driver === id) return true;
    const isTaken = this.#driver !== null && this.#connected.has(this.#driver);
    if (isTaken && !options.force) return false;
    this.#setDriver(id);
    return true;
  }

  /** Tells all the new size of the terminal. */
  announceSize(size: TerminalSize): void {
    for (const viewer of this.#connected.values()) viewer.onSize(size);
  }

  #setDriver(driver: string | null): void {
    this.#driver = driver;
    this.#epoch += 1;
    for (const viewer of this.#connected.values()) viewer.onDriver();
  }
}
