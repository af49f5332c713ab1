import { spawnSync } from 'node:child_process';
import { chownSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, onTestFinished } from 'vitest';
import { shellQuoted } from '#base';
import type { Coordinator } from '#model';
import { connect } from '#wire/service';
import { publicVtrFile } from '../support/command/public-vtr.ts';
import { exitOf, servedBy } from '../support/command/running-daemon.ts';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { canMount, withMounts } from '../support/pty/mount-namespace.ts';
import { processesOfUser, ptyHostOf, tasksOfUser } from '../support/pty/process-facts.ts';
import { provided } from '../support/run/needs.ts';

const serve = [process.execPath, vtrFile, 'serve'];
const isRoot = process.getuid?.() === 0;
const works = (program: string, ...args: readonly string[]) =>
  spawnSync(program, args).status === 0;

async function clientOf(place: Place): Promise<Coordinator> {
  const coordinator = await connect({ socket: place.socket });
  onTestFinished(() => coordinator.close());
  return coordinator;
}

/** Starts programs until one is refused. */
async function fill(coordinator: Coordinator, most: number) {
  for (let count = 0; count < most; count++) {
    const name = `s${count}`;
    const refusal = await coordinator.spawn({ name, program: 'cat' }).then(
      () => null,
      (error) => error,
    );
    if (refusal !== null) return { count, refusal };
  }
  return { count: most, refusal: null };
}

/** Sessions continue, nothing remains of the refused program, and a removed session makes room. */
async function expectUsable(coordinator: Coordinator, count: number): Promise<void> {
  expect(await coordinator.list()).toHaveLength(count);
  const echoed = coordinator.wait('s0', { match: ['^still here'] });
  await coordinator.sendText('s0', 'still here\n');
  expect((await echoed).outcome).toBe('matched');
  await coordinator.remove('s0', { force: true });
  await coordinator.spawn({ name: 's0', program: 'cat' });
}

const ends: (() => void)[] = [];
afterAll(() => {
  for (const end of ends) end();
});
const copies = new Map<string, string>();

/** The command, for every user, copied once with the same packages. */
function publicVtr(packages: readonly string[]): string {
  const key = packages.join();
  const file = copies.get(key) ?? publicVtrFile(packages, (end) => ends.push(end));
  copies.set(key, file);
  return file;
}

/** The packages of the bindings, with the processes and threads that a start adds. */
const bindings = [
  { what: 'node-pty', packages: ['@lydell'], tasks: 2 },
  { what: 'the C library', packages: ['@lydell', '@koromix'], tasks: 1 },
];

/** Each test has its own user. */
let uid = 61_233;

