import type { ChildProcess } from 'node:child_process';
import type { Effect } from '../view/view.ts';
import { runLine } from './command-line.ts';
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
    case 'restart':
      return restart(scene);
    case 'remove':
      await coordinator.remove(session);
      return { way: { type: 'removed', session: session.name } };
    case 'session':
      return neighbour(scene, effect.step);
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

/** The next or previous session that wants somebody, around the list. */
function neighbour({ sessions, session }: Scene, step: 1 | -1): Done {
  const all = [...sessions.values()];
  const wanting = all.filter(({ id, attention }) => id === session.id || attention !== undefined);
  const at = wanting.findIndex(({ id }) => id === session.id);
  const next = wanting.at((at + step) % wanting.length);
  if (next === undefined || next.id === session.id) {
    return { said: 'no other session wants anybody' };
  }
  const { name, id } = next;
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
