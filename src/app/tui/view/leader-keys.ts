import { keyText } from '#keys';
import type { KeyPress } from '#model';

/** What a key after the leader does. */
export type LeaderCommand =
  | 'detach'
  | 'kill'
  | 'resize'
  | 'take'
  | 'force'
  | 'overview'
  | 'scroll'
  | 'search'
  | 'grepAll'
  | 'mark'
  | 'copyMode'
  | 'copyOutput'
  | 'next'
  | 'previous'
  | 'command'
  | 'sendLeader'
  | 'pageUp'
  | 'panUp'
  | 'panDown'
  | 'panLeft'
  | 'panRight'
  | 'follow'
  | 'repaint'
  | 'suspend'
  | 'help';

interface LeaderKey {
  /** Short forms as {@link keyText} returns them. The first is shown; the leader itself is `leader`. */
  readonly keys: readonly string[];
  readonly command: LeaderCommand;
  /** For the help. Empty if the row before describes it. */
  readonly does: string;
}

/** The keys after the leader, in the order of the help. */
export const leaderKeys: readonly LeaderKey[] = [
  { keys: ['d'], command: 'detach', does: 'detach: the session goes on' },
  { keys: ['t'], command: 'take', does: 'take over, or give back' },
  { keys: ['T'], command: 'force', does: 'take over from another person at once' },
  { keys: ['w'], command: 'overview', does: 'all sessions' },
  { keys: ['n'], command: 'next', does: 'the next session that wants somebody' },
  { keys: ['p'], command: 'previous', does: 'the previous one' },
  { keys: ['['], command: 'scroll', does: 'scroll (also PgUp after the leader, and the wheel)' },
  { keys: ['pageup'], command: 'pageUp', does: '' },
  { keys: ['/'], command: 'search', does: 'search the scrollback, newest first' },
  { keys: ['g'], command: 'grepAll', does: 'search all sessions' },
  {
    keys: ['c'],
    command: 'copyMode',
    does: 'copy: scroll with the cursor where the program has it',
  },
  { keys: ['o'], command: 'copyOutput', does: 'copy the output of the last command' },
  { keys: ['m'], command: 'mark', does: 'set a marker in the recording' },
  { keys: ['r'], command: 'resize', does: 'resize the session to this window' },
  { keys: ['k'], command: 'kill', does: 'kill the program (asks)' },
  { keys: [':'], command: 'command', does: 'run a command of vtr for this session' },
  { keys: ['up'], command: 'panUp', does: 'show another part of a larger session (arrows)' },
  { keys: ['down'], command: 'panDown', does: '' },
  { keys: ['left'], command: 'panLeft', does: '' },
  { keys: ['right'], command: 'panRight', does: '' },
  { keys: ['f'], command: 'follow', does: 'show the part with the cursor again' },
  { keys: ['ctrl+l'], command: 'repaint', does: 'paint the window anew' },
  { keys: ['ctrl+z'], command: 'suspend', does: 'suspend vtr' },
  { keys: ['leader', 'b'], command: 'sendLeader', does: 'send the leader itself to the program' },
  { keys: ['?'], command: 'help', does: 'this help' },
];

/** Returns the command of a key after the leader; null if it has none. */
export function leaderCommand(leader: KeyPress, press: KeyPress): LeaderCommand | null {
  const key = keyText(press);
  // The leader itself first: with the leader `d`, the second one is sent.
  const name = key === keyText(leader) ? 'leader' : key;
  return leaderKeys.find(({ keys }) => keys.includes(name))?.command ?? null;
}

/** Names of keys that people know under others. */
const labels: Readonly<Record<string, string>> = {
  pageup: 'PgUp',
  pagedown: 'PgDn',
  escape: 'Esc',
};

/** Returns a key as people write it: `Ctrl+b`, `PgUp`. */
export function keyLabel(key: string): string {
  if ([...key].length === 1) return key;
  return key
    .split('+')
    .map((part) => labels[part] ?? (part.length === 1 ? part : capitalized(part)))
    .join('+');
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Returns what each key after the usual leader does, for the help of the command. */
export const leaderKeyTexts = (): string[] =>
  leaderKeys
    .filter(({ does }) => does !== '')
    .map(({ keys: [key = ''], does }) => `${key === 'leader' ? 'Ctrl+b' : keyLabel(key)} ${does}`);

/** Returns the leader and a key as people write them: `Ctrl+b t`. */
export function leaderLabel(leader: KeyPress, key: string): string {
  const name = keyLabel(keyText(leader));
  return `${name} ${key === 'leader' ? name : keyLabel(key)}`;
}
