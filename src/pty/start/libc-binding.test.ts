import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { type Libc, loadLibc } from '#libc';
import type { ExitStatus } from '#model';
import { deferred } from '../../../test/support/deferred.ts';
import { openFiles, zombies } from '../../../test/support/pty/process-facts.ts';
import { provided } from '../../../test/support/run/needs.ts';
import { PtyDevice } from '../io/pty-device.ts';
import { LibcBinding } from './libc-binding.ts';
import { loadBinding } from './load-binding.ts';
import { NodePtyBinding } from './node-pty-binding.ts';
import type { ProgramStart } from './pty-binding.ts';

describe('LibcBinding', () => {
  const onLinux = provided(process.platform === 'linux', 'only on Linux');

  /** @param more functions in place of those of the system */
  const binding = (more: Partial<Libc> = {}): LibcBinding => {
    const loaded = loadLibc();
    const binding = LibcBinding.on({ ...loaded, libc: { ...loaded.libc, ...more } });
    if (binding === null) throw new Error('the system is too old');
    return binding;
  };
  const program = (file: string, ...args: string[]): ProgramStart => {
    const env = ['PATH=/usr/bin:/bin'];
    return { file, args, env, cwd: '/', size: { cols: 80, rows: 24 }, mark: null };
  };
  const sh = (script: string) => program('/bin/sh', '-c', script);

  /** Runs a program to its end, without its output. */
  const statusOf = async (on: LibcBinding, start: ProgramStart): Promise<ExitStatus> => {
    const exited = deferred<ExitStatus>();
    const { master, slave } = on.start(start, exited.resolve);
    const status = await exited.promise;
    for (const fd of [master, slave]) if (fd !== null) closeSync(fd);
    return status;
  };

  /** The output of a program, until it ends. */
  const outputOf = async (on: LibcBinding, start: ProgramStart): Promise<string> => {
    const exited = deferred<ExitStatus>();
    const chunks: Buffer[] = [];
    const room = Buffer.alloc(4_096);
    const onRead = (count: number) => void chunks.push(Buffer.from(room.subarray(0, count)));
    const device = new PtyDevice(on, on.start(start, exited.resolve), { room: () => room, onRead });
    await exited.promise;
    for (let count = device.read(room); count > 0; count = device.read(room)) onRead(count);
    device.close();
    return Buffer.concat(chunks).toString();
  };

  /** What a start may leave behind. */
  const left = () => ({
    files: openFiles(process.pid),
    zombies: zombies(process.pid),
    listeners: process.listenerCount('SIGCHLD'),
  });

  onLinux('is the binding of this process', () => {
    expect(loadBinding()).toBeInstanceOf(LibcBinding);
  });

  onLinux(
    'reports the exits of its own children only, each once, among those of others',
    async () => {
      const before = left();
      const codes = Array.from({ length: 50 }, (_, index) => index);
      const [one, other] = [binding(), binding()];
      const ours = codes.map((code) => statusOf(code % 2 === 0 ? one : other, sh(`exit ${code}`)));
      const theirs = codes.slice(40).map(async (code) => {
        const [status] = await once(spawn('/bin/sh', ['-c', `exit ${code}`]), 'exit');
        return status;
      });
      expect(await Promise.all(ours)).toEqual(codes.map((code) => ({ code, signal: null })));
      expect(await Promise.all(theirs)).toEqual(codes.slice(40));
      await expect.poll(left).toEqual(before);
    },
  );

  onLinux('reports the signal that ended a program', async () => {
    expect(await statusOf(binding(), sh('kill -USR1 $$'))).toEqual({
      code: null,
      signal: 'SIGUSR1',
    });
  });

  onLinux('passes on no fd that this process has without FD_CLOEXEC', async () => {
    const on = binding();
    const nodePty = new NodePtyBinding();
    const exited = deferred<ExitStatus>();
    const inherited = nodePty.start(program('/bin/cat'), exited.resolve);
    expect(await outputOf(on, sh('ls -l /proc/self/fd'))).not.toContain('ptmx');
    closeSync(inherited.master);
    nodePty.masterClosed(inherited.master);
    await exited.promise;
  });

  onLinux('names the error of a program that cannot be executed, and leaves nothing', () => {
    const before = left();
    const tooLong = program('/bin/true', ...Array(200).fill('x'.repeat(100_000)));
    const start = () => binding().start(tooLong, () => {});
    expect(start).toThrowError(
      expect.objectContaining({
        code: 'SPAWN_FAILED',
        message: expect.stringMatching(/\/bin\/true.*E2BIG/),
      }),
    );
    expect(left()).toEqual(before);
  });

  const failing: readonly (keyof Libc)[] = [
    ...(['unlockpt', 'ptsname_r', 'ioctl', 'tcgetattr', 'tcsetattr', 'posix_spawn'] as const),
    ...(['init', 'addchdir_np', 'addopen', 'adddup2'] as const).map(
      (action) => `posix_spawn_file_actions_${action}` as const,
    ),
  ];
  for (const name of failing) {
    onLinux(`fails with a typed error if ${name} fails, and leaves nothing`, () => {
      const before = left();
      const outOfMemory = 12;
      const on = binding({ [name]: () => outOfMemory });
      expect(() => on.start(program('/bin/true'), () => {})).toThrowError(
        expect.objectContaining({ code: expect.stringMatching(/^(SPAWN_FAILED|SYSTEM_LIMIT)$/) }),
      );
      expect(left()).toEqual(before);
    });
  }
});
