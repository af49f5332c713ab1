import fc from 'fast-check';

/** Output of programs, as a grammar: arbitraries that make every supported control function likely. */

const small = fc.oneof(
  fc.nat({ max: 12 }),
  fc.constantFrom(0, 1, 2, 79, 80, 81, 255, 65_535, 2_147_483_647),
);
const optional = fc.oneof(
  { weight: 3, arbitrary: small.map(String) },
  { weight: 1, arbitrary: fc.constant('') },
);
const parameters = fc.array(optional, { maxLength: 4 }).map((list) => list.join(';'));

/** Words, lines that wrap, wide characters, marks, and values that are not characters. */
const printableText = fc.oneof(
  fc.stringMatching(/^[ -~]{1,12}$/),
  fc.stringMatching(/^[a-z]{1,40}$/),
  fc
    .string({ unit: 'grapheme', maxLength: 6 })
    .map((text) => text.replace(/[\0-\x1f\x7f-\x9f]/g, '')),
  fc.constantFrom(
    '漢字',
    '한국',
    '😀',
    'é',
    'e\u0301',
    'n\u0303\u0323',
    '\u0301',
    '한',
    '│──┤',
    '👩‍👩‍👧',
    '🇩🇪',
    '🇩',
    '❤\ufe0f',
    '⌚\ufe0e',
    '1\ufe0f\u20e3',
    '☝🏽',
    'क्षि',
    '\u200d',
    '🔥',
    'ｱ',
  ),
);

const controls = fc.constantFrom(
  '\r',
  '\n',
  '\r\n',
  '\t',
  '\b',
  '\x07',
  '\x0b',
  '\x0c',
  '\x0e',
  '\x0f',
  '\x00',
  '\x7f',
);

const manyParameters = fc.constantFrom(
  ...[
    '1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20;21;22;23;24;25;26;27;28;29;30;31;32;33;4',
  ],
  ...['38:2::1:2:3:4:5:6:7:8:9', '1:2:3;4;:5', ';;;', ':'],
);
const csiFinals = fc.constantFrom(
  ...'@ABCDEFGHIJKLMPSTWXZ^`abcdefghjklmnrssu',
  ...[' @', ' A', "'}", "'~", '"q', '*x', '*y', '#y'],
);
const csi = fc
  .tuple(fc.oneof({ weight: 9, arbitrary: parameters }, manyParameters), csiFinals)
  .map(([list, final]) => `\x1b[${list}${final}`);

const privateErasing = fc
  .tuple(parameters, fc.constantFrom('J', 'K'))
  .map(([list, final]) => `\x1b[?${list}${final}`);
// Mostly within a small screen, because values outside have little effect.
const corner = fc.array(fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 6 }) }, small), {
  minLength: 4,
  maxLength: 8,
});
const rectangles = fc.oneof(
  fc
    .tuple(corner, fc.constantFrom(...['$r', '$t', '$v', '$z', '${', '*y', '#|']))
    .map(([list, final]) => `\x1b[${list.join(';')}${final}`),
  corner.map((list) => `\x1b[65;${list.join(';')}$x`),
  fc.constantFrom('\x1b[1"q', '\x1b[2*x', '\x1b[*x', '\x1bV', '\x1bW'),
);

const color = fc.oneof(
  fc.nat({ max: 255 }).map((index) => `5;${index}`),
  fc
    .tuple(fc.nat({ max: 255 }), fc.nat({ max: 255 }), fc.nat({ max: 255 }))
    .map(([red, green, blue]) => `2;${red};${green};${blue}`),
);
const rendition = fc.oneof(
  fc.constantFrom('0', '1', '2', '3', '4', '5', '7', '8', '9', '21', '22', '24', '27', '53', '55'),
  fc.constantFrom('4:0', '4:3', '4:5', '58:5:9', '58:2::1:2:3', '59', '39', '49'),
  fc.integer({ min: 30, max: 49 }).map(String),
  fc.integer({ min: 90, max: 107 }).map(String),
  fc.tuple(fc.constantFrom('38', '48', '58'), color).map((parts) => parts.join(';')),
);
const sgr = fc.array(rendition, { maxLength: 4 }).map((list) => `\x1b[${list.join(';')}m`);

