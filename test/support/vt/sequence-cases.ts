import { readdirSync, readFileSync } from 'node:fs';
import type { OutputPosition, Size } from '#model';
import { Terminal } from '#vt';
import { inspect } from '#vt/checks';
import { styleWords } from '../../../scripts/golden/style-words.mjs';
import { encoded, unescaped, visible } from './escaped-bytes.ts';

const directory = new URL('../../golden/sequences/', import.meta.url);
const smallScreen: Size = { cols: 10, rows: 5 };

/** A case of a file in test/golden/sequences, whose README describes the format. */
export interface SequenceCase {
  /** The function, as in docs/sequences.md, or another subject of the group. */
  readonly about: string;
  readonly title: string;
  readonly size: Size;
  /** Output, in the format of `encoded`. */
  readonly input: string;
  /** The expectations by subject; `screen` is the rows. */
  readonly expected: Readonly<Record<string, string>>;
}

/** All cases, file by file. */
export function readSequenceCases(): SequenceCase[] {
  const files = readdirSync(directory).filter((name) => name.endsWith('.txt'));
  return files.flatMap((name) => readFile(readFileSync(new URL(name, directory), 'utf8')));
}

function readFile(text: string): SequenceCase[] {
  const paragraphs = text.split(/^(?=\[[^\]]+\] )/m).slice(1);
  return paragraphs.map((paragraph) => readCase(paragraph.trimEnd().split('\n')));
}

function readCase([heading = '', ...lines]: string[]): SequenceCase {
  const [, about = '', title = ''] = /^\[(.+?)\] (.+)$/.exec(heading) ?? [];
  const rows = lines.filter((line) => line.startsWith('|')).map((line) => line.slice(1));
  const fields = lines
    .filter((line) => line !== '' && !line.startsWith('|'))
    .map((line) => readField(line));
  const input = fields.filter(([name]) => name === 'in').map(([, value]) => unescaped(value));
  const [cols, height] = (fields.find(([name]) => name === 'size')?.[1] ?? '').split('x');
  const checks = fields.filter(([name]) => name !== 'in' && name !== 'size');
  if (rows.length > 0) checks.push(['screen', withoutBlankEnd(rows)]);
  return {
    about,
    title,
    size: height === undefined ? smallScreen : { cols: Number(cols), rows: Number(height) },
    input: input.join(''),
    expected: Object.fromEntries(checks),
  };
}

function readField(line: string): [string, string] {
  const [, name, value] = /^([a-zA-Z0-9 ]+):(?: (.*))?$/.exec(line) ?? [];
  if (name === undefined) throw new Error(`a case cannot be read at: ${line}`);
  return [name, value ?? ''];
}

const withoutBlankEnd = (rows: readonly string[]): string => rows.join('\n').trimEnd();

/** The state of a new terminal after the input of a case, for the subjects of its expectations. */
export function observe({ size, expected }: SequenceCase, input: string): Record<string, string> {
  const terminal = new Terminal({ size, allowClipboard: true });
  terminal.feed(encoded(input));
  return Object.fromEntries(
    Object.keys(expected).map((what) => [what, look(terminal, ...words(what))]),
  );
}

const words = (what: string): [string, string[]] => {
  const [name = '', ...rest] = what.split(' ');
  return [name, rest];
};

function look(terminal: Terminal, name: string, rest: string[]): string {
  const observer = observers[name];
  if (observer === undefined) throw new Error(`a case expects something of "${name}"`);
  return observer(terminal, rest);
}

type Observer = (terminal: Terminal, rest: string[]) => string;

const yesOrNo = (value: boolean): string => (value ? 'yes' : 'no');

/** The subjects of expectations by their first word; the other words select one of several. */
const observers: Readonly<Record<string, Observer>> = {
  screen: (terminal) => withoutBlankEnd(terminal.screenText()),
  cursor: ({ cursor }) => `${cursor.row} ${cursor.col}${cursor.wrapPending ? ' wrap' : ''}`,
  /** `shape: bar steady` */
  shape: ({ cursor }) => `${cursor.shape} ${cursor.blinking ? 'blinking' : 'steady'}`,
  visible: ({ cursor }) => yesOrNo(cursor.visible),
  alternate: (terminal) => yesOrNo(terminal.alternate),
  reply: (terminal) => visible(terminal.takeReplies() ?? ''),
  title: (terminal) => terminal.title,
  icon: (terminal) => String((inspect(terminal)['titles'] as string[])[1]),
  bells: (terminal) =>
    String(
      terminal.takeEvents().reduce((sum, event) => sum + ('count' in event ? event.count : 0), 0),
    ),
  /** `events: mark mark="user" @0 0:3`: the event, its offset, its line and column */
  events: (terminal) =>
    terminal
      .takeEvents()
      .map((event) => Object.entries(event).map(eventWord).join(' '))
      .join(' | '),
  /** `keys kittyFlags: 5` */
  keys: (terminal, [mode = '']) => String(new Map(Object.entries(terminal.keyModes)).get(mode)),
  /** `view background: 1193046`, as JSON */
  view: (terminal, [mode = '']) =>
    JSON.stringify(new Map(Object.entries(terminal.viewModes)).get(mode)),
  /** `style 0 3: bold fg=1`: of row 0, column 3 */
  style: (terminal, [row, col]) => styleWords(cellAt(terminal, row, col).style),
  /** `link 0 3: http://example.org`, or none */
  link: (terminal, [row, col]) => cellAt(terminal, row, col).style.link ?? 'none',
  /** `ansi 0: a\e[0;1mb\e[m` */
  ansi: (terminal, [row]) => visible(terminal.readRow(Number(row)).ansi()),
  /** `width 0 3: 2` */
  width: (terminal, [row, col]) => String(cellAt(terminal, row, col).width),
  /** `scrollback 0: abc`, the oldest row; `scrollback rows: 1`, their number */
  scrollback(terminal, [which = '']) {
    const rows = terminal.scrollbackRows();
    return which === 'rows' ? String(rows.length) : (rows[Number(which)] ?? 'none');
  },
  /** `line 0: abc`, by line number */
  line(terminal, [number]) {
    const [entry] = terminal.readLines(Number(number), Number(number) + 1);
    return entry === undefined ? 'none' : entry.reader.text();
  },
};

function eventWord([name, value]: [string, unknown]): string {
  if (name === 'type') return String(value);
  if (name !== 'position') return `${name}=${JSON.stringify(value)}`;
  const { offset, line, col } = value as OutputPosition;
  return `@${offset} ${line ?? 'none'}:${col}`;
}

function cellAt(terminal: Terminal, row: string | undefined, col: string | undefined) {
  const cell = terminal.readRow(Number(row)).cells()[Number(col)];
  if (cell === undefined) throw new Error(`there is no cell ${row} ${col}`);
  return cell;
}
