import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '#app/client';
import { type Coordinator, isVtrError, startMark, VtrError } from '#model';
import { report } from '../support/command/measured-daemon.ts';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { canMount, withMounts } from '../support/pty/mount-namespace.ts';
import { isAlive } from '../support/pty/process-facts.ts';
import { testProgram } from '../support/pty/pty-request.ts';
import { shortened } from '../support/run/durations.ts';
import { type Random, randomFrom } from '../support/run/random-from.ts';

const durationMs = shortened(300_000, 20_000);
const printers = 15;
const ledgers = 15;
const stopMs = 2_000;
const prlimit = 'prlimit';

/** Codes of calls that failed because of an injected fault; their effect is unknown. */
const faultCodes = new Set(['UNAVAILABLE', 'TIMEOUT', 'DEADLINE_EXCEEDED', 'PTY_HOST_LOST']);

/** The faults, and the machine that they are injected into. */
class Chaos {
  readonly place = new Place();
  /** How long a command that sends takes. */
  sendMs = 100;
  /** A process in whose mounts the daemons run; null if nothing can be mounted. */
  #mounts: number | null = null;

  /** Puts the directory of saved sessions on a small disk of its own, which can be filled. */
  async mountState(): Promise<void> {
    const mount = `mount -t tmpfs -o size=64m none '${this.place.state}'`;
    if (!canMount(mount)) return;
    const [program = '', ...args] = withMounts(
      mount,
      'sh',
      '-c',
      'echo mounted; exec sleep 100000',
    );
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    this.#mounts = child.pid ?? null;
  }

  #within(...words: string[]): [string, string[]] {
    const mounts = this.#mounts;
    const user = process.getuid?.() === 0 ? [] : ['--user', '--preserve-credentials'];
    const enter = mounts === null ? [] : ['nsenter', '-t', `${mounts}`, '-m', ...user];
    const [program = '', ...args] = [...enter, ...words];
    return [program, args];
  }

  /** Starts a daemon, unless one serves. */
  async start(): Promise<void> {
    const [program, args] = this.#within(process.execPath, vtrFile, 'serve', '--daemon');
    const { env, directory } = this.place;
    const child = spawn(program, args, { env, cwd: directory, stdio: 'ignore' });
    await once(child, 'exit');
  }

  /** The processes that claim the socket: the daemon, and those that start. */
  #daemons(): number[] {
    return readdirSync(this.place.directory)
      .map((name) => Number(/\.(\d+)-\d+\.claim$/.exec(name)?.[1] ?? 0))
      .filter((pid) => pid > 0 && isAlive(pid));
  }

  /** The processes that have the terminals. */
  #hosts(): number[] {
    const { stdout } = spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
    return stdout
      .split('\n')
      .filter((line) => line.includes('vtr-ptyd') && line.includes(this.place.directory))
      .map((line) => Number.parseInt(line, 10));
  }

  async #stop(pids: readonly number[]): Promise<void> {
    const signal = (name: NodeJS.Signals) => {
      for (const pid of pids) if (isAlive(pid)) process.kill(pid, name);
    };
    signal('SIGSTOP');
    await delay(stopMs);
    signal('SIGCONT');
  }

  readonly faults: Readonly<Record<string, (random: Random, sessions: Sessions) => Promise<void>>> =
    {
      kills: async () => {
        for (const pid of this.#daemons()) process.kill(pid, 'SIGKILL');
        await this.start();
      },
      stops: () => this.#stop(this.#daemons()),
      hostStops: () => this.#stop(this.#hosts()),
      killedClients: async (random, { whole }) => {
        const input = whole.next(random(100_000));
        await this.place.vtr(['send', 'whole', '--stdin', '--no-start'], {
          input,
          killAfterMs: 1 + random(2 * this.sendMs),
        });
      },
      fullDisks: async () => {
        if (this.#mounts === null) return;
        const file = join(this.place.state, 'full');
        const [program, args] = this.#within('sh', '-c', `cat /dev/zero > '${file}'; true`);
        spawnSync(program, args, { stdio: 'ignore' });
        await delay(stopMs);
        const [remove, words] = this.#within('rm', '-f', file);
        execFileSync(remove, words);
      },
      fewFiles: async (_random, { coordinator }) => {
        const limited = [...this.#daemons(), ...this.#hosts()];
        const limit = (files: (pid: number) => number) => {
          for (const pid of limited) {
            if (isAlive(pid)) spawnSync(prlimit, ['--pid', `${pid}`, `--nofile=${files(pid)}:`]);
          }
        };
        limit((pid) => readdirSync(`/proc/${pid}/fd`).length);
        try {
          const spawned = await coordinator.spawn({ program: 'true' }).catch((error) => error);
          if (spawned instanceof Error) expect(spawned).toBeInstanceOf(VtrError);
          else await coordinator.remove(spawned, { force: true });
        } finally {
          limit(() => 1024);
        }
      },
      resizes: async (random, { coordinator, names }) => {
        const name = names[random(names.length)] ?? '';
        const sizes = Array.from({ length: 100 }, () => ({
          cols: 1 + random(300),
          rows: 1 + random(100),
        }));
        await Promise.allSettled(sizes.map((size) => coordinator.resize(name, size)));
      },
    };
}

/** What the faults act on. */
interface Sessions {
  readonly coordinator: Coordinator;
  readonly names: readonly string[];
  readonly whole: { next(length: number): string };
}

/** Repeats a call until no fault prevents it. Calls with an effect must have an input id. */
async function persist<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const { code } = error as { code?: string };
      if (!isVtrError(error) || !faultCodes.has(code ?? '')) throw error;
      await delay(100);
    }
  }
}

