import { describe, expect, it } from 'vitest';
import type { SignalName } from '#model';
import { ptyRequest, testProgram } from '../../support/pty/pty-request.ts';
import type { HostFixture, Started } from '../pty-host.ts';

/** Signals that end a program by default, signal(7). */
const fatal = [
  'HUP',
  'INT',
  'QUIT',
  'ILL',
  'TRAP',
  'ABRT',
  'BUS',
  'FPE',
  'KILL',
  'USR1',
  'SEGV',
  'USR2',
  'PIPE',
  'ALRM',
  'TERM',
];

const sendable: readonly SignalName[] = ['HUP', 'INT', 'QUIT', 'KILL', 'USR1', 'USR2', 'TERM'];

export function exitContract(fixture: HostFixture): void {
  describe('exit', () => {
    it.each([0, 1, 7, 127, 255])('has the code %i', async (code) => {
      const { pty } = await fixture.start('sh', ['-c', `exit ${code}`]);
      expect(await pty.exit).toEqual({ code, signal: null });
    });

    it.each(fatal)('has the name of SIG%s', async (name) => {
      const { pty } = await fixture.start('sh', ['-c', `ulimit -c 0; kill -${name} $$`]);
      expect(await pty.exit).toEqual({ code: null, signal: `SIG${name}` });
    });

    it.each(sendable)('signal %s reaches the leader', async (name) => {
      const { pty, output } = await fixture.start('sh', [
        '-c',
        'ulimit -c 0; echo ready; exec sleep 1000',
      ]);
      await output.untilText('ready');
      await pty.signal(name, 'leader');
      expect(await pty.exit).toEqual({ code: null, signal: `SIG${name}` });
    });

    it('is announced once to each listener, also to late ones', async () => {
      const { pty } = await fixture.start('sh', ['-c', 'exit 4']);
      const texts: string[] = [];
      pty.onExit(({ code }) => texts.push(`early ${code}`));
      pty.onExit(() => texts.push('never')).dispose();
      await pty.exit;
      await new Promise<void>((resolve) => {
        pty.onExit(({ code }) => {
          texts.push(`late ${code}`);
          resolve();
        });
      });
      expect(texts).toEqual(['early 4', 'late 4']);
    });

    it('is announced to the other listeners if one throws', async () => {
      const { pty } = await fixture.start('sh', ['-c', 'read -r _']);
      let announced = false;
      pty.onExit(() => {
        throw new Error('observer');
      });
      pty.onExit(() => {
        announced = true;
      });
      await pty.write(Buffer.from('\n'));
      await pty.exit;
      expect(announced).toBe(true);
    });

    it('is not delayed by a background job that keeps the terminal open', async () => {
      const { pty, output } = await fixture.start('sh', [
        '-c',
        `trap '' HUP; (while :; do echo tick; sleep 0.01; done) & read -r _; exit 5`,
      ]);
      await output.untilText('tick');
      await pty.write(Buffer.from('\n'));
      expect(await pty.exit).toEqual({ code: 5, signal: null });
      expect(await pty.end()).toEqual({ code: 5, signal: null });
    });

    it('makes write, resize and signal fail', async () => {
      const { pty } = await fixture.start('true');
      await pty.exit;
      const notRunning = { code: 'SESSION_NOT_RUNNING' };
      await expect(pty.write(Buffer.from('x'))).rejects.toMatchObject(notRunning);
      await expect(pty.resize({ cols: 10, rows: 10 })).rejects.toMatchObject(notRunning);
      await expect(pty.signal('TERM', 'leader')).rejects.toMatchObject(notRunning);
      await expect(pty.signal('TERM', 'foreground')).rejects.toMatchObject(notRunning);
    });
  });

  describe('signal', () => {
    const interactiveShell = async (): Promise<Started> => {
      const { PATH = '' } = process.env;
      const started = await fixture.start('bash', ['--norc', '--noprofile', '-i'], {
        env: { PATH, PS1: 'prompt> ', TERM: 'dumb' },
      });
      await started.output.untilText('prompt> ');
      return started;
    };

    it('reaches programs that were just forked', async () => {
      // Many at once, so that some of them have not called setsid(2) when the fork returns.
      const spawns = Array.from({ length: 60 }, () => fixture.host.spawn(ptyRequest('cat')));
      const exits = spawns.map(async (spawned) => {
        const pty = await spawned;
        await pty.signal('USR1', 'leader');
        return pty.exit;
      });
      const exited = await Promise.all(exits);
      expect(exited).toEqual(exits.map(() => ({ code: null, signal: 'SIGUSR1' })));
    });

    it('foreground reaches the job, not the shell behind it', async () => {
      const { pty, output } = await interactiveShell();
      await pty.write(Buffer.from(`sh -c 'echo job; exec sleep 1000'\n`));
      await output.untilText(/job\r\n/);
      await pty.signal('TERM', 'foreground');
      await pty.write(Buffer.from('echo "status $?"\n'));
      await output.untilText('status 143');
    });

    it('foreground reaches a pipeline whose first program has ended', async () => {
      const { pty, output } = await interactiveShell();
      await pty.write(Buffer.from(`true | sh -c 'echo job; exec sleep 1000'\n`));
      await output.untilText(/job\r\n/);
      await pty.signal('TERM', 'foreground');
      await pty.write(Buffer.from('echo "status $?"\n'));
      await output.untilText('status 143');
    });

    it('leader reaches the shell while a job is in the foreground', async () => {
      const { pty, output } = await interactiveShell();
      await pty.write(Buffer.from(`sh -c 'echo job; exec sleep 1000'\n`));
      await output.untilText(/job\r\n/);
      await pty.signal('KILL', 'leader');
      expect(await pty.exit).toEqual({ code: null, signal: 'SIGKILL' });
    });

    it('both reaches the job and the leader', async () => {
      const { pty, output } = await interactiveShell();
      await pty.write(Buffer.from(`trap 'echo "leader got usr1"' USR1\n`));
      await pty.write(Buffer.from(`'${testProgram('report-usr1.sh')}' job\n`));
      await output.untilText('job ready');
      await pty.signal('USR1', 'both');
      await output.untilText('job got usr1');
      // A shell runs its trap after its job has ended.
      await pty.signal('KILL', 'foreground');
      await output.untilText(/\nleader got usr1/);
    });

    it('both reaches a leader in the foreground once', async () => {
      const { pty, output } = await fixture.start(testProgram('report-usr1.sh'), ['leader']);
      await output.untilText('leader ready');
      await pty.signal('USR1', 'both');
      await output.untilText('leader got usr1');
      await pty.write(Buffer.from('\x03'));
      await pty.exit;
      expect(output.text.match(/got usr1/g)).toHaveLength(1);
    });

    it('STOP stops the program, CONT continues it', async () => {
      const script = `trap 'echo got usr1; exit 3' USR1; echo ready; while :; do sleep 0.02; done`;
      const { pty, output } = await fixture.start('sh', ['-c', script]);
      await output.untilText('ready');
      await pty.signal('STOP', 'leader');
      await pty.signal('USR1', 'leader');
      const meanwhile = await fixture.start('sleep', ['0.2']);
      await meanwhile.pty.exit;
      expect(output.text).not.toContain('got usr1');
      await pty.signal('CONT', 'leader');
      expect(await pty.exit).toEqual({ code: 3, signal: null });
    });
  });
}
