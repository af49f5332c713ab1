import { nearMisses, quoted } from '#base';
import { checkSize, directoryOf, VtrError } from '#model';
import type { Action } from '../view/view.ts';
import { removed } from './removing.ts';
import { type Done, restart, type Scene } from './scene.ts';

type Run = (scene: Scene, rest: string) => Promise<Done> | Done;

interface Command {
  /** Its arguments, for messages. */
  readonly usage: string;
  readonly run: Run;
}

/** The commands that can be typed after `:`; they are those of `vtr`, for the session in view. */
const commands: Readonly<Record<string, Command>> = {
  detach: {
    usage: '',
    run: ({ session }) => ({ way: { type: 'detached', session: session.name } }),
  },
  take: {
    usage: '[--force]',
    async run({ viewing }, rest) {
      if (rest !== '' && rest !== '--force') badLine('use take or take --force');
      await viewing?.take({ force: rest !== '' });
      return {};
    },
  },
  give: { usage: '[--to NAME] [NOTE]', run: give },
  note: {
    usage: 'NOTE',
    run: (scene, rest) => (rest === '' ? badLine('use note TEXT') : give(scene, rest)),
  },
  rename: {
    usage: 'NAME',
    async run({ coordinator, session }, name) {
      await coordinator.rename(session, name);
      return { said: `renamed to ${name}` };
    },
  },
  resize: {
    usage: 'COLSxROWS',
    async run({ coordinator, session, viewing }, rest) {
      const [, cols, rows] = /^(\d+)[x× ](\d+)$/.exec(rest) ?? badLine('use resize COLSxROWS');
      const size = checkSize({ cols: Number(cols), rows: Number(rows) });
      await coordinator.resize(session, size, viewing === null ? {} : { viewer: viewing.id });
      return {};
    },
  },
  label: {
    usage: 'KEY=VALUE',
    async run({ coordinator, session }, rest) {
      const [, key = '', value = ''] =
        /^([^=\s]+)=(.*)$/.exec(rest) ?? badLine('use label KEY=VALUE');
      await coordinator.setLabels(session, { [key]: value === '' ? null : value });
      return { said: value === '' ? `removed the label ${key}` : `${key}=${value}` };
    },
  },
  kill: {
    usage: '',
    async run({ coordinator, session }) {
      await coordinator.end(session);
      return {};
    },
  },
  revive: { usage: '', run: (scene) => restart(scene) },
  rm: {
    usage: '[--force]',
    run(scene, rest) {
      if (rest !== '' && rest !== '--force')
        badLine('rm is for this session: use rm or rm --force');
      return removed(scene, { effect: 'remove', anyway: rest !== '' });
    },
  },
  spawn: { usage: '[NAME] [-- PROGRAM]', run: (scene, rest) => started(scene, rest, 'stay') },
  new: { usage: '[NAME] [-- PROGRAM]', run: (scene, rest) => started(scene, rest, 'go') },
  attach: {
    usage: 'SESSION',
    async run({ coordinator }, name) {
      if (name === '') badLine('use attach SESSION');
      const { id, name: text } = await coordinator.info(name);
      return { way: { type: 'other', session: { name: text, id } } };
    },
  },
};

/** `--to NAME NOTE`, `--to "NAME WITH SPACES" NOTE` or `NOTE`. */
async function give({ viewing }: Scene, rest: string): Promise<Done> {
  if (!/^--to(?![\w-])/.test(rest)) {
    await viewing?.give(rest === '' ? {} : { note: rest });
    return {};
  }
  const [, double, single, word, note = ''] =
    /^--to[\s=]+(?:"([^"]+)"|'([^']+)'|([^\s"']\S*))\s*(.*)$/.exec(rest) ??
    badLine('use give --to NAME [NOTE]; quote a name with spaces');
  const to = double ?? single ?? word ?? '';
  await viewing?.give({ to, ...(note !== '' && { note }) });
  return { said: `handed to ${to}` };
}

/**
 * Starts a session, in the directory of the one in view unless the words name another one.
 *
 * @param then whether the person goes there
 */
