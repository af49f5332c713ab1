import { prompt } from './shell-home.ts';

/** The output of a command, and the text of it that a terminal shows. */
export interface Noise {
  readonly name: string;
  readonly writes: string;
  /** Default: `writes`. An array if several are right. */
  readonly shows?: readonly string[];
  /** The line to type; default: the command that writes this. */
  readonly typed?: (command: string) => string;
}

const numbered = (count: number, text: (number: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${text(at + 1)}\n`).join('');

const percents = [0, 20, 40, 60, 80, 100];
const esc = '\x1b';

/** For a screen of 80 columns and 24 rows. */
export const noises: readonly Noise[] = [
  { name: 'plain lines', writes: numbered(5, (number) => `line ${number}`) },
  {
    name: 'colours',
    writes: numbered(8, (at) => `${esc}[1;3${at % 8}mcolour${esc}[0m ${esc}[48;2;9;${at};7m${at}`),
    shows: [numbered(8, (at) => `colour ${at}`)],
  },
  { name: 'more lines than the screen has', writes: numbered(100, (at) => `row ${at} of many`) },
  { name: 'many lines', writes: numbered(3_000, (at) => `${at} ${'.'.repeat(at % 70)}`) },
  { name: 'a line of 300 columns', writes: `begin ${'wrapped '.repeat(36)}end\n` },
  {
    name: 'lines as wide as the screen',
    writes: `${'a'.repeat(80)}\n${'b'.repeat(160)}\n${'c'.repeat(81)}\n${'d'.repeat(79)}\n`,
  },
  { name: 'as wide as the screen, no line end', writes: 'e'.repeat(80) },
  {
    name: 'progress',
    writes: `${percents.map((percent) => `\rloaded ${percent} %`).join('')}\ndone\n`,
    shows: ['loaded 100 %\ndone\n'],
  },
  {
    name: 'progress that erases itself',
    writes: `${percents.map((percent) => `\r${esc}[K[${'#'.repeat(percent / 4)}]`).join('')}\r${esc}[Kok\n`,
    shows: ['ok\n'],
  },
  { name: 'overwritten', writes: 'abcdef\rxy\nab\b\bc\n', shows: ['xycdef\ncb\n'] },
  { name: 'no line end', writes: 'one\ntwo' },
  { name: 'coloured, no line end', writes: `${esc}[31mred`, shows: ['red'] },
  { name: 'blank lines at both ends', writes: '\n\nmiddle\n\n\n' },
  { name: 'blank lines only', writes: '\n\n' },
  { name: 'one blank line', writes: '\n' },
  { name: 'nothing', writes: '' },
  { name: 'what looks like prompts', writes: `${prompt}ls\n$ \n# \n> \n${prompt}\n` },
  { name: 'a prompt at the end', writes: `x\n${prompt}` },
  { name: 'what looks like sentinels', writes: '__DONE_1__:0\n__DONE_12345__:9\n__DONE__\n' },
  {
    name: 'marks of a shell',
    writes: `a\n${esc}]133;D;0\x07${esc}]133;A\x07$ ${esc}]133;B\x07${esc}]133;C\x07b\n`,
    shows: ['a\n$ b\n'],
  },
  {
    name: 'clear in between',
    writes: `before\n${esc}[H${esc}[2J${esc}[3Jafter\n`,
    shows: ['after\n', 'before\nafter\n'],
  },
  {
    name: 'clear in between, then more than a screen',
    writes: `before\n${esc}[H${esc}[2J${esc}[3J${numbered(40, (at) => `after ${at}`)}`,
    shows: [numbered(40, (at) => `after ${at}`), `before\n${numbered(40, (at) => `after ${at}`)}`],
  },
  {
    name: 'the alternate screen in between',
    writes: `before\n${esc}[?1049h${esc}[2J${esc}[Hfull\nscreen${esc}[?1049lafter\n`,
    shows: ['before\nafter\n'],
  },
  {
    name: 'lines that are drawn again',
    writes: `a: -\nb: -\n${esc}[2A${esc}[Ka: ok\n${esc}[Kb: ok\n`,
    shows: ['a: ok\nb: ok\n'],
  },
  { name: 'tabs', writes: 'a\tb\tc\n', shows: ['a\tb\tc\n', 'a       b       c\n'] },
  { name: 'wide characters', writes: `日本語 é 🙂 e\u0301\nx${'漢'.repeat(60)}\n` },
  {
    name: 'titles and bells',
    writes: `${esc}]0;a title\x07\x07text${esc}]2;another${esc}\\\n`,
    shows: ['text\n'],
  },
  { name: 'line ends of DOS', writes: 'a\r\nb\r\n', shows: ['a\nb\n'] },
  {
    name: 'a status line below what scrolls',
    writes: [
      `\n${esc}7${esc}[1;23r${esc}8${esc}[1A`,
      numbered(
        30,
        (at) => `unpacking ${at}${esc}7${esc}[24;1H${esc}[42m[${at} of 30]${esc}[m${esc}8`,
      ),
      `${esc}7${esc}[r${esc}8${esc}[J`,
    ].join(''),
    shows: [numbered(30, (at) => `unpacking ${at}`)],
  },
  {
    name: 'links, pictures and frames',
    writes: `${esc}[?2026h${esc}]8;;https://example.org${esc}\\link${esc}]8;;${esc}\\ ${esc}P0q#0~-${esc}\\x${esc}[?2026l\n`,
    shows: ['link x\n'],
  },
  {
    name: 'cut at the edge of the screen',
    writes: `${esc}[?7l${'w'.repeat(100)}X${esc}[?7h\n`,
    shows: [`${'w'.repeat(79)}X\n`],
  },
  {
    name: 'plain, by a line of several rows',
    writes: 'plain\n',
    typed: (command) => `${command} ${'argument '.repeat(30)}`,
  },
  {
    name: 'plain, by a line that fills its row',
    writes: 'plain\n',
    typed: (command) => `${command} `.padEnd(80 - prompt.length, 'x'),
  },
  {
    name: 'plain, by a line with quotes',
    writes: 'plain\n',
    typed: (command) => `: 'a "b" $HOME !x' "\\$y" \`true\`; ${command} '; # "' \\; 2>&1`,
  },
  {
    name: 'plain, by a line with wide characters',
    writes: 'plain\n',
    typed: (command) => `${command} '日本語 🙂 é'`,
  },
  {
    name: 'plain, by a line that ends in a comment',
    writes: 'plain\n',
    typed: (command) => `${command} # again`,
  },
  {
    name: 'plain, by two lines',
    writes: 'plain\n',
    typed: (command) => `for i in 1; do\n${command}; done`,
  },
];
