import type { CopyMode } from './copy-mode.ts';

/** Keeps the selection in a buffer. A word says how its name begins. */
export async function copyText({ mode, words: [prefix = ''], keep, expand }: CopyCommand) {
  keep(mode.selectedText, await expand(prefix));
}

/** Adds the selection to the latest buffer. */
export const appendText: Run = ({ mode, append }) => append(mode.selectedText);

/** Gives the selection to a shell command, the first word. @param isCopied whether it is kept, too */
export const pipeText =
  (isCopied: boolean) =>
  async ({ mode, words: [command = '', prefix = ''], pipe, keep, expand }: CopyCommand) => {
    const text = mode.selectedText;
    const [line, name] = [await expand(command), await expand(prefix)];
    pipe(text, line);
    if (isCopied) keep(text, name);
  };

/**
 * Copies from the cursor, or from the beginning of its line, to the end of it. The cursor stays. As in tmux, after
 * `select-line` and `select-word` it copies what these extend the selection to.
 */
export const copyLine =
  (isWhole: boolean, copy: (command: CopyCommand) => Promise<void>) =>
  async (command: CopyCommand) => {
    const { mode, times } = command;
    const { x, y, offset } = mode;
    if (isWhole) {
      mode.endUnit();
      mode.startOfLine();
    }
    mode.startSelection();
    for (let more = 1; more < Math.min(times, mode.grid.last + 1); more++) mode.step(1);
    mode.endOfLine();
    await copy(command);
    mode.clearSelection();
    mode.x = x;
    mode.y = y;
    mode.offset = offset;
  };

/** Clears the selection after a command. */
export const thenClear =
  (run: Run): Run =>
  async (command) => {
    await run(command);
    command.mode.clearSelection();
  };

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
