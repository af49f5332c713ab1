import { describe, expect, it } from 'vitest';
import { type FakeSession, fakeSession } from '../../../test/support/session/fake-session.ts';
import { integratedShell, shellMark } from '../../../test/support/session/shell-marks.ts';
import { clearShownLine } from './line-encoding.ts';

const prompt = `${shellMark('A')}$ ${shellMark('B')}`;
const nextPrompt = `\r\n${prompt.replaceAll('n.1', 'n.2')}`;

/** A shell that shows a line with a syntax error at its new prompt. */
function shownLine(): FakeSession {
  const fake = fakeSession({ ...integratedShell, id: '0a1b2c3d-0000-4000-8000-000000000001' });
  fake.pty.output(`${prompt})`);
  return fake;
}

/** Lets time pass in steps. Each can end a wait, after which the next one begins. */
async function pass({ clock }: FakeSession, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 50) {
    clock.advance(50);
    clock.settleIo();
    await new Promise(setImmediate);
  }
}

describe('a line that fish shows again', () => {
  it.each([50, 300, 1_900])(
    'is removed by one ctrl+c, whose prompt comes after %i ms',
    async (ms) => {
      const fake = shownLine();
      const { session, clock, pty } = fake;
      let isCleared = false;
      const cleared = clearShownLine(session, 'encoded', clock, {}).then(() => {
        isCleared = true;
      });
      await pass(fake, 50);
      await pass(fake, ms);
      expect([isCleared, pty.written]).toEqual([false, ['\x03']]);
      pty.output(nextPrompt);
      await pass(fake, 200);
      await cleared;
      expect(pty.written).toEqual(['\x03']);
    },
  );

  it('is removed by another ctrl+c if fish loses the first', async () => {
    const fake = shownLine();
    const { session, clock, pty } = fake;
    const cleared = clearShownLine(session, 'encoded', clock, {});
    await pass(fake, 2_200);
    expect(pty.written).toEqual(['\x03', '\x03']);
    pty.output(nextPrompt);
    await pass(fake, 200);
    await cleared;
  });

  it('is removed by a key that raises no signal, where the shell has one', async () => {
    const fake = shownLine();
    const { session, clock, pty } = fake;
    const cleared = clearShownLine(session, 'erasable', clock, {});
    await pass(fake, 300);
    expect(new Set(pty.written)).toEqual(new Set(['\x1b[133;2~']));
    pty.output(`\r${prompt}`);
    await pass(fake, 100);
    await cleared;
  });
});
