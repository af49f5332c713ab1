import { cutText, decodeUtf8, withoutControls } from '#base';
import type { LineKey, MarkEvent, MarkKind, RedrawnPart } from '#model';
import { beginCommand, endCommand } from '../editing/command-modes.ts';
import { positionAt } from '../reading/output-position.ts';
import { publish, type TerminalState } from '../state/terminal-state.ts';
import { when } from './control-function.ts';
import { byWord, type OscRun, osc } from './osc-function.ts';
import { decoded, reportCwd } from './working-directory.ts';

// Marks of shell integration: OSC 133 as in FinalTerm, kitty and the semantic prompts of Per
// Bothner; OSC 633 of VS Code; and the equivalent parts of iTerm2's OSC 1337. The options `nonce`,
// `history_url` and `line_key` of OSC 133 are vtr's own. Terminals ignore unknown options.

/** In UTF-16 code units; longer command lines are truncated. */
const maxCommandLine = 16_384;
const maxNonceLength = 128;

type Details = Pick<
  MarkEvent,
  'prompt' | 'redraws' | 'lineKey' | 'commandLine' | 'historyLine' | 'nonce' | 'exitCode'
>;

function mark(t: TerminalState, offset: number, kind: MarkKind, details: Details = {}): void {
  publish(t, { type: 'mark', mark: kind, ...details, position: positionAt(t, offset) });
}

const prompts: Readonly<Record<string, Details>> = {
  c: { prompt: 'continuation' },
  s: { prompt: 'continuation' },
  r: { prompt: 'right' },
};

const promptStart: OscRun = (t, text, { offset }) => {
  const options = optionsIn(text);
  if (optionOf(options, 'k') === undefined) {
    endCommand(t, null);
    t.reports.statuses.settle();
  }
  mark(t, offset, 'promptStart', { ...promptOf(options), ...proofIn(options) });
};

const promptEnd: OscRun = (t, text, { offset }) =>
  mark(t, offset, 'promptEnd', proofIn(optionsIn(text)));

const commandStart: OscRun = (t, text, { offset }) => {
  const options = optionsIn(text);
  const details = { ...commandLineOf(text, options), ...proofIn(options) };
  beginCommand(t, details.commandLine ?? details.historyLine ?? null);
  mark(t, offset, 'commandStart', details);
};

const commandEnd: OscRun = (t, text, { offset }) => {
  const options = optionsIn(text);
  const exitCode = exitCodeOf(options[0]);
  // First, so that the mark is on the screen of the shell.
  endCommand(t, exitCode);
  mark(t, offset, 'commandEnd', { exitCode, ...proofIn(options) });
};

/** In number; further options are ignored. */
const maxOptions = 31;

function optionsIn(text: string): string[] {
  return text.split(';', maxOptions);
}

/** The option `redraw` of kitty and ghostty. */
const redrawings: Readonly<Record<string, RedrawnPart>> = {
  0: 'nothing',
  1: 'all',
  last: 'last_line',
};

const lineKeys: readonly unknown[] = ['noted', 'typed', 'always', 'paste', 'encoded', 'erasable'];
const isLineKey = (text: unknown): text is LineKey => lineKeys.includes(text);

function promptOf(options: readonly string[]): Details {
  const lineKey = optionOf(options, 'line_key');
  const redraw = optionOf(options, 'redraw') ?? '';
  return {
    ...prompts[optionOf(options, 'k') ?? ''],
    ...(Object.hasOwn(redrawings, redraw) ? { redraws: redrawings[redraw] } : {}),
    ...(isLineKey(lineKey) ? { lineKey } : {}),
  };
}

function optionOf(options: readonly string[], name: string): string | undefined {
  const text = options.find((option) => option.startsWith(`${name}=`));
  return text?.slice(name.length + 1);
}

function proofIn(options: readonly string[]): Details {
  return proofOf(optionOf(options, 'nonce'));
}

/** A nonce longer than vtr's is not stored. */
function proofOf(nonce = ''): Details {
  return nonce === '' || nonce.length > maxNonceLength ? {} : { nonce };
}

/**
 * kitty: `cmdline_url` is percent-encoded; `cmdline` is quoted for a shell and may contain
 * semicolons.
 */
function commandLineOf(text: string, options: readonly string[]): Details {
  const line = decodedOption(options, 'cmdline_url') ?? quotedLine(`;${text}`);
  const history = decodedOption(options, 'history_url');
  return {
    ...(line === undefined ? {} : { commandLine: cleanLine(line) }),
    ...(history === undefined ? {} : { historyLine: cleanLine(history) }),
  };
}

function quotedLine(text: string): string | undefined {
  const name = ';cmdline=';
  const at = text.indexOf(name);
  return at < 0 ? undefined : unquotedWord(text.slice(at + name.length));
}