describe('thirty sessions, and every 1 to 3 s a fault', () => {
  it('lose no output and no input, repeat none, and end with their exit codes', async () => {
    const chaos = new Chaos();
    const { place } = chaos;
    await chaos.mountState();
    await chaos.start();
    onTestFinished(() => void place.vtr(['serve', '--stop']));
    const coordinator = await connect({ socket: place.socket });
    onTestFinished(() => coordinator.close());
    const stop = join(place.directory, 'stop');
    const log = join(place.directory, 'whole');
    const copyOf = (name: string) => join(place.directory, `${name}.bytes`);

    const names = Array.from({ length: printers }, (_, index) => `printer-${index}`);
    for (const [index, name] of names.entries()) {
      const program = [process.execPath, testProgram('told-output.mjs'), 'lines', `${index}`];
      const words = [...program, stop, copyOf(name)].map((word) => `'${word}'`).join(' ');
      const args = ['-c', `stty -opost -echo; ${words}; exit $(($? * 10 + ${index}))`];
      await coordinator.spawn({ name, program: 'sh', args });
    }
    const typed = Array.from({ length: ledgers }, (_, index) => `ledger-${index}`);
    for (const name of typed) {
      const args = [testProgram('record-input.mjs')];
      await coordinator.spawn({ name, program: process.execPath, args });
      await coordinator.wait(name, { match: ['^ready'], since: startMark });
    }
    const args = ['-c', `stty raw -echo; echo ready; exec cat > '${log}'`];
    await coordinator.spawn({ name: 'whole', program: 'sh', args });
    await coordinator.wait('whole', { match: ['^ready'], since: startMark });

    const beginMs = performance.now();
    await place.ok('send', 'whole', '<first:x:first>');
    chaos.sendMs = Math.round(performance.now() - beginMs);

    let isOver = false;
    const type = async (name: string) => {
      let input = '';
      for (let number = 0; !isOver; number++) {
        const text = `${number};`;
        await persist(() => coordinator.sendText(name, text, { inputId: `${name}-${number}` }));
        input += text;
        await delay(50);
      }
      await persist(() => coordinator.sendText(name, '~', { inputId: `${name}-end` }));
      return input;
    };
    const read = async (name: string) => {
      const parts: Uint8Array[] = [];
      let since = startMark;
      for (let isLast = false; ; isLast = isOver) {
        const request = { since, format: 'raw' } as const;
        const { raw, gap, mark } = await persist(() => coordinator.read(name, request));
        expect([name, gap]).toEqual([name, { lines: 0, bytes: 0 }]);
        if (raw !== undefined) parts.push(raw.bytes);
        since = mark;
        if (isLast) return Buffer.concat(parts);
        await delay(500);
      }
    };
    const [typing, reading] = [Promise.all(typed.map(type)), Promise.all(names.map(read))];
    const clients = Promise.all([typing, reading]);
    // A failure is reported below; the loop need not go on.
    clients.catch(() => {
      isOver = true;
    });

    let count = 0;
    const whole = {
      next: (length: number) => `<${count}:${'x'.repeat(1 + length)}:${count++}>`,
    };
    const random = randomFrom(Number(process.env['VTR_TEST_SEED'] ?? 1));
    const kinds = Object.entries(chaos.faults);
    const counts = Object.fromEntries(kinds.map(([kind]) => [kind, 0]));
    const end = performance.now() + durationMs;
    for (let round = 0; performance.now() < end && !isOver; round++) {
      await delay(1_000 + random(2_000));
      // Each fault once, then any.
      const [kind = '', inject] = kinds[round < kinds.length ? round : random(kinds.length)] ?? [];
      await inject?.(random, { coordinator, names, whole });
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    isOver = true;
    writeFileSync(stop, '');
    const [lines, outputs] = await clients;

    for (const [index, name] of names.entries()) {
      const { exitStatus } = await persist(() => coordinator.wait(name, {}));
      expect([name, exitStatus]).toEqual([name, { code: 70 + index, signal: null }]);
      const bytes = readFileSync(copyOf(name));
      const output = outputs[index] ?? Buffer.alloc(0);
      expect(bytes.subarray(0, output.length).equals(output), name).toBe(true);
      const last = await persist(() => coordinator.read(name, { format: 'raw' }));
      const rawBytes = last.raw?.bytes ?? new Uint8Array();
      expect(rawBytes.length).toBeGreaterThan(0);
      expect(bytes.subarray(-rawBytes.length).equals(rawBytes), name).toBe(true);
    }
    for (const [index, name] of typed.entries()) {
      const { exitStatus } = await persist(() => coordinator.wait(name, {}));
      expect([name, exitStatus]).toEqual([name, { code: 0, signal: null }]);
      const { tail } = (await persist(() => coordinator.read(name, {}))).text;
      const got = tail.replaceAll('\n', '').replace(/^.*ready/, '');
      expect([name, got]).toEqual([name, lines[index]]);
    }
    await persist(() => coordinator.sendText('whole', 'end', { inputId: 'whole-end' }));
    await expect.poll(() => readFileSync(log, 'utf8'), { timeout: 20_000 }).toMatch(/end$/);
    const texts = readFileSync(log, 'utf8').slice(0, -'end'.length);
    const all = [...texts.matchAll(/<(\w+):x+:\1>/g)];
    expect(all.map(([each]) => each).join('').length).toBe(texts.length);
    expect(new Set(all.map(([, number]) => number)).size).toBe(all.length);
    const inputs = lines.reduce((sum, each) => sum + each.split(';').length - 1, 0);
    const outputKb = outputs.reduce((sum, each) => sum + each.length, 0) / 1024;
    report({ ...counts, inputs, outputKb, wholeTexts: all.length });
    expect(existsSync(place.socket)).toBe(true);
  });
});
