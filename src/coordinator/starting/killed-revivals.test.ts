import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AgentKind } from '#agents';
import { ignored } from '#base';
import { LostPty, type PtyHost } from '#session';
import { FakePtyHost } from '../../../test/support/pty/fake-pty-host.ts';
import { FakeFiles } from '../../../test/support/store/fake-files.ts';
import { settle, testStore } from '../../../test/support/store/saved-sessions.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { LocalCoordinator } from '../local-coordinator.ts';

const kind: AgentKind = {
  kind: 'toy',
  name: 'Toy',
  source: 'test',
  checkedWith: [],
  executables: ['toy'],
  packages: [],
  start: { command: ['toy'] },
  resume: { command: ['toy', '--resume', '{id}'] },
  interrupt: [],
  rules: [],
  background: [],
};

type PtySpawnRequest = Parameters<PtyHost['spawn']>[0];
type Pty = Awaited<ReturnType<PtyHost['spawn']>>;
type WriteOptions = NonNullable<Parameters<Pty['write']>[1]>;

/** Calls that change what is left when the coordinator is killed. */
const changing: ReadonlySet<string> = new Set([
  ...['spawn', 'save', 'forget', 'write', 'end'],
  ...['create', 'open', 'rename', 'renameSync', 'remove', 'removeDirectory', 'makeDirectory'],
]);

/** The steps of a coordinator that is killed before one of them. */
class Life {
  readonly #killedAt: number;
  /** What it did, in order. */
  readonly steps: string[] = [];
  isCounted = false;

  constructor(killedAt = Number.POSITIVE_INFINITY) {
    this.#killedAt = killedAt;
  }

  get isOver(): boolean {
    return this.steps.length > this.#killedAt;
  }

  /** Returns an object that the coordinator uses, and that does nothing for it once it is killed. */
  limit<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (_, name) => {
        const value = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (changing.has(String(name))) this.#step(String(name));
          if (this.isOver) throw new Error('killed');
          return this.#limited(value.apply(target, args));
        };
      },
    });
  }

  #step(name: string): void {
    if (this.isCounted && !this.isOver) this.steps.push(name);
  }

  /** Files and terminals that a call returns. */
  #limited(result: unknown): unknown {
    if (result instanceof Promise) return result.then((value) => this.#limited(value));
    if (Array.isArray(result)) return result.map((each) => this.#limited(each));
    if (typeof result !== 'object' || result === null) return result;
    if ('pty' in result) return { ...result, pty: this.limit(result.pty as Pty) };
    return 'write' in result ? this.limit(result) : result;
  }
}

/** Programs and files, and one coordinator after the other. */
class Machine {
  host = new FakePtyHost();
  readonly files = new FakeFiles();
  clock = new VirtualClock();
  coordinator = this.#begin(new Life());
  /** What was typed to each program, by the id of its session. */
  readonly typed = new Map<string, Map<string, string>>();

