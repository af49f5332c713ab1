import { type Clock, type Disposable, ownTimers, toDisposable } from '#base';
import type { MouseTracking, Size, ViewModes } from '#model';
import type { NotifiedText, Picture, TtyEvent } from '#tty';

/**
 * The terminal of the person who runs vtr. One at a time in a process. From the first picture
 * until `leave` it is in raw mode, shows the alternate screen, and is read. Whatever ends the process
 * restores it.
 */
export interface Tty {
  /** The size of the window. */
  readonly size: Size;
  /**
   * Shows a new picture: at once after a pause, else 16 ms after the last one, and sooner while a person types and
   * pictures change little. While the terminal does not accept output, none is drawn.
   *
   * @param draw called when the picture can be sent; a later call of `show` replaces it
   */
  show(draw: () => Picture): void;
  /** All events of one read, in their order. Replies are not among them. */
  onEvents(listener: (events: readonly TtyEvent[]) => void): Disposable;
  /** The window has another size. Its content is painted anew with the next `show`. */
  onResize(listener: (size: Size) => void): Disposable;
  /**
   * Asks the terminal for keys as a program needs them, and for mouse events.
   *
   * @param program the modes of the program that gets the keys; null for none
   */
  setModes(program: ViewModes | null, mouse: MouseTracking): void;
  /**
   * Asks the terminal to set its clipboard (OSC 52), which does not tell whether it does. Returns false for a terminal
   * that cannot be asked.
   */
  setClipboard(text: string): boolean;
  /** Shows a notification of a program; false if the terminal may not know the control sequence. */
  notify(notification: NotifiedText): boolean;
  /** Tells the terminal what a program says that it does: OSC 7501. */
  reportStatus(sequence: string): void;
  /** Rings the bell. */
  ring(): void;
  /** Forgets what the terminal shows: the next picture is painted as a whole. */
  repaint(): void;
  /** Restores the terminal for another program until `use` ends. Meanwhile nothing is read or painted. */
  lend<T>(use: () => Promise<T>): Promise<T>;
  /** Restores the terminal and stops this process, until SIGCONT; goes on where no shell could continue it. */
  suspend(): void;
  /** Restores the terminal for good. May be called again. */
  leave(): void;
}

/** The clock for frames and escape sequences. Its delays are short, so it does not split long timers. */
export const ttyClock: Clock = {
  ...ownTimers,
  // `performance` would load eight modules of Node before the first frame.
  nowMs() {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  wallMs: () => Date.now(),
  afterPendingIo(run) {
    const immediate = setImmediate(run);
    return toDisposable(() => clearImmediate(immediate));
  },
};