const decMode = fc.constantFrom(
  ...[1, 3, 5, 6, 7, 9, 12, 25, 40, 41, 45, 47, 66, 67, 69, 69, 95, 1000, 1002, 1003, 1004, 1005],
);
const otherMode = fc.constantFrom(
  ...[1006, 1007, 1015, 1016, 1045, 1047, 1048, 1049, 2004, 2027, 8, 18, 106, 2026],
);
const modes = fc.oneof(
  fc
    .tuple(fc.oneof(decMode, otherMode), fc.constantFrom('h', 'l', '$p', 's', 'r'))
    .map(([mode, final]) => `\x1b[?${mode}${final}`),
  fc.constant('\x1b[?2027h'),
  fc.constantFrom('\x1b[4h', '\x1b[4l', '\x1b[20h', '\x1b[20l', '\x1b[4$p', '\x1b[2h', '\x1b[12l'),
);

const escapes = fc
  .constantFrom(
    ...['6', '7', '8', '9', 'D', 'E', 'M', 'H', 'Z', 'N', 'O', 'n', 'o', '=', '>', '#8', '\\', 'c'],
    ...[
      '(0',
      '(B',
      '(A',
      '(K',
      '(>',
      ')%5',
      '-A',
      '/A',
      '~',
      '}',
      '|',
      ')0',
      ')B',
      '*0',
      '+0',
      ' F',
      ' G',
    ],
  )
  .map((tail) => `\x1b${tail}`);

const state = fc.constantFrom(
  '\x1b[#{',
  '\x1b[1;3;31#{',
  '\x1b[99#{',
  '\x1b[#}',
  '\x1b[#P',
  '\x1b[3#P',
  '\x1b[#Q',
  '\x1b[2#Q',
  '\x1b[#R',
  '\x1b["v',
  '\x1b[>4;1f',
  '\x1b[1$w',
  '\x1b[2$w',
  '\x1bP1$t2;3;1;O;@;I;1;2;@;B0BB\x1b\\',
  '\x1bP1$t1;80;1;@;@;J;0;2;@;BB0A\x1b\\',
  '\x1bP1$t3;4;1;_;@;@;0;2;@;BBBB\x1b\\',
  '\x1bP2$t3/7/99999\x1b\\',
  '\x1bP2$t/5//\x1b\\',
  '\x1bP$qm\x1b\\',
  '\x1bP+q544e\x1b\\',
  '\x1b]4;1;#123;2;?\x07',
  '\x1b]5;0;#abc\x07',
  '\x1b]10;#123456;#789\x1b\\',
  '\x1b]15;rgbi:0.5/.2/1\x07',
  '\x1b]19;rgb:1/2/3\x1b\\',
  '\x1b]104\x07',
  '\x1b]110\x07',
  '\x1b]7;file://host/a%20b\x07',
  '\x1b]9;4;1;50\x07',
  '\x1b]9;4;3\x07',
  '\x1b]99;i=a:d=0;ti;tle\x1b\\',
  '\x1b]99;i=a:p=body;body\x1b\\',
  '\x1b]133;A\x07',
  '\x1b]133;C\x07',
  '\x1b]133;C;cmdline=fg\x07',
  '\x1b]133;D;137\x07',
  '\x1b]133;D;148\x07',
  '\x1b]633;E;ls\x07',
);

