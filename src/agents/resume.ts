import type { AgentKind } from './agent-kind.ts';
import { isNamedBy } from './identify.ts';

/** A command line that starts an agent again. */
export interface ResumedCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Options that the agent was started with, and that are not repeated, because nobody knows what follows from it. */
  readonly leftOut: readonly string[];
}

/** What an agent that is started again does with its conversation: `none` begins another one. */
export type ResumeWay = 'resume' | 'fork' | 'none';

/**
 * Returns the command with which an agent is started again, as it was started before: through the same wrapper, and
 * with those of its options that its kind names. A prompt is not repeated, nor is an option that chooses a
 * conversation.
 *
 * @param words the program and its arguments
 * @param id of the conversation; for `none` it is ignored
 * @returns null if the command does not start such an agent, or cannot be taken apart
 */
export function resumedCommand(
  kind: AgentKind,
  words: readonly string[],
  way: ResumeWay,
  id: string,
): ResumedCommand | null {
  const more = wayOf(kind, way, id);
  if (more === null) return null;
  const line = lineOf(words);
  if (line === null) return joined(resumedWords(kind, words.map(plainWord), more));
  const tokens = shellWords(words[line] ?? '');
  const resumed = tokens && resumedWords(kind, tokens, more);
  if (resumed == null) return null;
  const [program = '', ...args] = words;
  return { program, args: args.with(line - 1, resumed.words.join(' ')), leftOut: resumed.leftOut };
}

/** As {@link resumedCommand}, for a line of a shell. @returns null if it starts no such agent */
export function resumedLine(kind: AgentKind, line: string, way: ResumeWay, id: string) {
  const more = wayOf(kind, way, id);
  const tokens = shellWords(line);
  const resumed = more && tokens && resumedWords(kind, tokens, more);
  return resumed?.words.join(' ') ?? null;
}

/** The conversation that the arguments of an agent name; null if they name none. */
export function conversationInArguments(kind: AgentKind, words: readonly string[]): string | null {
  const { command = [] } = kind.resume ?? {};
  const at = command.findIndex((word) => word.includes('{id}'));
  const [form = '', before = ''] = [command[at], command[at - 1]];
  const options = ['--session-id', ...(form === '{id}' && at > 1 ? [before] : [])];
  const starts = [...options.map((option) => `${option}=`), form.split('{id}')[0] ?? ''];
  const values = words.map((word, index) => {
    if (options.includes(words[index - 1] ?? '')) return word;
    const start = starts.find((each) => each !== '' && word.startsWith(each));
    return start === undefined ? '' : word.slice(start.length);
  });
  return values.findLast(isConversationId) ?? null;
}

/** Whether a text can name a conversation: it is no option, and means nothing else to a shell. */
export const isConversationId = (text: string): boolean => /^\w[\w.:@-]{0,199}$/u.test(text);

/** The place of the agent's program among words; null if none of them is it. */
export function agentPlace(kind: AgentKind, words: readonly string[]): number | null {
  const at = words.findIndex((word, index) => isNamedBy(kind, word, index));
  return at === -1 ? null : at;
}

interface Token {
  /** As it is written. */
  readonly raw: string;
  readonly value: string;
}

const plainWord = (value: string): Token => ({ raw: value, value });

interface ResumedWords {
  readonly words: readonly string[];
  readonly leftOut: readonly string[];
}

const joined = (resumed: ResumedWords | null): ResumedCommand | null => {
  if (resumed === null) return null;
  const [program = '', ...args] = resumed.words;
  return { program, args, leftOut: resumed.leftOut };
};

/** The arguments that choose the conversation; null if the kind has no command for that. */
function wayOf({ resume }: AgentKind, way: ResumeWay, id: string): readonly string[] | null {
  if (way === 'none') return [];
  const command = way === 'fork' ? resume?.fork : resume?.command;
  return command?.slice(1).map((word) => word.replace('{id}', id)) ?? null;
}

function resumedWords(
  kind: AgentKind,
  words: readonly Token[],
  more: readonly string[],
): ResumedWords | null {
  const place = agentPlace(
    kind,
    words.map(({ value }) => value),
  );
  if (place === null) return null;
  const before = words.slice(0, place + 1).map(({ raw }) => raw);
  const { kept, leftOut } = repeated(kind, words.slice(place + 1));
  return { words: [...before, ...more, ...kept], leftOut };
}

/** Divides the arguments of an agent into those that are repeated, and options that are not. */
function repeated({ resume }: AgentKind, words: readonly Token[]) {
  const options = new Map((resume?.options ?? []).map(optionOf));
  const rest: string[] = [];
  const leftOut: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const { value, raw } = words[at] as Token;
    if (value === '--') break;
    if (!isOption(value)) continue;
    const [name = ''] = value.split('=', 1);
    const values = options.get(name);
    const isWhole = value.includes('=');
    let next = at + 1;
    const mostValues = isWhole ? 0 : (values ?? 1);
    while (next < words.length && next - at <= mostValues && !isOption(words[next]?.value ?? '')) {
      next++;
    }
    if (values === undefined) leftOut.push(name);
    else rest.push(raw, ...words.slice(at + 1, next).map((word) => word.raw));
    at = next - 1;
  }
  return { kept: rest, leftOut };
}

const isOption = (word: string): boolean => /^-./.test(word);

/** `--model VALUE` takes one value, and `--add-dir VALUE...` those up to the next option. */
function optionOf(written: string): [name: string, values: number] {
  const [name = '', value] = written.split(' ');
  return [name, value === undefined ? 0 : value.endsWith('...') ? Number.POSITIVE_INFINITY : 1];
}

/** The place of the line that a shell runs; null if the words start no shell with a line. */
function lineOf([program = '', ...args]: readonly string[]): number | null {
  if (!/(?:^|\/)(?:sh|bash|zsh|dash|fish)$/u.test(program)) return null;
  const at = args.findIndex((arg) => /^-[a-z]*c$/u.test(arg));
  return at === -1 || args[at + 1] === undefined ? null : at + 2;
}

/** Characters that are themselves without quotes. */
const bare = /^[\w@%+=:,./-]+/u;

/** Divides a line into words; null if a shell does anything else with it than to start one program. */
function shellWords(line: string): Token[] | null {
  const words: Token[] = [];
  let rest = line.trim();
  while (rest !== '') {
    let raw = '';
    let value = '';
    while (rest !== '' && !/^\s/u.test(rest)) {
      const quoted = /^'([^']*)'|^"([^"$`\\!]*)"/u.exec(rest);
      const part = quoted ?? bare.exec(rest);
      if (part === null) return null;
      raw += part[0];
      value += quoted === null ? part[0] : (quoted[1] ?? quoted[2] ?? '');
      rest = rest.slice(part[0].length);
    }
    words.push({ raw, value });
    rest = rest.trimStart();
  }
  return words;
}
