import type { Verb } from '../verb.ts';
import type { Flag } from './flags.ts';
import { usageOf } from './parse-arguments.ts';

/** Text is wrapped at this column, or at the right margin of a narrower terminal. */
const width = 80;
/** A terminal with fewer columns is too narrow for two columns of text. */
const narrow = 60;

/** How wide help may be, by the columns of the terminal; null: no terminal. */
export const helpWidth = (columns: number | null): number =>
  Math.max(20, Math.min(width, columns ?? width));

const indent = '  ';
/** The width of the names in all groups of the overview, so that their columns meet. */
const overviewColumn = 'completion install'.length;

const tagline = 'A headless terminal multiplexer for agents and the people who work with them.';

/** Returns the text of `vtr --help`, from the verbs under their headings. */
export function overview(
  groups: readonly (readonly [string, readonly Verb[]])[],
  wide = width,
): string {
  const sections = groups.flatMap(([title, verbs]) => [
    `${title}:`,
    ...columns(
      verbs.map(({ name, summary }) => [name, summary] as const),
      { least: overviewColumn, wide },
    ),
    '',
  ]);
  return [
    ...filled(tagline, '', wide),
    '',
    'usage: vtr VERB [ARGUMENTS] [FLAGS]',
    '',
    ...sections,
    ...filled(
      'vtr VERB --help shows details and examples. SESSION is a session name, or COORDINATOR:NAME if several coordinators have a session of that name.',
      '',
      wide,
    ),
    '',
  ].join('\n');
}

/** Returns the text of `vtr` without a verb: what one needs first. */
export function firstLines(version: string, wide = width): string {
  const title = filled(`vtr ${version}. ${tagline}`, '', wide);
  return [...title, '', ...columns(firstVerbs, { least: longestFirst, wide }), ''].join('\n');
}

const firstVerbs = [
  ['vtr new', 'your shell in a session, in this terminal'],
  ['vtr spawn NAME -- PROGRAM', 'a program in the background'],
  ['vtr run NAME -- COMMAND', 'its output and exit status, in that shell'],
  ['vtr send NAME TEXT -e --wait RE', 'type a line, and wait for the answer'],
  ['vtr screen NAME', 'print the screen'],
  ['vtr attach NAME', 'use it in this terminal; Ctrl+b d leaves it'],
  ['vtr ui', 'all sessions; several side by side'],
  ['vtr web --open', 'all sessions in a browser'],
  ['vtr start claude', 'a coding agent; vtr prompt, vtr answer'],
  ['vtr --help', 'all verbs; vtr VERB --help: examples'],
] as const;
const longestFirst = Math.max(...firstVerbs.map(([line]) => line.length));

/** Returns the text of `vtr GROUP --help`, such as `vtr config --help`. */
export function groupHelp(group: string, verbs: readonly Verb[], wide = width): string {
  return [
    `usage: vtr ${group} VERB [ARGUMENTS] [FLAGS]`,
    '',
    ...columns(
      verbs.map(({ name, summary }) => [name, summary] as const),
      { wide },
    ),
    '',
    `vtr ${group} VERB --help shows details and examples.`,
    '',
  ].join('\n');
}

/** Returns the text of `vtr VERB --help`. */
export function verbHelp(verb: Verb, wide = width): string {
  const { summary, args, flags, details = [], examples } = verb;
  const argumentRows = Object.entries(args).map(
    ([name, { about }]) => [name.toUpperCase(), about] as const,
  );
  const flagRows = Object.entries(flags).map(
    ([name, flag]) => [flagHead(name, flag), flag.about] as const,
  );
  const rowsOf = (rows: Rows) => columns(rows, { wide }).join('\n');
  const sections = [
    `usage: ${usageOf(verb)}\n\n${filled(sentence(summary), '', wide).join('\n')}`,
    ...details.map((detail) =>
      (typeof detail === 'string' ? filled(detail, '', wide) : columns(detail, { wide })).join(
        '\n',
      ),
    ),
    ...(argumentRows.length > 0 ? [`arguments:\n${rowsOf(argumentRows)}`] : []),
    ...(flagRows.length > 0 ? [`flags:\n${rowsOf(flagRows)}`] : []),
    `examples:\n${rowsOf(examples.map(({ line, about }) => [line, about] as const))}`,
  ];
  return `${sections.join('\n\n')}\n`;
}

const sentence = (half: string): string => `${half[0]?.toUpperCase()}${half.slice(1)}.`;

function flagHead(name: string, { short, value, bare }: Flag<unknown>): string {
  const head = short === undefined ? `--${name}` : `-${short}, --${name}`;
  if (value === null) return head;
  return bare ? `${head} [${value}]` : `${head} ${value}`;
}

type Rows = readonly (readonly [string, string])[];

/**
 * Lays rows out in two columns, the first at least `least` wide, and wraps the second. A first one that is longer than
 * its column gets its own line; in a narrow terminal, each does.
 */
function columns(rows: Rows, { least = 0, wide }: { least?: number; wide: number }): string[] {
  const longest = Math.max(least, ...rows.map(([head]) => head.length));
  const column =
    wide < narrow ? 3 * indent.length : Math.max(least, Math.min(longest, 30)) + 2 * indent.length;
  return rows.flatMap(([head, text]) => {
    const [first = '', ...more] = filled(text, ' '.repeat(column), wide);
    const start = indent + head;
    if (start.length + indent.length > column) return [start, first, ...more];
    return [start + first.slice(start.length), ...more];
  });
}

/** Wraps text to lines of fewer than `wide` characters, each starting with `start`. */
function filled(text: string, start: string, wide: number): string[] {
  const lines: string[] = [];
  let line = start;
  for (const word of text.split(' ')) {
    if (line !== start && line.length + word.length >= wide) {
      lines.push(line.trimEnd());
      line = start;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
