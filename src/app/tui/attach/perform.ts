import type { Effect } from '../view/view.ts';
import { runLine } from './command-line.ts';
import { copyText } from './copy-text.ts';
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
