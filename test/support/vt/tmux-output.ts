import fc from 'fast-check';

// The grammar of the output that our engine and tmux interpret alike. docs/sequences.md lists the
// differences, and why.

const count = fc
  .oneof(fc.nat({ max: 12 }), fc.constant(100))
  .map((value) => (value === 0 ? '' : value));
// In tmux the cursor is after the last column while a wrap is pending. A move ends that in both.
const settle = '\x1b[C';
// In tmux, ICH by more than half of the cells right of the cursor leaves some of them.
const insert = fc.nat({ max: 9 }).map((value) => `\r\x1b[${value}@`);
const csi = fc
  .tuple(count, fc.constantFrom(...'ABCDEFGPSTXZ`d'))
  .map(([value, final]) => `${settle}\x1b[${value}${final}`);
// IL and DL move the cursor to the first column in vtr, and not in tmux; outside of the margins they do
// nothing in vtr.
const insertLines = fc
  .tuple(fc.integer({ min: 1, max: 6 }), count, fc.constantFrom('L', 'M'))
  .map(([row, value, final]) => `\x1b[r\x1b[${row}H\x1b[${value}${final}`);
const position = fc.tuple(count, count).map(([row, col]) => `\x1b[${row};${col}H`);
const margins = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 8 }))
  .map(([top, bottom]) => `\x1b[${top};${bottom}r`);
const erase = fc
  .constantFrom('\x1b[J', '\x1b[1J', '\x1b[2J', '\x1b[K', '\x1b[1K', '\x1b[2K')
  .map((sequence) => settle + sequence);
const text = fc.oneof(
  fc.stringMatching(/^[ -^`-~]{1,30}$/),
  fc.constantFrom('äöü', '│─┤', 'e\u0301'),
);
// BS in the first column moves to a wrapped row; in tmux without reverse wrap too.
const control = fc.constantFrom(
  ...['\r', '\n', '\r\n', '\t', '\x1b[C\b', '\x0b', '\x0c', '\x0e', '\x0f'],
);
const escapes = fc
  .constantFrom('\x1b7', '\x1b8', '\x1bD', '\x1bE', '\x1bM', '\x1bH', '\x1b#8', '\x1b[s', '\x1b[u')
  .map((sequence) => settle + sequence);
const tabs = fc.constantFrom('\x1b[g', '\x1b[3g').map((sequence) => settle + sequence);
const charset = fc.constantFrom('\x1b(0', '\x1b(B', '\x1b)0', '\x1b)B');
const mode = fc.constantFrom(
  // Setting margins in origin mode moves the cursor to the top margin in vtr, and outside of it in tmux.
  '\x1b[?6h\x1b[2;3Horigin\x1b[?6l',
  ...['\x1b[4h', '\x1b[4l'],
  // In tmux a mark in the last column does not join the character when autowrap is off, and is not
  // written when a wrap is pending.
  `${settle}\x1b[?7lno wrap at the end\x1b[?7h\r`,
  // tmux saves the cursor separately. A reset on the primary screen does nothing in tmux, and restores
  // the cursor in vtr, as in xterm.
  '\x1b[?1049halternate\x1b[?1049l\x1b7',
);
// Without overline, which tmux 3.3 shows as `5:3`.
const rendition = fc.oneof(
  fc.constantFrom('0', '1', '2', '3', '4', '5', '7', '8', '9', '22', '23', '24', '25', '27', '28'),
  fc.constantFrom('29', '39', '49', '4:3', '38;5;200', '48;2;1;2;3', '38:2::9:8:7'),
  fc.integer({ min: 30, max: 37 }).map(String),
  fc.integer({ min: 100, max: 107 }).map(String),
);
const sgr = fc.array(rendition, { maxLength: 3 }).map((list) => `\x1b[${list.join(';')}m`);

const narrow = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: text },
    { weight: 4, arbitrary: control },
    { weight: 5, arbitrary: csi },
    { weight: 1, arbitrary: insert },
    { weight: 1, arbitrary: insertLines },
    { weight: 3, arbitrary: position },
    { weight: 2, arbitrary: erase },
    { weight: 2, arbitrary: escapes },
    { weight: 1, arbitrary: mode },
    { weight: 1, arbitrary: charset },
    { weight: 1, arbitrary: margins },
    { weight: 1, arbitrary: tabs },
    { weight: 2, arbitrary: sgr },
  ),
  { maxLength: 30 },
);

// Wide characters, no half of which is overwritten or moved, because tmux leaves the other half.
const freshRow = fc.oneof(
  fc.constantFrom('\r\n', '\r\x1b[K', '\x1b[2K\r', '\x1bE', '\x1b[2J\x1b[H'),
  fc.integer({ min: 1, max: 6 }).map((row) => `\x1b[${row}H\x1b[2K`),
  fc
    .tuple(count, fc.constantFrom(...'ST'))
    .map(([value, final]) => `\r\x1b[${value}${final}\x1b[K`),
);
const wide = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('漢字', '한국어', '😀', 'ｱｲ', '漢e\u0301') },
    { weight: 3, arbitrary: text },
    { weight: 3, arbitrary: freshRow },
    { weight: 1, arbitrary: insertLines },
    { weight: 1, arbitrary: margins.map((sequence) => `${sequence}\x1b[2K`) },
    { weight: 2, arbitrary: sgr },
  ),
  { maxLength: 30 },
);

export const tmuxOutput: fc.Arbitrary<string> = fc
  .oneof(narrow, wide)
  .map((tokens) => tokens.join(''));
