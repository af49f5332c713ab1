import { expect, it } from 'vitest';
import { type Capabilities, capabilitiesOf, type TtyEnvironment, type TtyReply } from '#tty';

const version = (text: string): TtyReply => ({ of: 'version', text });
const mode = (number: number, value: number): TtyReply => ({ of: 'mode', mode: number, value });

const short: Readonly<Record<string, keyof Capabilities>> = {
  sync: 'synchronized',
  bce: 'erasesWithBackground',
  rep: 'repeats',
  links: 'hyperlinks',
  curly: 'styledUnderlines',
  reverse: 'reverseVideo',
  kitty: 'kittyKeyboard',
  keys: 'otherKeys',
  ignores: 'ignoresUnknown',
};

function words(capabilities: Capabilities): string {
  const has = Object.entries(short).filter(
    ([, name]) => ![false, 'never'].includes(capabilities[name] as string | false),
  );
  return [capabilities.colors, ...has.map(([word]) => word)].join(' ');
}

const table: readonly (readonly [string, TtyEnvironment, readonly TtyReply[], string])[] = [
  ['no TERM', {}, [], 'none'],
  ['dumb, in an editor', { TERM: 'dumb', COLORTERM: 'truecolor' }, [], 'none'],
  ['vt220', { TERM: 'vt220' }, [], 'none'],
  ['something new with colours', { TERM: 'new-256color' }, [], '256'],
  ['Linux console', { TERM: 'linux' }, [], '16 bce reverse'],
  ['xterm without colours', { TERM: 'xterm' }, [], '16 links reverse ignores'],
  ['an unknown xterm', { TERM: 'xterm-256color' }, [], '256 links reverse ignores'],
  [
    ...([
      'the same with COLORTERM',
      { TERM: 'xterm-256color', COLORTERM: 'truecolor' },
      [],
    ] as const),
    'truecolor links reverse ignores',
  ],
  [
    ...(['xterm', { TERM: 'xterm' }, [version('XTerm(379)'), mode(2026, 0)]] as const),
    'truecolor bce rep links reverse keys ignores',
  ],
  [
    ...(['kitty', { TERM: 'xterm-kitty' }, [{ of: 'kittyFlags', flags: 0 }]] as const),
    'truecolor sync bce rep links curly reverse kitty ignores',
  ],
  [
    ...(['kitty over ssh', { TERM: 'xterm-256color' }, [version('kitty(0.40.0)')]] as const),
    'truecolor sync bce rep links curly reverse ignores',
  ],
  [
    ...(['VTE', { TERM: 'xterm-256color', VTE_VERSION: '7600' }, [mode(2026, 2)]] as const),
    'truecolor sync bce rep links curly reverse ignores',
  ],
  [
    ...(['tmux', { TERM: 'screen-256color', TMUX: 's,1,0' }, [version('tmux 3.3a')]] as const),
    'truecolor bce rep curly keys ignores',
  ],
  [
    ...(['xterm from tmux', { TERM: 'xterm', TMUX: 's,1,0' }, [version('XTerm(379)')]] as const),
    'truecolor bce rep links reverse keys ignores',
  ],
  ['screen', { TERM: 'screen', STY: '1.a' }, [], '16 reverse ignores'],
  [
    ...([
      'screen in a terminal with more',
      { TERM: 'screen-256color', COLORTERM: 'truecolor' },
      [],
    ] as const),
    '256 reverse ignores',
  ],
  [
    ...([
      'Apple Terminal',
      { TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' },
      [],
    ] as const),
    '256 reverse',
  ],
  [
    ...(['vtr itself', { TERM: 'xterm-256color' }, [version('vtr 0.1.0'), mode(2026, 2)]] as const),
    'truecolor sync bce rep links curly reverse kitty ignores',
  ],
];

it.each(table)('%s', (_name, environment, replies, expected) => {
  expect(words(capabilitiesOf(environment, replies))).toBe(expected);
});