function decodedOption(options: readonly string[], name: string): string | undefined {
  const encoded = optionOf(options, name);
  return encoded === undefined ? undefined : (decoded(encoded) ?? undefined);
}

function exitCodeOf(text = ''): number | null {
  return /^-?\d{1,10}$/.test(text) ? Number(text) : null;
}

/** A command line may have several lines. Other controls are removed. */
function cleanLine(line: string): string {
  return cutText(withoutControls(line), maxCommandLine);
}

const explicitLine: OscRun = (t, text, { offset }) => {
  const [line = '', nonce = ''] = text.split(';', 2);
  mark(t, offset, 'commandLine', { commandLine: cleanLine(unescaped(line)), ...proofOf(nonce) });
};

const property: OscRun = (t, text, { offset }) => {
  const [, cwd] = /^Cwd=([^;]*)/.exec(text) ?? [];
  if (cwd !== undefined) reportCwd(t, unescaped(cwd), '', offset);
};

/** Decodes `\\` and `\x3b`, the escapes of VS Code's shell integration. */
function unescaped(text: string): string {
  return text.replace(/\\(?:\\|x([0-9a-f]{2}))/gi, (_, hex?: string) =>
    hex === undefined ? '\\' : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

// Decodes the quoting of `printf %q` in bash and zsh.

const ansiEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};

/** A quoted or unquoted part of a word, up to the semicolon that ends the word. */
const part = /\$'((?:[^\\']|\\.)*)'|'([^']*)'|"((?:[^\\"]|\\.)*)"|\\(.)|([^;\\'"$]+|\$)/gsy;

/** Octal and hexadecimal escapes are bytes; the others are characters. */
const ansiEscape =
  /(?:\\(?:[0-7]{1,3}|x[0-9a-fA-F]{1,2}))+|\\u([0-9a-fA-F]{1,4})|\\U([0-9a-fA-F]{1,8})|\\(.)/gs;

// biome-ignore format: one line per operation
const semanticPrompt = byWord([
  when('A', 'A prompt begins', promptStart),
  when('N', 'As A', promptStart),
  when('P', 'As A', promptStart),
  when('B', 'A prompt ends, and the command line begins', promptEnd),
  when('I', 'As B', promptEnd),
  when('C', 'A command begins', commandStart),
  when('D', 'A command ends, with its exit status', commandEnd),
]);

// biome-ignore format: one line per operation
const vscode = byWord([
  // These marks do not tell bash, which draws only the last line of its prompt again, from other shells.
  when('A', 'A prompt begins', (t, text, context) => promptStart(t, `${text};redraw=last`, context)),
  when('B', 'A prompt ends, and the command line begins', promptEnd),
  when('C', 'A command begins', commandStart),
  when('D', 'A command ends, with its exit status', commandEnd),
  when('E', 'The command line, with a nonce', explicitLine),
  when('P', 'A property; Cwd= is the working directory', property),
]);

// biome-ignore format: one line per operation
const iterm = byWord([
  when('CurrentDir=', 'Report the working directory', (t, cwd, { offset }) => reportCwd(t, cwd, '', offset)),
  when('SetMark', 'Set a mark', (t, text, { offset }) => { if (text === '') mark(t, offset, 'user'); }),
]);

// biome-ignore format: one line per function
export const shellMarkFunctions = [
  osc(133, 'Mark prompts, commands and their ends (FinalTerm)', semanticPrompt),
  osc(633, 'Mark prompts, commands and their ends; report the command line and directory (VS Code)', vscode),
  osc(1337, 'Report the working directory; set a mark (iTerm2)', iterm),
];

/** Returns the text of the word at the beginning of `text`. A semicolon ends the word. */
function unquotedWord(text: string): string {
  let word = '';
  part.lastIndex = 0;
  for (let match = part.exec(text); match !== null; match = part.exec(text)) {
    const [, ansi, single, double, escaped, plain] = match;
    word +=
      ansi === undefined
        ? (single ?? unescapedDouble(double) ?? escaped ?? plain)
        : unescapedAnsi(ansi);
  }
  return word;
}

function unescapedDouble(text: string | undefined): string | undefined {
  return text?.replace(/\\([\\"$`])/g, '$1');
}

function unescapedAnsi(text: string): string {
  return text.replace(ansiEscape, (run: string, short?: string, long?: string, letter?: string) => {
    if (letter !== undefined) return ansiEscapes[letter] ?? run;
    const hex = short ?? long;
    if (hex === undefined) return decodeUtf8(bytesOf(run));
    const code = Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}

function bytesOf(run: string): Uint8Array {
  const codes = run.match(/[0-7]{1,3}|x[0-9a-fA-F]{1,2}/g) ?? [];
  return Uint8Array.from(codes, (code) =>
    code.startsWith('x') ? Number.parseInt(code.slice(1), 16) : Number.parseInt(code, 8),
  );
}