async function started(scene: Scene, rest: string, then: 'go' | 'stay'): Promise<Done> {
  const { coordinator, session, sessions, verbs } = scene;
  if (verbs === null) badLine('no sessions can be started here');
  const words = wordsOf(rest);
  const own = words.slice(0, words.includes('--') ? words.indexOf('--') : undefined);
  const info = sessions.get(session.id);
  const isPlaced = own.some((word) => word === '--cwd' || word.startsWith('--cwd='));
  const place = isPlaced || info === undefined ? [] : ['--cwd', directoryOf(info)];
  const verb = then === 'go' ? ['new', '--detach'] : ['spawn'];
  const { status, out, err } = await verbs.run([...verb, ...place, ...words], placeOf(scene));
  const [name = ''] = out.split('\n');
  if (status !== 0) badLine(err.trim() || `${verb[0]} ended with status ${status}`);
  if (then === 'stay') return { said: `started ${name}` };
  const { id } = await coordinator.info(name);
  return { way: { type: 'other', session: { name, id } } };
}

/** As one word of a line. */
const quotedName = (name: string): string =>
  !/[\s"']/.test(name) ? name : name.includes('"') ? `'${name}'` : `"${name}"`;

const placeOf = ({ link, session, sessions, ended }: Scene) => ({
  socket: link.socket,
  session: session.name,
  sessions: [...sessions.values()].map(({ name }) => name),
  signal: ended,
});

/** Splits a line into words as a shell does: with quotes and backslashes. @throws VtrError INVALID_ARGUMENT */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (quote === '' && /\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (character === quote) quote = '';
    else {
      const isEscaped = character === '\\' && quote !== "'" && at + 1 < line.length;
      word = (word ?? '') + (isEscaped ? line.charAt(++at) : character);
    }
  }
  if (quote !== '') badLine(`the quote ${quote} has no end`);
  return word === null ? words : [...words, word];
}

/**
 * Runs a line that was typed after `:`: a command of the view, else a verb of vtr, for the session in view if
 * the verb is about a session and the line names none.
 *
 * @throws VtrError INVALID_ARGUMENT, and of the call
 */
export async function runLine(line: string, scene: Scene): Promise<Done> {
  const [word = ''] = line.trim().split(/\s+/);
  if (word === '') return {};
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (command !== undefined) {
    const rest = line.trim().slice(word.length).trim();
    // `rm build` must not remove the session in view.
    if (command.usage === '' && rest !== '')
      badLine(`${word} has no argument: it is for this session`);
    return command.run(scene, rest);
  }
  const { verbs } = scene;
  const ofVtr = (await verbs?.names()) ?? [];
  if (verbs !== null && ofVtr.includes(word)) {
    const { status, out, err } = await verbs.run(wordsOf(line), placeOf(scene));
    return printed(line.trim(), status, out + err);
  }
  const [near] = nearMisses(word, new Set([...Object.keys(commands), ...ofVtr]));
  const hint = near === undefined ? 'Tab lists them' : `did you mean ${near}?`;
  badLine(`no command ${quoted(word)}; ${hint}`);
}

/** A line is told for a moment; more has the window. */
function printed(line: string, status: number, text: string): Done {
  const lines = text.trimEnd().split('\n');
  const [first = ''] = lines;
  const how = status === 0 ? '' : ` · status ${status}`;
  if (lines.length > 1) return { action: { type: 'page', title: `${line}${how}`, lines } };
  return { said: first === '' ? `${line}: done${how}` : `${first}${how}` };
}

/** Returns how the last word of a line can go on. */
export async function completeLine(line: string, scene: Scene): Promise<Action> {
  const words = line
    .split(/\s+/)
    .filter((word, index, all) => word !== '' || index === all.length - 1);
  const last = words.at(-1) ?? '';
  const names = placeOf(scene).sessions;
  const [first = ''] = words;
  const candidates =
    words.length <= 1
      ? [...Object.keys(commands), ...((await scene.verbs?.names()) ?? [])]
      : await wordsAfter(first);
  const fitting = [...new Set(candidates)].filter((word) => word.startsWith(last)).sort();
  return { type: 'completed', line, words: fitting };

  async function wordsAfter(command: string): Promise<readonly string[]> {
    if (command === 'attach') return names;
    if (command === 'give')
      return words.at(-2) === '--to' ? scene.receivers.map(quotedName) : ['--to'];
    const starts = command === 'spawn' || command === 'new';
    if (Object.hasOwn(commands, command) && !starts) return [];
    return (await scene.verbs?.complete(words, names)) ?? [];
  }
}

/** @throws VtrError INVALID_ARGUMENT */
function badLine(message: string): never {
  throw new VtrError('INVALID_ARGUMENT', message);
}
