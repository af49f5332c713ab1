import { describe, expect, it } from 'vitest';
import { defined, encodeUtf8 } from '#base';
import type { WaitRequest } from '#model';
import { markNow, read, waitFor } from '#watch';
import { fakeSession } from '../../../test/support/session/fake-session.ts';
import { integratedShell, shellMark } from '../../../test/support/session/shell-marks.ts';

/** A new prompt: before it, an integrated shell reports its directory. */
const prompt = `\x1b]7;file:///\x07${shellMark('A')}$ ${shellMark('B')}`;
const start = shellMark('C');
const ended = shellMark('D;3');

/** A shell that a test plays. */
function shell(shown: string) {
  const { session, pty, clock } = fakeSession({ id: 'id1', ...integratedShell });
  const { view } = session;
  pty.output(shown);
  return {
    view,
    output: (text: string) => pty.output(text),
    input: (text: string) => view.noteInput(encodeUtf8(text)),
    wait: async (request: WaitRequest, act: () => void = () => {}) => {
      const result = waitFor(view, { finished: true, timeoutMs: 5_000, ...request }, clock);
      act();
      clock.advance(5_000);
      const { outcome, command, elapsedMs } = await result;
      return [outcome, command?.number ?? null, command?.exitCode ?? null, elapsedMs];
    },
  };
}

const finished = ['finished', 1, 3, 0];
const atPrompt = ['prompt', null, null, 0];

describe('the output of a wait for the end of a command', () => {
  it.each([
    ['lines', 'one\r\ntwo\r\n', '$ make\none\ntwo'],
    ['no line end', 'one\r\ntwo', '$ make\none\ntwo'],
    ['nothing', '', '$ make'],
  ])(
    'ends where the command ended, also when the next prompt is there: %s',
    async (_, text, shown) => {
      const { session, pty, clock } = fakeSession({ id: 'id1', ...integratedShell });
      const { view } = session;
      const since = markNow(view);
      pty.output(prompt);
      view.noteInput(encodeUtf8('make\r'));
      pty.output(`make\r\n${start}${text}${ended}${prompt}`);
      const waited = await waitFor(view, { finished: true, since }, clock);
      expect([waited.outcome, waited.output.tail]).toEqual(['finished', shown]);
      const { to } = waited.command ?? {};
      expect(read(view, { since, ...defined({ until: to }) }).text.tail).toBe(shown);
      expect(read(view, { since }).text.tail).not.toBe(shown);
      expect(clock.pending).toBe(0);
    },
  );
});

describe('a wait for the end of a command without a mark', () => {
  it('is met by a command that ended since the last input', async () => {
    const sh = shell(prompt);
    sh.input('make\r');
    sh.output(`make\r\n${start}done\r\n${ended}${prompt}`);
    expect(await sh.wait({})).toEqual(finished);
    expect(await sh.wait({})).toEqual(finished);
  });

  it('waits for the running command', async () => {
    const sh = shell(prompt);
    sh.input('make\r');
    sh.output(`make\r\n${start}`);
    expect(await sh.wait({}, () => sh.output(`${ended}${prompt}`))).toEqual(finished);
  });

  it('waits for a line that has been sent, and not read', async () => {
    const sh = shell(`${prompt}${start}${ended}${prompt}`);
    sh.input('make\r');
    const act = () => sh.output(`make\r\n${start}${ended}${prompt}`);
    expect(await sh.wait({}, act)).toEqual(['finished', 2, 3, 0]);
  });

  it('ends at a prompt at which nothing was typed', async () => {
    expect(await shell(prompt).wait({})).toEqual(atPrompt);
    const sh = shell(prompt);
    sh.input('half');
    expect((await sh.wait({}))[0]).toBe('timed_out');
  });

  it('ends at the prompt after a line that started no command', async () => {
    const sh = shell(prompt);
    const act = () => {
      sh.input('if then\r');
      sh.output(`if then\r\nsyntax error\r\n${prompt}`);
    };
    const since = markNow(sh.view);
    expect(await sh.wait({ since }, act)).toEqual(['prompt', null, null, 300]);
  });

  it('does not end at a prompt before a line that was typed ahead', async () => {
    const sh = shell(prompt);
    const since = markNow(sh.view);
    const act = () => {
      sh.input('if then\rmake\r');
      sh.output(`if then\r\nsyntax error\r\n${prompt}`);
      sh.output(`make\r\n${start}${ended}${prompt}`);
    };
    expect(await sh.wait({ since }, act)).toEqual(finished);
  });

  it('is exact from a mark', async () => {
    const sh = shell(prompt);
    sh.input('make\r');
    const before = markNow(sh.view);
    sh.output(`make\r\n${start}${ended}${prompt}`);
    const after = markNow(sh.view);
    expect(await sh.wait({ since: before })).toEqual(finished);
    expect(await sh.wait({ since: after })).toEqual(['prompt', null, null, 300]);
  });

  it('needs marks', async () => {
    expect((await shell('$ ').wait({}))[0]).toBe('timed_out');
  });
});
