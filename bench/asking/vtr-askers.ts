import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Coordinator, SessionInfo } from '#model';
import { Programs } from '../measuring/programs.ts';
import { repositoryRoot } from '../repository-root.ts';
import { type Asker, answering, answerTo, size } from './asker.ts';

/** Sends and waits in one call of a coordinator. */
export function waitingAsker(coordinator: Coordinator): Promise<Asker> {
  const programs = new Programs();
  return asker(coordinator, programs, async (session, word) => {
    const options = { wait: { match: [`^${answerTo(word)}$`] } };
    const { wait } = await coordinator.sendText(session, `${word}\r`, options);
    if (wait?.outcome !== 'matched') throw new Error(`the wait says ${wait?.outcome}`);
    programs.read(`${wait.match?.text}${wait.output.tail}`);
  });
}

const pollingMs = 10;

/** Sends, then polls the screen. */
export function pollingAsker(coordinator: Coordinator): Promise<Asker> {
  const programs = new Programs();
  return asker(coordinator, programs, async (session, word) => {
    await coordinator.sendText(session, `${word}\r`);
    for (;;) {
      const { text } = await coordinator.screen(session);
      programs.read(text.join('\n'));
      if (text.includes(answerTo(word))) return;
      await setTimeout(pollingMs);
    }
  });
}

/**
 * `vtr send --wait`, one process per word.
 *
 * @param coordinator of the daemon at `socket`
 */
export function commandAsker(coordinator: Coordinator, socket: string): Promise<Asker> {
  const programs = new Programs({ VTR_SOCKET: socket });
  const command = join(repositoryRoot, 'dist/vtr.cjs');
  return asker(coordinator, programs, async ({ name }, word) => {
    const answer = answerTo(word);
    const words = ['send', name, word, '--enter', '--wait', `^${answer}$`];
    const { status, stdout } = await programs.run(process.execPath, command, ...words);
    if (status !== 0 || !stdout.includes(answer)) throw new Error(`vtr send: ${status} ${stdout}`);
  });
}

async function asker(
  coordinator: Coordinator,
  programs: Programs,
  ask: (session: SessionInfo, word: string) => Promise<void>,
): Promise<Asker> {
  const args = ['-c', answering()];
  const session = await coordinator.spawn({ program: 'sh', args, size });
  await coordinator.wait(session, { screen: ['^ready$'] });
  return {
    async ask(word) {
      await ask(session, word);
      return programs.takeSpent();
    },
    async close() {
      await coordinator.remove(session, { force: true });
    },
  };
}
