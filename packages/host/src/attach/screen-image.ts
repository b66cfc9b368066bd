/** What a terminal shows, as escape sequences, and the offset of the log at which it shows it. */
export interface ScreenImage {
  readonly offset: number;
  readonly bytes: Uint8Array;
}
