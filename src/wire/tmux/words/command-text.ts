import { commandRow } from '../table/command-table.ts';
import { parseArguments } from './arguments.ts';
import type { CommandWords } from './command-line.ts';

/** How the commands of a key or a hook are written. */
export type CommandForm = 'run' | 'listed';

const separators: Readonly<Record<CommandForm, string>> = { run: ' ; ', listed: ' \\; ' };

/**
 * Writes commands as tmux does: flags without values first, sorted and in one word, then those with values, then words.
 *
 * @param form `run` can be parsed again; `listed` is what `list-keys` prints, without `--` before words
 * @throws TmuxError
 */
export function commandsText(commands: readonly CommandWords[], form: CommandForm): string {
  return commands.map((words) => commandText(words, form)).join(separators[form]);
}

function commandText([name = '', ...rest]: CommandWords, form: CommandForm): string {
  const { flags = '' } = commandRow(name) ?? {};
  const read = parseArguments(name, { flags, words: [0, Infinity] }, rest);
  const sorted = [...read.flags].sort(([one], [two]) => (one < two ? -1 : 1));
  const hasValue = (flag: string) => flags.includes(`${flag}:`);
  const letters = sorted
    .filter(([flag]) => !hasValue(flag))
    .map(([flag, values]) => flag.repeat(values.length));
  const valued = sorted
    .filter(([flag]) => hasValue(flag))
    .flatMap(([flag, values]) => values.map((value) => `-${flag} ${quotedValue(value)}`));
  const isAmbiguous = form === 'run' && read.words[0]?.startsWith('-') === true;
  return [
    name,
    ...(letters.length === 0 ? [] : [`-${letters.join('')}`]),
    ...valued,
    ...(isAmbiguous ? ['--'] : []),
    ...read.words.map(quotedValue),
  ].join(' ');
}

/** Returns a value as tmux prints it in a list, in quotes if its configuration needs them. */
export function quotedValue(text: string): string {
  if (text === '') return "''";
  if (text.length === 1 && /["'\\$;{}~#% ]/.test(text)) {
    return text === "'" || text === ' ' ? `"${text}"` : `\\${text}`;
  }
  const needsQuotes = /[ #';${}%]/.test(text);
  const escaped = text
    .replace(needsQuotes || text.includes('"') ? /["\\]/g : /\\/g, '\\$&')
    .replace(/\n/g, '\\n')
    .replace(/\t/g, '\\t');
  const safe = escaped.replace(/\$(?=[A-Za-z_{])/g, '\\$');
  const plain = text.startsWith('~') ? `\\${safe}` : safe;
  return needsQuotes || text.includes('"') ? `"${plain}"` : plain;
}
