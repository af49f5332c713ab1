import fc from 'fast-check';

// The grammar of the output that our engine and @xterm/headless interpret alike. docs/sequences.md lists
// the differences, and why.

const count = fc
  .oneof(fc.nat({ max: 12 }), fc.constant(100))
  .map((value) => (value === 0 ? '' : value));
// In xterm.js the cursor is after the last column while a wrap is pending, and functions on the cursor's
// cell miss it. A move before them ends the pending wrap in both.
const settle = '\x1b[C';
const csi = fc
  .tuple(count, fc.constantFrom(...'@ABCDEFGLMPSX`ade'))
  .map(([value, final]) => `${settle}\x1b[${value}${final}`);
const position = fc.tuple(count, count).map(([row, col]) => `\x1b[${row};${col}H`);
const margins = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 8 }))
  .map(([top, bottom]) => `\x1b[${top};${bottom}r`);
// ED 1 in the last column of the last row makes xterm.js throw.
const erase = fc
  .constantFrom('\x1b[J', '\r\x1b[1J', '\x1b[2J', '\x1b[K', '\x1b[1K', '\x1b[2K')
  .map((sequence) => settle + sequence);
const text = fc.oneof(
  // Line drawing has a blank for the underscore in xterm and vtr; xterm.js keeps the underscore.
  fc.stringMatching(/^[ -^`-~]{1,15}$/),
  fc.constantFrom('漢字', '한국어', 'ｱｲ', 'äöü', '│─┤'),
);
const control = fc.constantFrom('\r', '\n', '\r\n', '\t', '\b', '\x0b', '\x0c', '\x0e', '\x0f');
const escapes = fc
  // If the screen scrolls in between, xterm.js moves the saved row.
  .constantFrom('\x1b7\x1b[1;2H\x1b[1ms\x1b8', '\x1bD', '\x1bE', '\x1bM')
  .map((sequence) => settle + sequence);
const tabs = fc
  .constantFrom('\x1bH', '\x1b[g', '\x1b[3g', '\x1b[I', '\x1b[2Z')
  .map((sequence) => settle + sequence);
const charset = fc.constantFrom('\x1b(0', '\x1b(B', '\x1b)0', '\x1b)B', '\x1b(A');
const mode = fc.constantFrom(
  // xterm.js adds the top margin twice when the cursor moves in origin mode.
  '\x1b[?6h\x1b[2;3Horigin\x1b[?6l\x1b[3;3H',
  ...['\x1b[4h', '\x1b[4l', '\x1b[20h', '\x1b[20l'],
  // xterm.js leaves half of a wide character when autowrap is off.
  '\x1b[2K\r\x1b[?7lno wrap at the end\x1b[?7h',
);
const rendition = fc.oneof(
  fc.constantFrom('0', '1', '2', '3', '4', '5', '7', '8', '9', '22', '23', '24', '25', '27', '28'),
  fc.constantFrom('29', '53', '55', '39', '49', '4:3', '38;5;200', '48;2;1;2;3', '38:2::9:8:7'),
  fc.integer({ min: 30, max: 37 }).map(String),
  fc.integer({ min: 100, max: 107 }).map(String),
);
const sgr = fc.array(rendition, { maxLength: 3 }).map((list) => `\x1b[${list.join(';')}m`);

const common = [
  { weight: 6, arbitrary: text },
  { weight: 4, arbitrary: control },
  { weight: 5, arbitrary: csi },
  { weight: 3, arbitrary: position },
  { weight: 2, arbitrary: erase },
  { weight: 2, arbitrary: escapes },
  { weight: 1, arbitrary: mode },
  { weight: 2, arbitrary: sgr },
];

// xterm.js fills the alternate screen with the background, and does not save the pending wrap.
const alternateScreen = fc
  .array(fc.oneof(...common), { maxLength: 15 })
  .map((tokens) => `${settle}\x1b[m\x1b[?1049h${tokens.join('')}\x1b[?1049l`);

/** Either margins or tab stops: they belong to the terminal, and in xterm.js to each screen. */
export const agreedOutput: fc.Arbitrary<string> = fc
  .oneof(
    fc.array(
      fc.oneof(
        ...common,
        { weight: 1, arbitrary: charset },
        { weight: 1, arbitrary: margins },
        { weight: 1, arbitrary: tabs },
      ),
      { maxLength: 40 },
    ),
    fc.array(fc.oneof(...common, { weight: 1, arbitrary: alternateScreen }), { maxLength: 40 }),
  )
  .map((tokens) => tokens.join(''));
