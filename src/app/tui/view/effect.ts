import type { CommandChoice, MouseInput } from '#model';
import type { TtyKey } from '#tty';
import type { TtyEffect } from '../runtime.ts';

/** What is to be done because of an action. */
export type Effect =
  // Input of the program.
  | { readonly type: 'sendKey'; readonly key: TtyKey }
  | { readonly type: 'sendBytes'; readonly bytes: Uint8Array }
  /** A paste, or a part of one. */
  | { readonly type: 'sendText'; readonly text: string; readonly part?: number }
  | { readonly type: 'sendMouse'; readonly mouse: MouseInput }
  // The session.
  | { readonly type: 'kill' }
  | { readonly type: 'resize' }
  | { readonly type: 'take'; readonly force: boolean }
  /** @param note empty for none */
  | { readonly type: 'give'; readonly note: string }
  /** Sets a marker in the recording. */
  | { readonly type: 'mark'; readonly label: string }
  /** Starts or ends the recording in a file. */
  | { readonly type: 'record' }
  | { readonly type: 'restart' }
  | { readonly type: 'remove' }
  // What is seen.
  | { readonly type: 'detach' }
  | { readonly type: 'leave' }
  | { readonly type: 'overview' }
  /** The next or previous session that wants somebody. */
  | { readonly type: 'session'; readonly step: 1 | -1 }
  | { readonly type: 'goTo'; readonly session: string; readonly line: number }
  /** @param line as typed after `:` */
  | { readonly type: 'command'; readonly line: string }
  // The person's terminal.
  | { readonly type: 'copy'; readonly text: string }
  | TtyEffect
  | Read;

/** An effect that is answered by an action. */
export type Read =
  | { readonly type: 'freeze' }
  | { readonly type: 'readLines'; readonly from: number; readonly to: number }
  | { readonly type: 'compile'; readonly id: number; readonly pattern: string }
  | {
      readonly type: 'search';
      readonly id: number;
      readonly pattern: string;
      readonly from: number;
      readonly to: number;
    }
  | { readonly type: 'commands' }
  | {
      readonly type: 'readTexts';
      readonly id: number;
      readonly from: number;
      readonly to: number;
    }
  | { readonly type: 'copyOutput'; readonly command: CommandChoice }
  | { readonly type: 'grepAll'; readonly pattern: string };
