import type { Verb } from '../verb.ts';
import type { Flag } from './flags.ts';
import { usageOf } from './parse-arguments.ts';

/** Text is wrapped at this column. */
const width = 80;
const indent = '  ';
/** The width of the names in all groups of the overview, so that their columns meet. */
const overviewColumn = 'completion install'.length;

export const tagline =
  'A headless terminal multiplexer for agents and the people who work with them.';

/** Returns the text of `vtr --help`, from the verbs under their headings. */
export function overview(groups: readonly (readonly [string, readonly Verb[]])[]): string {
  const sections = groups.flatMap(([title, verbs]) => [
    `${title}:`,
    ...columns(
      verbs.map(({ name, summary }) => [name, summary] as const),
      overviewColumn,
    ),
    '',
  ]);
  return [
    tagline,
    '',
    'usage: vtr VERB [ARGUMENTS] [FLAGS]',
    '',
    ...sections,
    'vtr VERB --help shows details and examples. SESSION is a session name, or',
    'COORDINATOR:NAME if several coordinators have a session of that name.',
    '',
  ].join('\n');
}

/** Returns the text of `vtr` without a verb: what one needs first. */
export function firstLines(version: string): string {
  return [`vtr ${version}. ${tagline}`, '', ...columns(firstVerbs, longestFirst), ''].join('\n');
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
export function groupHelp(group: string, verbs: readonly Verb[]): string {
  return [
    `usage: vtr ${group} VERB [ARGUMENTS] [FLAGS]`,
    '',
    ...columns(verbs.map(({ name, summary }) => [name, summary] as const)),
    '',
    `vtr ${group} VERB --help shows details and examples.`,
    '',
  ].join('\n');
}

/** Returns the text of `vtr VERB --help`. */
export function verbHelp(verb: Verb): string {
  const { summary, args, flags, details = [], examples } = verb;
  const argumentRows = Object.entries(args).map(
    ([name, { about }]) => [name.toUpperCase(), about] as const,
  );
  const flagRows = Object.entries(flags).map(
    ([name, flag]) => [flagHead(name, flag), flag.about] as const,
  );
  const sections = [
    `usage: ${usageOf(verb)}\n\n${sentence(summary)}`,
    ...details.map((detail) =>
      (typeof detail === 'string' ? filled(detail, '') : columns(detail)).join('\n'),
    ),
    ...(argumentRows.length > 0 ? [`arguments:\n${columns(argumentRows).join('\n')}`] : []),
    ...(flagRows.length > 0 ? [`flags:\n${columns(flagRows).join('\n')}`] : []),
    `examples:\n${columns(examples.map(({ line, about }) => [line, about] as const)).join('\n')}`,
  ];
  return `${sections.join('\n\n')}\n`;
}

const sentence = (half: string): string => `${half[0]?.toUpperCase()}${half.slice(1)}.`;

function flagHead(name: string, { short, value, bare }: Flag<unknown>): string {
  const head = short === undefined ? `--${name}` : `-${short}, --${name}`;
  if (value === null) return head;
  return bare ? `${head} [${value}]` : `${head} ${value}`;
}

/**
 * Lays rows out in two columns, the first at least `least` wide, and wraps the second. A first one that is longer than
 * its column gets its own line.
 */
function columns(rows: readonly (readonly [string, string])[], least = 0): string[] {
  const longest = Math.max(least, ...rows.map(([head]) => head.length));
  const column = Math.max(least, Math.min(longest, 30)) + 2 * indent.length;
  return rows.flatMap(([head, text]) => {
    const [first = '', ...more] = filled(text, ' '.repeat(column));
    const start = indent + head;
    if (start.length + indent.length > column) return [start, first, ...more];
    return [start + first.slice(start.length), ...more];
  });
}

/** Wraps text to lines of fewer than {@link width} characters, each starting with `start`. */
function filled(text: string, start: string): string[] {
  const lines: string[] = [];
  let line = start;
  for (const word of text.split(' ')) {
    if (line !== start && line.length + word.length >= width) {
      lines.push(line.trimEnd());
      line = start;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
