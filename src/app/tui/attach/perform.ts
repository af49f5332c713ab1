import { defined } from '#base';
import type { Effect } from '../view/view.ts';
import { completeLine, runLine } from './command-line.ts';
import { copyText } from './copying.ts';
import { editScrollback } from './editor.ts';
import { removed } from './removing.ts';
import { type Done, restart, type Scene } from './scene.ts';
import {
  lastSession,
  neighbour,
  newSession,
  numbered,
  removedAndGone,
  wantingNeighbour,
} from './ways.ts';

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
      return removed(scene, { effect: 'remove', ...defined({ anyway: effect.anyway }) });
    case 'session':
      return wantingNeighbour(scene, effect.step);
    case 'neighbour':
      return neighbour(scene, effect.step);
    case 'number':
      return numbered(scene, effect.number);
    case 'last':
      return lastSession(scene);
    case 'newSession':
      return newSession(scene);
    case 'removeAndGo':
      return removedAndGone(scene, effect.anyway);
    case 'rename':
      await coordinator.rename(session, effect.name);
      return { said: `renamed to ${effect.name}` };
    case 'goTo':
      return goTo(scene, effect.session, effect.line);
    case 'pasteImage':
      return (await import('./clipboard-image.ts')).pasteImage(scene);
    case 'copy':
      return { said: await copyText(effect.text, effect.size, effect.to, scene.copying) };
    case 'editor':
      return editScrollback(scene);
    case 'command':
      return runLine(effect.line, scene);
    case 'complete':
      return { action: await completeLine(effect.line, scene) };
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

async function goTo({ coordinator, session }: Scene, name: string, line: number): Promise<Done> {
  if (name === session.name) return { action: { type: 'goTo', line } };
  const { id } = await coordinator.info(name);
  return { way: { type: 'other', session: { name, id }, line } };
}