const others = fc.constantFrom(
  '\x1b[!p',
  '\x1b[?5W',
  '\x1b[?1045h',
  '\x1b[62;1"p',
  '\x1b[65"p',
  '\x1b[1 q',
  '\x1b[4 q',
  '\x1b[6 q',
  '\x1b[>4;2m',
  '\x1b[>4m',
  '\x1b[=5u',
  '\x1b[=3;2u',
  '\x1b[>7u',
  '\x1b[<u',
  '\x1b[?u',
  '\x1b[>c',
  '\x1b[22t',
  '\x1b[23t',
  '\x1b]0;title\x07',
  '\x1b]2;ein Titel\x1b\\',
  '\x1b]1;icon\x07',
  '\x1b]8;;http://example.org\x1b\\',
  '\x1b]8;id=1;http://example.org/a\x07',
  '\x1b]8;;\x07',
  '\x1bPq#0;2;0;0;0\x1b\\',
  '\x1b_ignored\x1b\\',
  '\x1bkignored\x1b\\',
  '\u009b3C',
  '\u009d2;C1\u009c',
);

const encoder = new TextEncoder();

/** Single bytes of C1 controls, which are valid after S8C1T; characters that contain such bytes. */
const eightBit = fc
  .array(
    fc.constantFrom(
      ...['\x1b G', '\x1b F', '\x84', '\x85', '\x88', '\x8d', '\x8e', '\x8f', '\x96', '\x97'],
      ...['\x9a', '\x9b3C', '\x9b41m', '\x9b?6h', '\x9d2;8 bits\x9c', '\x9d2;cut', '\x90$qr\x9c'],
      ...[
        '\x98sos\x9c',
        '\x9epm',
        '\x9fapc\x9c',
        '\x9c',
        '\x80',
        '\xe2\x80\x9c',
        '\xf0\x9f\x98\x9c',
      ],
      ...['\xe2\x80', '\xc3\x9c', '\xe0\x9c', '\xf5\x9c', '\xc2\x9c', '\x9b1;2'],
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => Uint8Array.from(parts.join(''), (char) => char.charCodeAt(0)));

/** A complete unit of output. */
const outputToken: fc.Arbitrary<Uint8Array> = fc
  .oneof(
    { weight: 6, arbitrary: printableText },
    { weight: 4, arbitrary: controls },
    { weight: 6, arbitrary: csi },
    { weight: 3, arbitrary: sgr },
    { weight: 2, arbitrary: modes },
    { weight: 1, arbitrary: privateErasing },
    { weight: 2, arbitrary: rectangles },
    { weight: 2, arbitrary: escapes },
    { weight: 1, arbitrary: state },
    { weight: 1, arbitrary: others },
  )
  .map((text) => encoder.encode(text));

/** Incomplete or invalid output: ill-formed UTF-8, bare introducers, malformed sequences. */
const brokenToken: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 6 }),
  fc
    .constantFrom(
      '\x1b',
      '\x1b[',
      '\x1b[3',
      '\x1b[?',
      '\x1b]2;x',
      '\x1bP1',
      '\x1b_',
      '\x18',
      '\x1a',
    )
    .map((text) => encoder.encode(text)),
  fc
    .constantFrom('\x1b[1<m', '\x1b[1!2m', '\x1b[ !"x', '\x1b !"(0')
    .map((text) => encoder.encode(text)),
);

/** A stretch of output. */
export const output: fc.Arbitrary<Uint8Array> = fc
  .array(
    fc.oneof(
      { weight: 24, arbitrary: outputToken },
      { weight: 2, arbitrary: brokenToken },
      { weight: 1, arbitrary: eightBit },
    ),
    { maxLength: 60, size: 'max' },
  )
  .map((tokens) => Uint8Array.from(tokens.flatMap((token) => [...token])));

/** Small screens, because most rules are about their edges. */
export const screenSize = fc.record({
  cols: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(80)),
  rows: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(24)),
});

/** A resize: the size, and where the prompt begins that a session erases before, if it does. */
export const sizeChange = fc.record(
  {
    size: screenSize,
    place: fc.record({
      row: fc.nat({ max: 5 }),
      col: fc.oneof(fc.constant(0), fc.nat({ max: 11 })),
    }),
  },
  { requiredKeys: ['size'] },
);
