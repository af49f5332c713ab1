import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readlinkSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { provided } from '../../../test/support/run/needs.ts';
import { parseStat } from './proc-process-table.ts';
import { PsProcessTable, parsePsLine, systemProcessTable } from './shared-listing.ts';

/** The page size of this system. */
const pageBytes = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));

const stat = (name: string, state: string, threads: number) =>
  `4763 (${name}) ${state} 4700 4711 4712 34816 4713 4194304 248 0 0 0 1 2 3 4 20 0 ${threads} 0 459387 4169728 871 18446744073709551615`;

describe('parseStat', () => {
  it.each(['bash', 'a b', ') R 1 2', '((', ''])('reads the fields behind the name %o', (name) => {
    expect(parseStat(stat(name, 'S', 1))).toEqual({
      pid: 4763,
      name,
      zombie: false,
      parent: 4700,
      group: 4711,
      session: 4712,
      terminal: null,
      foreground: 4713,
      startedAt: 459387,
      stopped: false,
      residentBytes: 871 * pageBytes,
      cpuMs: 100,
    });
  });

  it('tells a zombie from a process whose first thread has ended', () => {
    expect(parseStat(stat('sh', 'Z', 1))?.zombie).toBe(true);
    expect(parseStat(stat('sh', 'Z', 3))?.zombie).toBe(false);
  });

  it('recognises a process stopped by a signal', () => {
    expect(parseStat(stat('sh', 'T', 1))?.stopped).toBe(true);
    expect(parseStat(stat('sh', 't', 1))?.stopped).toBe(false);
  });

  it('reads all fields of a line of the system', () => {
    const text =
      '77 (cat) S -1 18 19 34816 -1 4194304 248 9 8 7 250 125 50 75 -20 0 1 0 459387 4169728 871 18446744073709551615 ' +
      '94000000000001 94000000000002 140720000000003 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 4 5 6 7 8 140720000000009 0';
    expect(parseStat(text)).toMatchObject({
      parent: -1,
      foreground: -1,
      cpuMs: 5_000,
      memory: '94000000000001 140720000000003 140720000000009',
    });
    const untraced = text.replace('140720000000009', '0');
    expect(parseStat(untraced)?.memory).toBeUndefined();
  });

  it('returns null for another line', () => {
    expect(parseStat('')).toBeNull();
  });
});

describe('parsePsLine', () => {
  it('reads a process with a terminal', () => {
    const line =
      '  501   499   501   510 ttys003  Sat Nov 21 08:38:02 2026   2048   1:02.50 Ss   -zsh';
    expect(parsePsLine(line)).toEqual({
      pid: 501,
      parent: 499,
      group: 501,
      foreground: 510,
      session: null,
      terminal: '/dev/ttys003',
      startedAt: Date.UTC(2026, 10, 21, 8, 38, 2) / 1000,
      zombie: false,
      stopped: false,
      name: '-zsh',
      residentBytes: 2_097_152,
      cpuMs: 62_500,
    });
  });

  it('reads a process without one, a zombie, and a name with spaces', () => {
    const line =
      '    1     0     1     0 ??       Mon Nov  2 00:00:00 2026      0 1-02:03:04 Z    My App (old)';
    expect(parsePsLine(line)).toMatchObject({
      terminal: null,
      foreground: -1,
      zombie: true,
      name: 'My App (old)',
      cpuMs: 93_784_000,
    });
  });

  it('returns null for another line', () => {
    expect(parsePsLine('')).toBeNull();
  });
});

provided(process.platform === 'linux', 'only on Linux: reads /proc')(
  'tells a process that works from one that rests, and from one whose input is not the terminal',
  async () => {
    const table = systemProcessTable();
    const terminal = readlinkSync('/proc/self/fd/0');
    const child = spawn('sleep', ['60'], { stdio: ['inherit', 'ignore', 'ignore'] });
    onTestFinished(() => void child.kill());
    expect(await table.isWorking(process.pid, terminal)).toBe(true);
    expect(await table.isWorking(process.pid, '/dev/pts/none')).toBe(false);
    await expect.poll(() => table.isWorking(Number(child.pid), terminal)).toBe(false);
  },
);

const tables = [
  { name: 'processTable', table: systemProcessTable(), usable: true },
  { name: 'PsProcessTable', table: new PsProcessTable(), usable: existsSync('/bin/ps') },
];

describe.each(tables)('$name', ({ table, usable }) => {
  const withPs = provided(usable, 'needs /bin/ps');

  withPs('finds this process, in the list too', async () => {
    const self = await table.find(process.pid);
    expect(self).toMatchObject({ pid: process.pid, parent: process.ppid, zombie: false });
    expect(self?.startedAt).toBeLessThanOrEqual(table.now());
    expect(self?.residentBytes).toBeGreaterThan(10_000_000);
    expect(self?.residentBytes).toBeLessThan(10_000_000_000);
    expect(await table.list()).toContainEqual(expect.objectContaining({ pid: process.pid }));
  });

  withPs('returns null for a pid without a process', async () => {
    expect(await table.find(2 ** 22 + 1)).toBeNull();
  });
});
