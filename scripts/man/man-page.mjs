/**
 * Pages of the manual in the macros of man(7), which groff and mandoc read.
 *
 * @typedef {import('#app/cli').Verb} Verb
 */
import { exitStatuses } from '../exit-statuses.mjs';

/** @param {string} name of a verb, or `termcp` @returns the name of its page, without the section */
export const pageName = (name) => (name === 'termcp' ? name : `vtr-${name.replaceAll(' ', '-')}`);

/**
 * Text in which roff sees no control characters. Hyphens are those of commands, so that they can be copied.
 *
 * @param {string} text
 */
const plain = (text) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('"', '\\(dq')
    .replace(/[^\x20-\x7e]/gu, (each) => {
      const code = each.codePointAt(0) ?? 0;
      return `\\[u${code.toString(16).toUpperCase().padStart(4, '0')}]`;
    })
    // A line that begins with these would be a request.
    .replace(/^[.]/, '\\&.');

/** @param {string} text */
const bold = (text) => `\\fB${plain(text)}\\fR`;
/** @param {string} text */
const italic = (text) => `\\fI${plain(text)}\\fR`;

/**
 * Prose, with flags in bold. Its lines are short, as pages of the manual have them.
 *
 * @param {string} text
 */
function prose(text) {
  const styled = text
    .split(/((?<![\w-])--[a-z][a-z-]*)/)
    .map((part, at) => (at % 2 === 1 ? bold(part) : plain(part)))
    .join('');
  const lines = [''];
  for (const word of styled.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + word.length >= 80) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  // A line that begins with a full stop would be a request.
  return lines.map((line) => line.replace(/^\./, '\\&.')).join('\n');
}

/** A term and what it means. @param {string} head in roff @param {string} text */
const item = (head, text) => `.TP\n${head}\n${prose(text)}`;

/** @param {string} title @param {readonly string[]} parts */
const section = (title, parts) => (parts.length === 0 ? [] : [`.SH ${title}`, ...parts]);

/** @param {string} half */
const sentence = (half) => `${(half[0] ?? '').toUpperCase()}${half.slice(1)}.`;

/**
 * @param {string} name of the page
 * @param {{ version: string, date: string }} release
 */
const heading = (name, { version, date }) =>
  `.\\" Generated from the declarations of the verbs.\n.TH ${plain(name.toUpperCase())} 1 ${date} "vtr ${plain(version)}" "Manual of vtr"`;

/** A usage line: placeholders in italics. @param {string} usage @param {string} command */
function synopsis(usage, command) {
  const rest = usage.slice(command.length).split(/([A-Z][A-Z_]+)/);
  const words = rest.map((part, at) => (at % 2 === 1 ? italic(part) : plain(part)));
  return `${bold(command)}${words.join('')}`;
}

/** @param {string} name @param {Verb['flags'][string]} flag */
function flagHead(name, { short, value, bare }) {
  const head =
    short === undefined ? bold(`--${name}`) : `${bold(`-${short}`)}, ${bold(`--${name}`)}`;
  if (value === null) return head;
  return bare ? `${head} [${italic(value)}]` : `${head} ${italic(value)}`;
}

/**
 * The page of a verb, or of a command beside vtr.
 *
 * @param {Verb} verb
 * @param {string} usage
 * @param {readonly string[]} related names of other pages
 * @param {{ version: string, date: string }} release
 */
export function verbPage(verb, usage, related, release) {
  const name = pageName(verb.name);
  const command = verb.isCommand ? verb.name : `vtr ${verb.name}`;
  const details = (verb.details ?? []).flatMap((detail) =>
    typeof detail === 'string'
      ? ['.PP', prose(detail)]
      : detail.map(([head, text]) => item(bold(head), text)),
  );
  const args = Object.entries(verb.args).map(([word, { about }]) =>
    item(italic(word.toUpperCase()), about),
  );
  const flags = Object.entries(verb.flags).map(([flag, of]) => item(flagHead(flag, of), of.about));
  const examples = verb.examples.map(({ line, about }) => item(bold(line), about));
  return page([
    heading(name, release),
    ...section('NAME', [`${plain(name)} \\- ${plain(verb.summary)}`]),
    ...section('SYNOPSIS', [synopsis(usage, command)]),
    ...section('DESCRIPTION', [prose(sentence(verb.summary)), ...details]),
    ...section('ARGUMENTS', args),
    ...section('OPTIONS', flags),
    ...section('EXAMPLES', examples),
    ...section('EXIT STATUS', [
      '0 for success. The others have the same meaning for every verb:',
      '.BR vtr (1)',
    ]),
    ...section('SEE ALSO', [references(['vtr', ...related])]),
  ]);
}

/** The page of vtr. @param {readonly (readonly [string, readonly Verb[]])[]} groups @param {{ version: string, date: string }} release */
export function overviewPage(groups, release) {
  const verbs = groups.flatMap(([title, group]) => [
    `.SS ${plain(title)}`,
    ...group.map(
      ({ name, summary }) => `.TP\n.BR ${plain(pageName(name))} (1)\n${plain(sentence(summary))}`,
    ),
  ]);
  return page([
    heading('vtr', release),
    ...section('NAME', ['vtr \\- headless terminal multiplexer for agents, scripts and people']),
    ...section('SYNOPSIS', [
      `${bold('vtr')} ${italic('VERB')} [${italic('ARGUMENTS')}] [${italic('FLAGS')}]`,
      '.br',
      `${bold('vtr help')} [${italic('VERB')}]`,
    ]),
    ...section('DESCRIPTION', [
      'vtr runs programs in pseudo\\-terminals, keeps their screens, and reports the moment something happens: text that appears, the end of a command with its status, a question. A daemon, which the first session starts, keeps the sessions.',
      '.PP',
      `${italic('SESSION')} is the name of a session, or ${italic('COORDINATOR:NAME')} if several coordinators have a session of that name. Results go to stdout, everything else to stderr. Every verb that returns data accepts ${bold('--json')}.`,
    ]),
    ...section('VERBS', verbs),
    ...section(
      'EXIT STATUS',
      exitStatuses().map(({ status, result, codes }) =>
        item(
          String(status),
          [result.replaceAll('`', ''), codes.join(', ')].filter((each) => each !== '').join('; '),
        ),
      ),
    ),
    ...section(
      'ENVIRONMENT',
      environment.map(([head, text]) => item(bold(head), text)),
    ),
    ...section(
      'FILES',
      files.map(([head, text]) => item(italic(head), text)),
    ),
    ...section('SEE ALSO', [references(['termcp', 'tmux'])]),
  ]);
}

/** @type {readonly (readonly [string, string])[]} */
const environment = [
  ['VTR_SOCKET', 'the socket of the coordinator, in place of the usual one'],
  [
    'XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR',
    'where configuration, saved sessions and the socket are',
  ],
  ['NO_COLOR', 'if it is set, tables and messages have no colours'],
];

/** @type {readonly (readonly [string, string])[]} */
const files = [
  [
    '~/.config/vtr/config.toml',
    'what the command reads: other coordinators, keys, the environment of programs',
  ],
  ['~/.config/vtr/server.toml', 'what daemons and MCP servers read'],
  ['~/.local/state/vtr', 'saved sessions, recordings and the audit trail'],
];

/** @param {readonly string[]} pages of section 1 */
const references = (pages) =>
  pages.map((name, at) => `.BR ${plain(name)} (1)${at < pages.length - 1 ? ' ,' : ''}`).join('\n');

/** @param {readonly string[]} lines */
const page = (lines) => `${lines.join('\n')}\n`;
