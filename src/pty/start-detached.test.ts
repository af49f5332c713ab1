import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import type { ExitStatus } from '#model';
import { createPtyHost, type OutputChunk } from '#pty';
import { deferred } from '../../test/support/deferred.ts';
import { isAlive } from '../../test/support/pty/process-facts.ts';
import { ptyRequest } from '../../test/support/pty/pty-request.ts';
import { provided } from '../../test/support/run/needs.ts';
import { tree } from '../../test/support/tree.ts';
import { systemProcessTable } from './processes/shared-listing.ts';
import { DetachedStart } from './start-detached.ts';

const host = createPtyHost();
afterEach(() => host.close({ force: true }));

const linux = provided(existsSync('/proc/self/fd'), 'only on Linux: reads /proc');

linux('starts a program without terminal, masters and marker', async () => {
  const directory = tree();
  const at = (name: string) => join(directory, name);
  await Promise.all([1, 2, 3].map(() => host.spawn(ptyRequest('sleep', ['1000']))));
  const script = `
    exec 2>&1
    echo "own: $OWN, marked: $VTR_SESSION$VTR_SESSION_ID, in $PWD, with $*" > facts
    readlink /proc/self/fd/* >> facts
    ps -o tty= -o pgid= -o pid= -p $$ >> facts
    mv facts done
    exec sleep 1000`;
  const program = host.startDetached({
    program: '/bin/sh',
    args: ['-c', script, 'sh', 'a b', '-c'],
    cwd: directory,
    env: { OWN: 'yes', VTR_SESSION: 'other', PATH: process.env['PATH'] ?? '' },
    log: at('log'),
  });
  expect(isAlive(await program.started)).toBe(true);
  await vi.waitFor(() => expect(existsSync(at('done'))).toBe(true));
  const facts = readFileSync(at('done'), 'utf8').split('\n');
  const [tty, group, pid] = facts.at(-2)?.trim().split(/\s+/) ?? [];
  expect(facts[0]).toBe(`own: yes, marked: , in ${directory}, with a b -c`);
  expect(facts.filter((each) => each.includes('ptmx') || each.includes('/pts/'))).toEqual([]);
  expect([tty, group, Number(pid)]).toEqual(['?', pid, await program.started]);
  // It belongs to no session: closing the host does not end it.
  await host.close({ force: true });
  expect([isAlive(Number(pid)), program.isRunning]).toEqual([true, true]);
  expect(await program.end()).toBe(true);
  await vi.waitFor(() => expect([isAlive(Number(pid)), program.isRunning]).toEqual([false, false]));
  expect(await program.end()).toBe(false);
});

it('knows the process also where Node colours what it prints, or says more', async () => {
  const { PATH = '' } = process.env;
  const env = { PATH, TERM: 'xterm-256color', FORCE_COLOR: '1', NODE_OPTIONS: '--inspect=0' };
  const command = { program: '/bin/sleep', args: ['1000'], env, cwd: '/' };
  const program = createPtyHost().startDetached(command);
  expect(isAlive(await program.started)).toBe(true);
  expect(program.isRunning).toBe(true);
  expect(await program.end()).toBe(true);
});

it('ends a program that has not started yet', async () => {
  const command = { program: '/bin/sleep', args: ['1000'], env: {}, cwd: '/' };
  const program = createPtyHost().startDetached(command);
  await program.end();
  await expect(program.started).rejects.toMatchObject({
    code: 'SPAWN_FAILED',
    message: '/bin/sleep could not be started: its start took too long',
  });
});

it('ends a program that its starter has started before the signal arrived', async () => {
  const sleep = () => {
    const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child.pid ?? 0;
  };
  const [starter, started] = [sleep(), sleep()];
  const exit = deferred<ExitStatus>();
  const bytes = Buffer.from(`${started}\n`);
  const chunk: OutputChunk = { offset: 0, bytes };
  const readOutput = (_from: number, take: (chunk: OutputChunk) => void) => {
    take(chunk);
    return { dispose: () => {} };
  };
  const program = new DetachedStart('/bin/sleep', systemProcessTable(), async () => ({
    pty: { pid: starter, readOutput, exit: exit.promise },
    forget: () => {},
  }));
  const refused = expect(program.started).rejects.toThrow('its start took too long');
  // The starter has the signal only after it has exited.
  const ended = program.end();
  exit.resolve({ code: 0, signal: null });
  expect(await ended).toBe(true);
  await refused;
  await vi.waitFor(() => expect(isAlive(started)).toBe(false));
});

it('reports a program that cannot be started', async () => {
  const command = { program: '/nowhere/vtr', args: [], env: {}, cwd: '/' };
  await expect(createPtyHost().startDetached(command).started).rejects.toMatchObject({
    code: 'SPAWN_FAILED',
    message: expect.stringContaining('ENOENT'),
  });
});
