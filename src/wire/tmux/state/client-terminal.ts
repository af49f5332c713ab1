import type { KeyPress, MouseInput, Size, Style } from '#model';
import type { Box, BoxLines } from '../drawing/canvas.ts';
import type { WindowLink } from './tmux-session.ts';
import type { PaneSession, TmuxPane } from './tmux-window.ts';

/** What a history of prompts is kept for. */
export type PromptKind = 'command' | 'search' | 'target' | 'window-target';

/** What was answered before, by kind, oldest first. */
export type PromptAnswers = Map<PromptKind, readonly string[]>;

/** A question in the status line. */
export interface PromptRequest {
  /** A format, already expanded. */
  readonly text: string;
  /** What the field contains at first. */
  readonly input: string;
  readonly kind: PromptKind;
  /**
   * - `text`: ends with Enter.
   * - `character`: the first character is the answer.
   * - `key`: the name of the next key is the answer.
   * - `number`: digits; any other key ends it, and then does what it does.
   * - `incremental`: each change is told, with `=`, `+` or `-` before the text.
   */
  readonly takes: 'text' | 'character' | 'key' | 'number' | 'incremental';
  /** Told of each change of an incremental prompt. */
  readonly changed?: (text: string) => void;
}

/** A line of a menu. */
export interface MenuItem {
  /** A format, already expanded; `-` at its beginning: it cannot be chosen. */
  readonly name: string;
  /** The name of the key that chooses it; empty without one. */
  readonly key: string;
  readonly commands: string;
}

export interface MenuRequest {
  readonly title: string;
  /** Null is a line between items. */
  readonly items: readonly (MenuItem | null)[];
  /** Where it is, as far as the terminal has room there. */
  readonly place: (size: Size) => { readonly row: number; readonly col: number };
  /** Whether the mouse has opened it: no item is chosen at first. */
  readonly isByMouse: boolean;
}

export interface PopupRequest {
  /** The session whose screen it shows. */
  readonly session: PaneSession;
  /** Its place, border included. */
  readonly box: Box;
  readonly lines: BoxLines;
  readonly style: Style;
  readonly borderStyle: Style;
  readonly title: string;
  /** Whether Escape and Ctrl+c close it also while its command runs. */
  readonly isClosedByKey: boolean;
}

/** A popup that is shown. */
export interface ShownPopup {
  /** Resolves when it is closed. */
  readonly closed: Promise<void>;
  /** The command has ended: a key closes it from now on. */
  ended(): void;
  close(): void;
}

/** Where the mouse was for a key of the mouse. */
export interface MousePlace {
  readonly link: WindowLink;
  /** Null if it is in the status line. */
  readonly pane: TmuxPane | null;
  readonly event: MouseInput;
  /** A place in the terminal, and in the pane. */
  readonly row: number;
  readonly col: number;
  readonly paneRow: number;
  readonly paneCol: number;
  /** What the pane shows in that row, a character for each column; empty in the status line. */
  readonly line: readonly string[];
}

/** The terminal of a client, in which a person sees windows and types. */
export interface ClientTerminal {
  /** The path of the device. */
  readonly path: string;
  /** Its TERM. */
  readonly kind: string;
  /** The table in which the next key is looked up. */
  readonly keyTable: string;
  /** Where the mouse is for the command that runs now; null if a key has run it. */
  readonly mouse: MousePlace | null;
  useKeyTable(name: string): void;
  /** Shows a message in the status line. @param ms how long; 0: until a key is pressed */
  tell(text: string, ms: number, isPlain: boolean): void;
  /** Returns the answer; null if the person gave none. */
  ask(request: PromptRequest): Promise<string | null>;
  /** Returns the item that was chosen; null if none was. */
  choose(request: MenuRequest): Promise<MenuItem | null>;
  /** Shows a popup; null if there is one already. */
  popup(request: PopupRequest): ShownPopup | null;
  /** Closes a popup, a menu or the numbers of panes. */
  closeOverlay(): void;
  /** Shows the numbers of panes for a time in ms. Returns the pane that was chosen; null if none was. */
  choosePane(ms: number, takesKeys: boolean): Promise<TmuxPane | null>;
  /** Types keys in a pane, as the person at the terminal. */
  type(pane: TmuxPane, keys: readonly KeyPress[]): void;
  /** Lets the selection of a pane in copy mode follow the mouse until its button is released. */
  drag(pane: TmuxPane): void;
  /** Lets a border follow the mouse until its button is released. */
  dragBorder(): void;
  /** Moves the view of a window that is larger than the terminal; null: it follows the cursor again. */
  pan(by: { readonly rows: number; readonly cols: number } | null): void;
  /** The column at which a window's name begins in the status line; null if it is not shown there. */
  columnOf(link: WindowLink): number | null;
  redraw(): void;
  /** Stops the process at the terminal, as Ctrl+z does. */
  suspend(): void;
  /** Gives the terminal to `lock-command`, until that ends. */
  lock(): void;
  /** Gives the latest buffer to the clipboard of the terminal. */
  copied(): void;
}