  /** A program that prints, and runs what is typed if it is a shell. */
  async #spawn(request: PtySpawnRequest, life: Life): Promise<Pty> {
    const { host } = this;
    const pty = await life.limit(host).spawn(request);
    const id = request.marker?.id ?? '';
    this.typed.set(id, new Map());
    const program = host.pty(id);
    queueMicrotask(() => {
      if (request.program === 'sh') program.output('\x1b]133;A\x07$ \x1b]133;B\x07');
      else program.output(`runs ${request.args?.join(' ')}\r\n`);
    });
    return this.#typing(pty, id);
  }

  /** As a PTY host, it drops input whose id it has. */
  #typing(pty: Pty, id: string): Pty {
    const write = async (bytes: Uint8Array, options: WriteOptions = {}) => {
      const typed = this.typed.get(id) as Map<string, string>;
      const { inputId = String(typed.size) } = options;
      if (typed.has(inputId)) return {};
      const receipt = await pty.write(bytes, options);
      const text = Buffer.from(bytes).toString();
      typed.set(inputId, text);
      this.host.pty(id).output(`${text}\n\x1b]133;C\x07it runs\r\n`);
      return receipt;
    };
    return new Proxy(pty, {
      get: (_, name) => (name === 'write' ? write : Reflect.get(pty, name)),
    });
  }

  #begin(life: Life): LocalCoordinator {
    const { clock, host } = this;
    const limited = life.limit(host);
    const adopt = async () => {
      const all = await limited.adopt();
      return all.map((each) => ({ ...each, pty: this.#typing(each.pty, idOf(each.saved.facts)) }));
    };
    const spawn = (request: PtySpawnRequest) => this.#spawn(request, life);
    const ptyHost = Object.assign(Object.create(limited), { adopt, spawn });
    const pid = this.clock === undefined ? 1 : 2;
    const { store } = testStore(life.limit(this.files), { clock, self: { pid, start: pid } });
    return new LocalCoordinator({ ptyHost, clock, store, agentKinds: async () => [kind] });
  }

  /** Kills the coordinator, also the host if it is lost, and begins the next one. */
  async restart(isHostLost: boolean, life = new Life()): Promise<void> {
    this.host = isHostLost ? new FakePtyHost() : new FakePtyHost(this.host);
    this.clock = new VirtualClock();
    this.coordinator = this.#begin(life);
    await this.coordinator.adopt();
  }

  /** Lets three seconds pass, or as much as a step needs. */
  async pass(stepsMs: readonly number[] = [50, 250, 700, 2_000]): Promise<void> {
    for (const ms of stepsMs) {
      await settle();
      this.clock.advance(ms);
    }
    await settle();
  }

  /** Lets time pass until a call has ended, or its coordinator was killed. */
  async during(call: Promise<unknown>, life = new Life()): Promise<void> {
    let isOver = false;
    void ignored(call, 'the law finds it').then(() => {
      isOver = true;
    });
    while (!isOver && !life.isOver) await this.pass([20]);
  }
}

const idOf = (facts: Uint8Array): string => JSON.parse(Buffer.from(facts).toString()).id;

interface Case {
  /** How the program of the session ended. */
  readonly end: 'lost' | 'exited' | 'not at all';
  readonly program: string;
  /** Whether the host is lost with the coordinator. */
  readonly isHostLost: boolean;
}

/** Revives a session in a coordinator that is killed at a step; the next one goes on. */
async function killedAt(life: Life, { end, program, isHostLost }: Case): Promise<Machine> {
  const machine = new Machine();
  const spawned = { name: 'api', program, labels: { agent: 'toy' }, shellIntegration: false };
  const { id } = await machine.coordinator.spawn(spawned);
  await settle();
  machine.host.pty(id).output('old words\r\n');
  await machine.pass();
  if (end === 'exited') machine.host.pty(id).announceExit({ code: 1, signal: null });
  await machine.pass();
  await machine.restart(end === 'lost', life);
  await machine.pass();
  const request = { conversation: 'c1', now: end === 'not at all', inputId: 'once' };
  life.isCounted = true;
  await machine.during(machine.coordinator.revive('api', request), life);
  await machine.pass();
  await machine.restart(isHostLost);
  await machine.pass();
  // A client repeats its call; a daemon starts what was lost when it starts.
  const { coordinator } = machine;
  if (end !== 'lost') await machine.during(coordinator.revive('api', request));
  for (const each of coordinator.lostSessions('all')) {
    await machine.during(coordinator.revive(each, { conversation: 'c1' }));
  }
  await machine.pass();
  return machine;
}

async function left({ coordinator, typed }: Machine) {
  const sessions = await coordinator.list();
  const { lines } = await coordinator.readLines('api', { from: 0 });
  return {
    sessions: sessions.map(({ name, state, args }) => [name, state, ...args].join(' ')),
    oldWords: lines.filter(({ text }) => text.endsWith('old words')).length,
    typed: [...(typed.get(sessions[0]?.id ?? '')?.values() ?? [])],
  };
}

const ends = ['lost', 'exited', 'not at all'] as const;
const programs = ['toy', 'sh'];
const cases = ends.flatMap((end) =>
  programs.flatMap((program) => [false, true].map((isHostLost) => ({ end, program, isHostLost }))),
);

describe('[law] a session whose coordinator is killed within its revival', () => {
  // It would look at all processes of this machine.
  const endLeft = vi.spyOn(LostPty.prototype, 'endLeft');
  beforeAll(() => {
    endLeft.mockResolvedValue();
  });
  afterAll(() => endLeft.mockRestore());

  it.each(cases)('is started once, with its lines: %j', async (each) => {
    const whole = new Life();
    await killedAt(whole, each);
    const isShell = each.program === 'sh';
    const law = {
      sessions: [isShell ? 'api running' : 'api running --resume c1'],
      oldWords: 1,
      typed: isShell ? ['toy --resume c1\r'] : [],
    };
    for (let step = 0; step <= whole.steps.length; step++) {
      const state = await left(await killedAt(new Life(step), each));
      const before = whole.steps[step] ?? 'nothing';
      expect({ step, before, ...state }).toEqual({ step, before, ...law });
    }
  });
});