const flags = () => [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
const canUse = (...words: readonly string[]) => works('setpriv', ...flags(), ...words);
const canLimit =
  isRoot &&
  canUse('prlimit', process.execPath, '-v') &&
  canUse('sh', '-c', `cd '${tmpdir()}' && command -v cat`);
const withUser = provided(canLimit, 'only as root with setpriv and prlimit, and a public node');

const placeOfUser = () => {
  uid++;
  // After all that a place ends. A process whose threads could not be created would hang for ever.
  const own = uid;
  const left = () => processesOfUser(own);
  onTestFinished(async () => {
    try {
      await expect.poll(left).toEqual([]);
    } finally {
      for (const pid of left()) process.kill(pid, 'SIGKILL');
    }
  });
  const place = new Place();
  for (const directory of [place.directory, place.state]) chownSync(directory, uid, uid);
  return place;
};

describe.each(bindings)('a shortage of processes and threads, with $what', (binding) => {
  const daemonOfUser = async () => {
    const place = placeOfUser();
    const daemon = await servedBy(place, [
      'setpriv',
      ...flags(),
      process.execPath,
      publicVtr(binding.packages),
      'serve',
    ]);
    const coordinator = await clientOf(place);
    // The process that starts programs has started when it has started one.
    await coordinator.remove(await coordinator.spawn({ program: 'true' }));
    const owner = ptyHostOf(daemon.pid ?? 0) ?? daemon.pid;
    return { place, daemon, owner, coordinator };
  };
  const allow = (pid: number | undefined, tasks: number) => {
    const limit = ['prlimit', '--pid', String(pid), `--nproc=${tasks}:`];
    expect(works('setpriv', ...flags(), ...limit)).toBe(true);
  };

  withUser('refuses a program, names the limit, and harms no other program', async () => {
    const { owner, coordinator } = await daemonOfUser();
    const max = tasksOfUser(uid) + 20;
    allow(owner, max);
    const { count, refusal } = await fill(coordinator, 25);
    expect(count).toBeGreaterThan(5);
    expect(refusal?.code).toBe('SYSTEM_LIMIT');
    expect(refusal?.message).toMatch(
      new RegExp(`processes and threads of this user \\d+ of ${max}\\b`),
    );
    await expectUsable(coordinator, count);
  });

  withUser('never ends the daemon, whether a process or a thread is refused', async () => {
    const { place, daemon, owner, coordinator } = await daemonOfUser();
    // The first start creates threads that later starts use, and so does the first session on disk.
    await coordinator.spawn({ name: 's0', program: 'cat' });
    const isSaved = () => place.files().some((path) => path.endsWith('/facts'));
    await expect.poll(isSaved).toBe(true);
    const base = tasksOfUser(uid);
    for (let more = 0; more < 5; more++) {
      // Tasks that have ended are counted for a moment.
      await expect.poll(() => tasksOfUser(uid)).toBe(base);
      allow(owner, base + more);
      const burst = [1, 2, 3, 4].map((each) =>
        coordinator.spawn({ name: `b${each}`, program: 'cat' }),
      );
      const ends = await Promise.allSettled(burst);
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(
        Math.floor(more / binding.tasks),
      );
      allow(owner, base + 100);
      for (const { name } of await coordinator.list()) {
        if (name.startsWith('b')) await coordinator.remove(name, { force: true });
      }
    }
    await expectUsable(coordinator, 1);
    daemon.kill('SIGTERM');
    expect(await exitOf(daemon)).toBe(0);
  });
});

describe('where Node.js cannot create its threads', () => {
  withUser(
    'a spawn that must start the daemon fails, names the limit, and leaves nothing that hangs',
    async () => {
      const vtr = publicVtr(['@lydell']);
      const spawnWith = (tasks: number) => {
        const place = placeOfUser();
        const limited = ['setpriv', ...flags(), 'prlimit', `--nproc=${tasks}:`, process.execPath];
        return place.shellLine([...limited, vtr, 'spawn', '--', 'cat'].map(shellQuoted).join(' '));
      };
      // The command itself has 11: the daemon cannot start, or its PTY host, or that creates no more threads.
      const counts = [12, 16, 20];
      const runs = await Promise.all(counts.map(spawnWith));
      for (const [index, { status, stderr }] of runs.entries()) {
        const limit = `processes and threads of this user \\d+ of ${counts[index]}\\b`;
        expect(stderr).toMatch(new RegExp(limit));
        expect(status).toBe(7);
      }
    },
  );
});

describe('a shortage of pseudo-terminals', () => {
  const few = 4;
  const mounts =
    `mount -t devpts -o newinstance,ptmxmode=0666,max=${few} devpts /dev/pts && ` +
    'mount --bind /dev/pts/ptmx /dev/ptmx';

  provided(canMount(mounts), 'only where a devpts can be mounted')(
    'refuses a program, names the limit, and harms no other program',
    async () => {
      const place = new Place();
      const daemon = await servedBy(place, withMounts(mounts, ...serve));
      const coordinator = await clientOf(place);
      const { count, refusal } = await fill(coordinator, 10);
      expect(count).toBe(few);
      expect(refusal?.code).toBe('SYSTEM_LIMIT');
      expect(refusal?.message).toMatch(new RegExp(`pseudo-terminals ${few} of ${few}\\b`));
      await expectUsable(coordinator, count);
      daemon.kill('SIGTERM');
      expect(await exitOf(daemon)).toBe(0);
      expect(readdirSync(place.directory)).toEqual([]);
    },
  );
});
