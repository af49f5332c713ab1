import type { ChildProcess } from 'node:child_process';
import { nearMisses } from '#base';
import { checkSize, type SessionInfo, VtrError } from '#model';
import type { Effect } from '../view/view.ts';
import { type Done, restart, type Scene } from './scene.ts';

/** Performs an effect by calls to the coordinator. @throws VtrError of the call */
export async function perform(effect: Effect, scene: Scene): Promise<Done> {
  const { coordinator, viewing, session, size } = scene;
  switch (effect.type) {
    case 'kill':
      await coordinator.end(session);
      return {};
    case 'resize':
      await coordinator.resize(session, size, viewing === null ? {} : { viewer: viewing.id });
      return {};
    case 'take':
      await viewing?.take({ force: effect.force });
      return {};
    case 'give':
      await viewing?.give(effect.note === '' ? {} : { note: effect.note });
      return {};
    case 'mark':
      await coordinator.setMarker(session, effect.label);
      return { said: `marker ${effect.label.trim()} is set` };
    case 'record':
      return record(scene);
    case 'restart':
      return restart(scene);
    case 'remove':
      await coordinator.remove(session);
      return { way: { type: 'removed', session: session.name } };
    case 'session':
      return neighbour(scene, effect.step);
    case 'last':
      return last(scene);
    case 'goTo':
      return goTo(scene, effect.session, effect.line);
    case 'copy':
      await copyText(effect.text, scene.setClipboard);
      return {};
    case 'command':
      return runLine(effect.line, scene);
    default:
      return {};
  }
}

/** Starts the recording of the session in a file, or ends it. */
async function record({ coordinator, session }: Scene): Promise<Done> {
  const { recording } = await coordinator.info(session);
  const isOn = recording?.state === 'on';
  const { file } = await (isOn
    ? coordinator.stopRecording(session)
    : coordinator.startRecording(session));
  return { said: `${isOn ? 'recorded to' : 'recording to'} ${file}` };
}

/**
 * The next or previous session that wants somebody, around the list: of those that the status line counts, else of
 * those with any reason.
 */
function neighbour({ sessions, session, wants }: Scene, step: 1 | -1): Done {
  const others = [...sessions.values()].filter(({ id }) => id !== session.id);
  const isCounted = others.some(wants)
    ? wants
    : ({ attention }: SessionInfo) => attention !== undefined;
  const wanting = [...sessions.values()].filter(
    (info) => info.id === session.id || isCounted(info),
  );
  const at = wanting.findIndex(({ id }) => id === session.id);
  const next = wanting.at((at + step) % wanting.length);
  if (next === undefined || next.id === session.id) {
    return { said: 'no other session wants anybody' };
  }
  const { name, id } = next;
  return { way: { type: 'other', session: { name, id } } };
}

/** The session that was shown before: it may have another name by now, or be gone. */
async function last({ coordinator, before }: Scene): Promise<Done> {
  if (before === null) return { said: 'no session was shown before this one' };
  const { name, id } = await coordinator.info(before);
  return { way: { type: 'other', session: { name, id } } };
}

async function goTo({ coordinator, session }: Scene, name: string, line: number): Promise<Done> {
  if (name === session.name) return { action: { type: 'goTo', line } };
  const { id } = await coordinator.info(name);
  return { way: { type: 'other', session: { name, id }, line } };
}

/** Programs that set the system's clipboard, and the condition under which each does. */
const programs: readonly {
  readonly words: readonly [string, ...string[]];
  readonly works: (env: NodeJS.ProcessEnv) => boolean;
}[] = [
  { words: ['pbcopy'], works: () => process.platform === 'darwin' },
  { words: ['wl-copy'], works: ({ WAYLAND_DISPLAY }) => Boolean(WAYLAND_DISPLAY) },
  { words: ['xclip', '-selection', 'clipboard'], works: ({ DISPLAY }) => Boolean(DISPLAY) },
  { words: ['xsel', '-ib'], works: ({ DISPLAY }) => Boolean(DISPLAY) },
];

/**
 * Puts text into the clipboard: by the terminal (OSC 52), which does not tell whether it does, and by a
 * program of the system unless this is another machine than the terminal's.
 */
async function copyText(text: string, setClipboard: (text: string) => void): Promise<void> {
  setClipboard(text);
  const { env } = process;
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return;
  const { spawn } = await import('node:child_process');
  for (const { words, works } of programs) {
    if (!works(env)) continue;
    const [program, ...args] = words;
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'] });
    if (await hasTaken(child, text)) return;
  }
}

function hasTaken(child: ChildProcess, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (status) => resolve(status === 0));
    child.stdin?.on('error', () => {});
    child.stdin?.end(text);
  });
}

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
  give: { usage: '[NOTE]', run: give },
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
    usage: '',
    async run({ coordinator, session }) {
      await coordinator.remove(session);
      return { way: { type: 'removed', session: session.name } };
    },
  },
  attach: {
    usage: 'SESSION',
    async run({ coordinator }, name) {
      if (name === '') badLine('use attach SESSION');
      const { id, name: found } = await coordinator.info(name);
      return { way: { type: 'other', session: { name: found, id } } };
    },
  },
};

async function give({ viewing }: Scene, note: string): Promise<Done> {
  await viewing?.give(note === '' ? {} : { note });
  return {};
}

/** Runs a line that was typed after `:`. @throws VtrError INVALID_ARGUMENT, and of the call */
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
  const names = Object.keys(commands);
  const [near] = nearMisses(word, names);
  const hint = near === undefined ? `use ${names.join(', ')}` : `did you mean ${near}?`;
  badLine(`no command ${JSON.stringify(word)}; ${hint}`);
}

/** @throws VtrError INVALID_ARGUMENT */
function badLine(message: string): never {
  throw new VtrError('INVALID_ARGUMENT', message);
}
