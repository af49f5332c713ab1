import type { CopyMode } from './copy-mode.ts';

/** Copy mode as a command of it finds it. */
export interface CopyCommand {
  readonly mode: CopyMode;
  /** The words after the command. */
  readonly words: readonly string[];
  /** How often it is done. */
  readonly times: number;
  /** Whether the text to find is a format. */
  readonly isFormat: boolean;
  readonly expand: (format: string) => Promise<string>;
  /** Keeps a text in a buffer, whose name begins with `prefix`. */
  readonly keep: (text: string, prefix: string) => void;
  /** Adds a text to the latest buffer. */
  readonly append: (text: string) => void;
  /** Gives a text to a shell command; an empty one is that of the option `copy-command`. */
  readonly pipe: (text: string, command: string) => void;
  /** Reads the rows of the pane again. */
  readonly refresh: () => Promise<void>;
  /** Ends the mode. */
  readonly leave: () => void;
}

export type Run = (command: CopyCommand) => void | Promise<void>;
