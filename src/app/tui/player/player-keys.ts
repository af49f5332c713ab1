/** What a key of the player does. */
export type PlayerCommand =
  | 'pause'
  | 'step'
  | 'previousMarker'
  | 'nextMarker'
  | 'back'
  | 'forward'
  | 'tenth'
  | 'begin'
  | 'end'
  | 'slower'
  | 'faster'
  | 'search'
  | 'again'
  | 'help'
  | 'repaint'
  | 'suspend'
  | 'quit';

interface PlayerKey {
  /** Short forms as `keyText` returns them. */
  readonly keys: readonly string[];
  readonly command: PlayerCommand;
  /** How the help names the keys; default: the first key. */
  readonly label?: string;
  readonly does: string;
}

/** The keys of the player, in the order of the help. */
export const playerKeys: readonly PlayerKey[] = [
  { keys: ['space'], command: 'pause', label: 'Space', does: 'pause, and go on' },
  { keys: ['.'], command: 'step', does: 'pause, and show the next change' },
  { keys: ['left'], command: 'back', label: '←', does: 'back 5 seconds' },
  { keys: ['right'], command: 'forward', label: '→', does: 'forward 5 seconds' },
  { keys: ['['], command: 'previousMarker', does: 'the marker before' },
  { keys: [']'], command: 'nextMarker', does: 'the next marker' },
  {
    keys: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
    command: 'tenth',
    label: '0-9',
    does: 'the beginning, 10 %, … 90 %',
  },
  { keys: ['home', 'g'], command: 'begin', label: 'Home', does: 'the beginning' },
  { keys: ['end', 'G'], command: 'end', label: 'End', does: 'the end' },
  { keys: ['<'], command: 'slower', does: 'half as fast' },
  { keys: ['>'], command: 'faster', does: 'twice as fast' },
  { keys: ['/'], command: 'search', does: 'search: when a text next appears' },
  { keys: ['n'], command: 'again', does: 'search on' },
  { keys: ['?'], command: 'help', does: 'this help' },
  { keys: ['ctrl+l'], command: 'repaint', label: 'Ctrl+l', does: 'paint the window anew' },
  { keys: ['ctrl+z'], command: 'suspend', label: 'Ctrl+z', does: 'suspend vtr' },
  { keys: ['q', 'ctrl+c'], command: 'quit', does: 'quit' },
];

/** @param key its short form; null if the player does not know it */
export const playerCommand = (key: string): PlayerCommand | null =>
  playerKeys.find(({ keys }) => keys.includes(key))?.command ?? null;
