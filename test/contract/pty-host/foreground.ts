import { describe, expect, it, vi } from 'vitest';
import { defined } from '#base';
import type { Foreground, Pty } from '#pty';
import { hasProc, openFiles } from '../../support/pty/process-facts.ts';
import { provided } from '../../support/run/needs.ts';
import type { HostFixture, Started } from '../pty-host.ts';

const nobody: Foreground = {
  program: null,
  isLeader: null,
  readsTerminal: null,
  alsoWaits: null,
};

/** The foreground process group, whether it reads the terminal, and the terminal's modes. */
export function foregroundContract(fixture: HostFixture): void {
  const withProc = provided(hasProc, 'only on Linux: reads /proc');

  /** Polls, because programs begin to wait, or get the foreground, a moment after their output. */
  const until = (pty: Pty, expected: object) =>
    vi.waitFor(async () => expect(await pty.foreground()).toMatchObject(expected));

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
    it('is the leader, with pid and name, while it has no job', async () => {
      const { pty } = await fixture.start('sleep', ['1000']);
      await until(pty, { program: { pid: pty.pid, name: 'sleep' }, isLeader: true });
    });

    it('is the shell’s foreground job', async () => {
      const { pty } = await bash('sleep 1000');
      await until(pty, { program: { name: 'sleep' }, isLeader: false });
      expect((await pty.foreground()).program?.pid).not.toBe(pty.pid);
    });

    it('is a member of a pipeline whose first program has ended', async () => {
      const { pty } = await bash('true | sleep 1000');
      await until(pty, { program: { name: 'sleep' }, isLeader: false });
    });

    it('is the shell if the job is in the background or stopped', async () => {
      const { pty, output } = await bash('sleep 1000 &', 'echo "started $!"');
      await output.untilText(/started \d/);
      await until(pty, { program: { pid: pty.pid, name: 'bash' }, isLeader: true });
      await pty.write(Buffer.from('sleep 1001\n'));
      await until(pty, { program: { name: 'sleep' }, isLeader: false });
      await pty.signal('STOP', 'foreground');
      await until(pty, { program: { pid: pty.pid, name: 'bash' }, isLeader: true });
    });

    it('is known without a look at what its processes do', async () => {
      const { pty } = await bash('stty -icanon; sleep 1000 | cat');
      await until(pty, { program: { name: 'sleep' }, isLeader: false });
      const { program, startedAt, isLeader, modes } = await pty.foreground();
      expect(await pty.foregroundProgram()).toMatchObject({
        ...defined({ program, startedAt, isLeader, modes }),
        readsTerminal: null,
        alsoWaits: null,
      });
    });

    it('is known if the first program of a pipeline has ended', async () => {
      const { pty } = await bash('true | sleep 1000');
      await until(pty, { program: { name: 'sleep' }, isLeader: false });
      const { program, isLeader } = await pty.foreground();
      expect(await pty.foregroundProgram()).toMatchObject({ program, isLeader });
    });

    it('is null after the exit', async () => {
      const { pty } = await fixture.start('true');
      await pty.exit;
      expect(await pty.foreground()).toEqual(nobody);
      expect(await pty.foreground([], true)).toEqual(nobody);
      expect(await pty.foregroundProgram()).toEqual(nobody);
    });

    withProc('has its current directory if that is asked for', async () => {
      const { pty } = await bash('cd /usr', '(cd / && exec sleep 1000)');
      await until(pty, { program: { name: 'sleep' }, isLeader: false });
      const { program, directory } = await pty.foreground([], true);
      expect([program?.name, directory]).toEqual(['sleep', '/']);
      expect(await pty.directory(pty.pid)).toBe('/usr');
      expect(await pty.foreground()).not.toHaveProperty('directory');
    });

    withProc(
      'is for a list as for one session, also when another process wakes the program',
      async () => {
        const script = 'trap "cd /usr; exec sleep 1000" USR1; while :; do read line; done';
        const { pty } = await fixture.start('bash', ['-c', script]);
        const same = async (expected: object) => {
          await until(pty, expected);
          const ofOne = await pty.foreground();
          // Twice: the first answer may be remembered.
          for (let look = 0; look < 2; look++) {
            const { directory, ...ofList } = await pty.foreground([], true);
            expect(ofList).toEqual(ofOne);
            expect(directory).toBe(await pty.directory(pty.pid));
          }
        };
        await same({ program: { name: 'bash' }, readsTerminal: true });
        await pty.write(Buffer.from('line\n'));
        await same({ program: { name: 'bash' }, readsTerminal: true });
        process.kill(pty.pid, 'SIGUSR1');
        await vi.waitFor(async () =>
          expect(await pty.foreground([], true)).toMatchObject({
            program: { name: 'sleep' },
            readsTerminal: false,
            directory: '/usr',
          }),
        );
      },
    );

    withProc('reports programs that read: in read, poll, select and epoll', async () => {
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

    withProc('reports programs that do not read the terminal', async () => {
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

    withProc('reports programs that wait for something else as well', async () => {
      const script = `process.stdin.resume(); require('net').createServer().listen(0, () => console.log('ready'))`;
      const { pty, output } = await node(script);
      await output.untilText('ready');
      await until(pty, { readsTerminal: null, alsoWaits: true });
    });

    withProc('reports a program stopped in a read as not reading', async () => {
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
      // A host that must start a process for them does not tell them with the foreground.
      expect([undefined, modes]).toContainEqual((await pty.foreground()).modes);
    });

    it('are those of each terminal, with many concurrent calls', async () => {
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

    it('do not consume input of the program', async () => {
      const { pty, output } = await sh(
        `trap 'read -r line; echo "got $line"; exit' USR1; echo ready; while :; do sleep 0.02; done`,
      );
      await output.untilText('ready');
      await pty.write(Buffer.from('early\n'));
      expect(await pty.modes()).toEqual(shown);
      await pty.signal('USR1', 'leader');
      await output.untilText('got early');
    });

    it('are null after the exit, when the terminal may belong to another session', async () => {
      const { pty } = await sh('exit 0');
      const modes = pty.modes();
      await pty.exit;
      await pty.end();
      const { pty: next } = await fixture.start('sleep', ['1000']);
      expect(await pty.modes()).toBeNull();
      expect(await next.modes()).toEqual(shown);
      // Read before the exit, or null.
      expect([null, shown]).toContainEqual(await modes);
    });

    it('are null after the host was closed', async () => {
      const { pty } = await fixture.start('sleep', ['1000']);
      const modes = pty.modes();
      await fixture.host.close({ force: true });
      expect([null, shown]).toContainEqual(await modes);
      expect(await pty.modes()).toBeNull();
    });

    withProc(
      'for a list are read again only after a program in the foreground has run',
      async () => {
        const script =
          'echo ready; read -r a; stty -echo; echo hidden; read -r b; stty echo; read -r c';
        const { pty, output } = await sh(script);
        const listed = async () => pty.modes(await fixture.host.listProcesses());
        await output.untilText('ready');
        await until(pty, { readsTerminal: true });
        const first = await listed();
        expect(first).toEqual(shown);
        expect(await listed()).toBe(first);
        await pty.write(Buffer.from('\n'));
        await output.untilText('hidden');
        expect(await listed()).toEqual({ echo: false, canonical: true });
        await until(pty, { readsTerminal: true });
        const second = await listed();
        expect(second).toEqual({ echo: false, canonical: true });
        expect(await listed()).toBe(second);
        await pty.write(Buffer.from('\n'));
        await expect.poll(listed).toEqual(shown);
        await pty.end({ force: true });
        expect(await listed()).toBeNull();
      },
    );

    withProc('leave no fd open', async () => {
      const { pty } = await fixture.start('sleep', ['1000']);
      await pty.modes();
      const before = openFiles(fixture.ownerPid);
      for (let round = 0; round < 10; round++) await pty.modes();
      await expect.poll(() => openFiles(fixture.ownerPid)).toBeLessThanOrEqual(before);
    });
  });
}
