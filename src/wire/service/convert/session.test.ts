import { fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SessionSchema } from '#messages';
import type {
  Attention,
  EndedBy,
  Menu,
  PausedOutput,
  Persistence,
  SessionInfo,
  SessionLifetime,
  SessionLimits,
} from '#model';
import { fromSession, toSession } from './session.ts';

const whole = fc.nat({ max: 2 ** 45 });
const ms = fc.nat({ max: 2 ** 41 });
const name = fc.string({ minLength: 1 });
const sessionName = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
const optional = { requiredKeys: [] as [] };
const lifetime: fc.Arbitrary<SessionLifetime> = fc.record(
  { idleMs: ms, keepExitedMs: ms, maxRunMs: ms },
  optional,
);
const limits: fc.Arbitrary<SessionLimits> = fc.record(
  { memoryBytes: whole, cpuPercent: fc.double({ min: 1, max: 100, noNaN: true }) },
  optional,
);
const reason = fc.constantFrom(
  'idle',
  'run_time',
  'memory',
  'cpu',
  'lease',
  'host_lost',
  'stopped',
  'reboot',
);
const endedBy: fc.Arbitrary<EndedBy> = fc.record(
  { reason, limit: ms, measured: ms },
  { requiredKeys: ['reason'] },
);
const restored = fc.constantFrom('exactly', 'partly');
const paused: fc.Arbitrary<PausedOutput> = fc.record({ sinceMs: ms, bytes: whole });
const persist: fc.Arbitrary<Persistence> = fc.record(
  { state: fc.constantFrom('disk', 'memory', 'stopped'), reason: name },
  { requiredKeys: ['state'] },
);
const menu: fc.Arbitrary<Menu> = fc.record({
  title: name,
  options: fc.array(name),
  multiple: fc.constant(true),
  keys: name,
  selected: fc.option(fc.nat({ max: 200 })),
});
const attention: fc.Arbitrary<Attention> = fc.record(
  {
    kind: fc.constantFrom(
      'input',
      'password',
      'prompt',
      'failed',
      'bell',
      'notification',
      'done',
      'quiet',
      'activity',
      'silence',
    ),
    sinceMs: ms,
    evidence: name,
    menu,
    guess: fc.constant(true),
  },
  { requiredKeys: ['kind', 'sinceMs', 'evidence'] },
);
const key = fc.stringMatching(/^[a-z][a-z0-9._/-]{0,9}$/);
const labels = fc.dictionary(key, name, { minKeys: 1 });
const info = fc.record(
  {
    name: sessionName,
    id: name,
    program: name,
    cwd: name,
    title: name,
    state: fc.constant('running'),
    exitedAtMs: fc.constant(null),
    exitStatus: fc.constant(null),
    args: fc.array(name),
    pid: fc.nat(),
    size: fc.record({ cols: fc.nat(), rows: fc.nat() }),
    revision: whole,
    createdAtMs: ms,
    lifetime,
    limits,
    endedBy,
    labels,
    programStatus: fc.constant({
      ...({
        state: 'working',
        kind: null,
        app: 'make',
        progress: 4,
        message: 'm',
        title: '',
      } as const),
      atMs: 5,
    }),
    restored,
    paused,
    persist,
    attention,
    bellAtMs: ms,
  },
  {
    requiredKeys: [
      ...(['name', 'id', 'state', 'program', 'args', 'cwd', 'pid', 'size', 'title'] as const),
      ...(['revision', 'createdAtMs', 'exitedAtMs', 'exitStatus'] as const),
    ],
  },
) as fc.Arbitrary<SessionInfo>;

it('the wire preserves a session: labels, lifetime, limits, reason of its end, restart', () => {
  const property = fc.property(info, (original) => {
    const message = toBinary(SessionSchema, toSession(original));
    expect(fromSession(fromBinary(SessionSchema, message))).toEqual(original);
  });
  fc.assert(property);
});
