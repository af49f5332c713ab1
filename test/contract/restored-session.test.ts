import { describe, expect, it, onTestFinished } from 'vitest';
import type { ObservedInput, WrittenInput } from '#model';
import { type LeftSession, type Session, SessionFactory } from '#session';
import { markNow } from '#watch';
import { systemClock } from '../../src/coordinator/system-clock.ts';
import { ServedPtyd } from '../support/pty/served-ptyd.ts';
import { noticed } from '../support/session/left-session.ts';
import { tree } from '../support/tree.ts';

async function served() {
  const [seconds, ns] = process.hrtime();
  const offset = seconds * 1e3 + ns / 1e6 - performance.now();
  const ptyd = await ServedPtyd.start(() => ({
    wallMs: Date.now(),
    bootMs: performance.now() + offset,
  }));
  onTestFinished(() => ptyd.dispose());
  const faults: unknown[] = [];
  const factory = async () => {
    const ptyHost = await ptyd.connect({ survival: { again: null } });
    const onFault = (error: unknown) => void faults.push(error);
    return new SessionFactory({ ptyHost, clock: systemClock, defaults: {}, onFault });
  };
  return { ptyd, factory, faults };
}

function until(session: Session, isTrue: () => boolean): Promise<void> {
  if (isTrue()) return Promise.resolve();
  return new Promise((resolve) => {
    const listening = session.view.onEvent(() => {
      if (!isTrue()) return;
      listening.dispose();
      resolve();
    });
  });
}

async function run(session: Session, line: string): Promise<void> {
  const from = session.view.outputEnd;
  await session.sendText(`${line}\r`, {});
  const { commands } = session.view;
  await until(session, () => commands.prompt !== null && commands.prompt.offset > from);
}

function save({ saving }: Session): void {
  if (saving === null) throw new Error('the session is not saved');
  const segment = saving.lines(saving.firstLine, saving.linesEnd);
  const segments = segment.to > segment.from ? [segment] : [];
  saving.save({ state: saving.state(), replaceFrom: 0, segments });
}

/** Resolves when the host has the state. */
async function saved(session: Session): Promise<void> {
  save(session);
  await session.activity();
}

/** Breaks the connection, and returns the session that another coordinator finds. */
async function left(host: Awaited<ReturnType<typeof served>>): Promise<LeftSession> {
  host.ptyd.breakConnections();
  const [leftSession] = await (await host.factory()).adopt();
  if (leftSession === undefined) throw new Error('no session was left');
  return leftSession;
}

async function restored(leftSession: LeftSession): Promise<Session> {
  const session = leftSession.restore();
  await session.replayed;
  return session;
}

const bash = () => {
  const home = tree();
  const env = { HOME: home, PS1: '$ ' };
  return { program: 'bash', args: ['--norc', '-i'], cwd: home, env, size: { cols: 60, rows: 8 } };
};

/** A query is answered, and is no news after a restart. */
const steps = [
  'echo one; seq 30',
  "printf 'a\\033[6nb'; read -rd R -t 5 answer; echo got",
  'false',
  "printf '\\033[?1049hfull'; sleep 0.02; printf '\\033[?1049l'; (exit 3)",
  "printf '\\033]0;title\\007'; seq 2000",
  'clear; echo two',
];

describe('a session whose coordinator is gone', () => {
  it.each([0, 1, 2, 3, 4, 5, 6])('equals itself, saved after %i commands', async (saved) => {
    const host = await served();
    const first = await (await host.factory()).spawn(bash(), { name: 's', id: 'restored' });
    await until(first, () => first.view.commands.prompt !== null);
    const marks = [markNow(first.view)];
    for (const [index, line] of steps.entries()) {
      if (index === saved) save(first);
      await run(first, line);
      marks.push(markNow(first.view));
    }
    if (saved === steps.length) save(first);
    const before = noticed(first, marks);
    const session = await restored(await left(host));
    expect(session.info().restored).toBe('exactly');
    const inputs = { inputs: expect.anything(), line: expect.anything() };
    expect(noticed(session, marks)).toEqual({ ...(before as object), ...inputs });
    await run(session, 'echo three');
    expect(session.commands({ last: 1 }).commands).toMatchObject([{ line: 'echo three' }]);
    expect(host.faults).toEqual([]);
  });

  it.each<[string, (session: Session, options: ObservedInput) => Promise<unknown>]>([
    ['text', (session, options) => session.sendText('echo two', options)],
    ['keys', (session, options) => session.sendKeys(['e', 'c', 'h', 'o', 'enter'], options)],
    ['bytes', (session, options) => session.sendBytes(Buffer.from('echo two\r'), options)],
  ])('knows that the line editor shows the first %s at its prompt', async (_, send) => {
    const host = await served();
    const first = await (await host.factory()).spawn(bash(), { name: 's', id: 'restored' });
    await until(first, () => first.view.commands.prompt !== null);
    await run(first, 'echo one');
    await saved(first);
    const session = await restored(await left(host));
    const written: WrittenInput[] = [];
    await send(session, { onWritten: (input) => void written.push(input) });
    expect(written).toMatchObject([{ isShown: true }]);
  });

  it.each(['saved before', 'never saved'])(
    'does not take what follows an Enter for text at the prompt, %s',
    async (when) => {
      const host = await served();
      const first = await (await host.factory()).spawn(bash(), { name: 's', id: 'restored' });
      await until(first, () => first.view.commands.prompt !== null);
      if (when === 'saved before') await saved(first);
      // A shell that does not run reads neither line.
      await first.kill('STOP');
      await first.sendText('IFS= read -rsn6\r', {});
      const session = await restored(await left(host));
      const written: WrittenInput[] = [];
      await session.sendText('secret', { onWritten: (input) => void written.push(input) });
      expect(written).toEqual([{ bytes: 6, isShown: false }]);
      await session.kill('CONT');
    },
  );

  it('has the exit and the times of output from when no coordinator ran', async () => {
    const host = await served();
    const first = await (await host.factory()).spawn(bash(), { name: 's', id: 'restored' });
    await until(first, () => first.view.commands.prompt !== null);
    save(first);
    await first.sendText('read line; exit 4\r', {});
    await until(first, () => first.view.commands.running !== null);
    await first.sendText('\r', {});
    let leftSession = await left(host);
    while (leftSession.exit === null) leftSession = await left(host);
    expect(leftSession.info()).toMatchObject({
      state: 'exited',
      exitedAtMs: leftSession.exit.atMs,
    });
    const session = await restored(leftSession);
    const exitStatus = { code: 4, signal: null };
    expect(session.info()).toMatchObject({ exitStatus, exitedAtMs: leftSession.exit.atMs });
    expect(session.commands({}).commands).toMatchObject([
      { line: 'read line; exit 4', exitCode: 4, endedAtMs: leftSession.exit.atMs },
    ]);
  });
});
