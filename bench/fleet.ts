import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { hasSshd, Sshd } from '../test/support/sshd/sshd.ts';
import type { Benchmark } from './benchmark.ts';
import { compare } from './measuring/compare.ts';
import { median } from './measuring/statistics.ts';
import type { Report } from './reporting/report.ts';
import { repositoryRoot } from './repository-root.ts';
import type { CommandRequest } from './tasks/command.ts';

const host = '127.0.0.1';

/** The `vtr` command over a shared connection of ssh, compared with what it consists of. */
export const fleet: Benchmark = async ({ quick, progress }) => {
  if (!hasSshd) {
    progress('fleet: openssh-server is missing; nothing is measured');
    return reportOf(null);
  }
  const directory = mkdtempSync(join(tmpdir(), 'vtr-bench-'));
  const ends: (() => void | Promise<void>)[] = [
    () => rmSync(directory, { recursive: true, force: true }),
  ];
  const [far, near, bin] = ['far', 'near', 'bin'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [far, near, bin]) mkdirSync(each, { mode: 0o700 });
  const vtr = join(bin, 'vtr');
  symlinkSync(join(repositoryRoot, 'dist/vtr.cjs'), vtr);
  const path = `${bin}:${process.env['PATH']}`;
  const there = { HOME: far, VTR_SOCKET: join(far, 'vtr.sock'), PATH: path };
  const run = (env: typeof there, ...words: readonly string[]) => {
    const all = { ...process.env, ...env };
    const { status, stderr } = spawnSync(vtr, words, { env: all, encoding: 'utf8' });
    if (status !== 0) throw new Error(`vtr ${words.join(' ')}: ${stderr}`);
  };
  try {
    const sshd = await Sshd.start(there, (end) => void ends.unshift(end));
    const here = { HOME: near, VTR_SOCKET: sshd.address, PATH: `${sshd.bin}:${path}` };
    ends.unshift(() => sshd.endShared(near));
    run(there, 'spawn', 'one', '--', 'cat');
    ends.unshift(() => run(there, 'serve', '--stop'));
    // The first one makes the connection that the others share.
    run(here, 'ls');
    const task = (
      env: CommandRequest['env'],
      ...command: CommandRequest['commands'][number]
    ): CommandRequest => ({ task: 'command', commands: [command], env });
    const login = ['-F', join(near, '.vtr/ssh/config'), '-l', userInfo().username];
    progress('fleet: list of sessions over ssh');
    const costs = await compare(
      {
        local: task(there, vtr, 'ls'),
        ssh: task(here, 'ssh', ...login, '-p', String(sshd.port), '--', host, 'true'),
        far: task(here, vtr, 'ls'),
      },
      { rounds: quick ? 1 : 15, secondsPerRound: quick ? 0 : 0.3 },
    );
    return reportOf(costs);
  } finally {
    for (const end of ends) await end();
  }
};

interface Costs {
  readonly local: readonly number[];
  readonly ssh: readonly number[];
  readonly far: readonly number[];
}

function reportOf(costs: Costs | null): Report {
  const ms = (seconds: readonly number[]) => median(seconds) * 1_000;
  const ratio = (each: Costs) =>
    median(each.far.map((seconds, at) => seconds / ((each.local[at] ?? 0) + (each.ssh[at] ?? 0))));
  return {
    name: 'fleet',
    title: 'Coordinators on other machines',
    notes: [
      'Wall-clock time in ms from the start of a process to its end, with a running daemon and an sshd on loopback. ' +
        'All use one connection of ssh, which was made before. Medians of fifteen interleaved rounds; the ratio is the ' +
        'median of the ratios of each round. After the first one, `vtr ls` uses a socket that ssh forwards.',
    ],
    tables: [
      {
        columns: ['what', 'vtr ls', 'ssh HOST true', 'vtr ls over ssh', 'ratio to both'],
        rows:
          costs === null
            ? [['needs openssh-server', null, null, null, null]]
            : [['list of sessions', ms(costs.local), ms(costs.ssh), ms(costs.far), ratio(costs)]],
      },
    ],
    targets:
      costs === null
        ? []
        : [
            {
              what: 'vtr ls over ssh : vtr ls and ssh HOST true',
              bound: 'at most',
              goal: null,
              next: 1.5,
              measured: ratio(costs),
            },
          ],
  };
}
