import { describe, expect, it, vi } from 'vitest';
import type { Foreground, Pty } from '#pty';
import { hasProc, openFiles } from '../../support/pty/process-facts.ts';
import { provided } from '../../support/run/needs.ts';
import type { HostFixture, Started } from '../pty-host.ts';

const nobody: Foreground = { program: null, isLeader: null, readsTerminal: null };

/** Who has the terminal, what it does there, and how the terminal treats what is typed. */
export function foregroundContract(fixture: HostFixture): void {
  const withProc = provided(hasProc, 'only on Linux: reads /proc');

  /** Programs begin to wait, and groups come to the foreground, a moment after they say anything. */
  const until = (pty: Pty, expected: object) =>
    vi.waitFor(async () => expect(await pty.foreground()).toMatchObject(expected), {
      timeout: 10_000,
    });

  const sh = (script: string): Promise<Started> => fixture.start('sh', ['-c', script]);

  const bash = async (...lines: string[]): Promise<Started> => {
    const { PATH = '' } = process.env;
    const env = { PATH, PS1: 'prompt> ', TERM: 'dumb' };
    const started = await fixture.start('bash', ['--norc', '--noprofile', '-i'], { env });
    for (const line of lines) await started.pty.write(Buffer.from(`${line}\n`));
    return started;
  };

  const node = (script: string): Promise<Started> =>
    fixture.start(process.execPath, ['-e', script]);

  describe('foreground', () => {
    it('is the leader, by pid and name, while it has started nobody else', async () => {
      const { pty } = await fixture.start('sleep', ['1000']);
      await until(pty, { program: { pid: pty.pid, name: 'sleep' }, isLeader: true });
    });

    it('is the job that the shell has put there', async () => {
      const { pty } = await bash('sleep 1000');
      await until(pty, { program: { name: 'sleep' }, isLeader: false });
      expect((await pty.foreground()).program?.pid).not.toBe(pty.pid);
    });

    it('is who is left of a pipeline', async () => {
      const { pty } = await bash('true | sleep 1000');
      await until(pty, { program: { name: 'sleep' }, isLeader: false });
    });

    it('is the shell again when the job is in the background, or stopped', async () => {
      const { pty, output } = await bash('sleep 1000 &', 'echo "started $!"');
      await output.untilText(/started \d/);
      await until(pty, { program: { pid: pty.pid, name: 'bash' }, isLeader: true });
      await pty.write(Buffer.from('sleep 1001\n'));
      await until(pty, { program: { name: 'sleep' }, isLeader: false });
      await pty.signal('STOP', 'foreground');
      await until(pty, { program: { pid: pty.pid, name: 'bash' }, isLeader: true });
    });

    it('is nobody after the exit', async () => {
      const { pty } = await fixture.start('true');
      await pty.exit;
      expect(await pty.foreground()).toEqual(nobody);
    });

    withProc('tells of who reads: by a call of read, by poll, select and epoll', async () => {
      const readers = await Promise.all([
        fixture.start('cat'),
        sh('read -r line'),
        sh('cat < /dev/tty'),
        sh('sleep 1000 | cat /dev/tty'),
        bash('read -r -t 1000 line'),
        bash(),
        node('process.stdin.resume()'),
        node('process.stdin.setRawMode(true).resume()'),
      ]);
      await Promise.all(readers.map(({ pty }) => until(pty, { readsTerminal: true })));
    });

    withProc('tells of who reads nothing, or not the terminal', async () => {
      const others = await Promise.all([
        fixture.start('sleep', ['1000']),
        sh('sleep 1000 | cat'),
        sh('while :; do :; done'),
        bash('sleep 1000'),
        node('setInterval(() => {}, 1000)'),
      ]);
      await until(others[3]?.pty as Pty, { isLeader: false });
      await Promise.all(others.map(({ pty }) => until(pty, { readsTerminal: false })));
    });

    withProc('does not tell of who waits for something else as well', async () => {
      const script = `process.stdin.resume(); require('net').createServer().listen(0, () => console.log('ready'))`;
      const { pty, output } = await node(script);
      await output.untilText('ready');
      await until(pty, { readsTerminal: null });
    });

    withProc('takes a program that is stopped in its read for one that does not read', async () => {
      const { pty } = await fixture.start('cat');
      await until(pty, { readsTerminal: true });
      await pty.signal('STOP', 'leader');
      await until(pty, { readsTerminal: false });
      await pty.signal('CONT', 'leader');
      await until(pty, { readsTerminal: true });
    });
  });

  describe('modes', () => {
    const shown = { echo: true, canonical: true };

    it.each([
      ['', shown],
      ['stty -echo;', { echo: false, canonical: true }],
      ['stty -icanon;', { echo: true, canonical: false }],
      ['stty raw -echo;', { echo: false, canonical: false }],
      ['stty raw -echo; stty sane;', shown],
    ])('after "%s" are those of the terminal', async (script, modes) => {
      const { pty, output } = await sh(`${script} echo ready; exec sleep 1000`);
      await output.untilText('ready');
      expect(await pty.modes()).toEqual(modes);
    });

    it('are each terminal’s own, asked for all at once and again and again', async () => {
      const ptys = await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const { pty, output } = await sh(
            `${index % 3 === 0 ? 'stty -echo;' : ''} echo ready; exec sleep 1000`,
          );
          await output.untilText('ready');
          return pty;
        }),
      );
      for (let round = 0; round < 3; round++) {
        const modes = await Promise.all(ptys.map((pty) => pty.modes()));
        expect(modes.map((each) => each?.echo)).toEqual(ptys.map((_, index) => index % 3 !== 0));
      }
    });

    it('leave what the program has been sent to the program', async () => {
      const { pty, output } = await sh(
        `trap 'read -r line; echo "got $line"; exit' USR1; echo ready; while :; do sleep 0.02; done`,
      );
      await output.untilText('ready');
      await pty.write(Buffer.from('early\n'));
      expect(await pty.modes()).toEqual(shown);
      await pty.signal('USR1', 'leader');
      await output.untilText('got early');
    });

    it('are not known after the exit, whose terminal may be another’s by then', async () => {
      const { pty } = await sh('exit 0');
      const asked = pty.modes();
      await pty.exit;
      await pty.end();
      const { pty: next } = await fixture.start('sleep', ['1000']);
      expect(await pty.modes()).toBeNull();
      expect(await next.modes()).toEqual(shown);
      // Asked in time, or told nothing.
      expect([null, shown]).toContainEqual(await asked);
    });

    it('are not known once the host is closed', async () => {
      const { pty } = await fixture.start('sleep', ['1000']);
      const asked = pty.modes();
      await fixture.host.close({ force: true });
      expect([null, shown]).toContainEqual(await asked);
      expect(await pty.modes()).toBeNull();
    });

    withProc('leave nothing open', async () => {
      const { pty } = await fixture.start('sleep', ['1000']);
      await pty.modes();
      const before = openFiles(fixture.ownerPid);
      for (let round = 0; round < 10; round++) await pty.modes();
      await vi.waitFor(() => expect(openFiles(fixture.ownerPid)).toBeLessThanOrEqual(before));
    });
  });
}
