import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SessionInfo } from '#model';
import { runs } from '../../../../test/support/run/runs.ts';
import { encodeList, ListedSessions } from '../server/handlers/listed-sessions.ts';
import { DecodedSessions } from './remote-coordinator.ts';

/** In UTF-8, the last two differ in one bit of each byte. */
const few = fc.constantFrom('a', 'b', 'ä', 'C$');
const name = fc.constantFrom('a', 'b', 'build-1');
/** As in the format of messages, the last two are not UTF-8, and differ in one byte. */
const count = fc.constantFrom(1, 2, 200, 201);
const infoOf = (id: string): fc.Arbitrary<SessionInfo> =>
  fc.record(
    {
      id: fc.constant(id),
      name,
      program: fc.constant('cat'),
      cwd: fc.constant('/'),
      args: fc.array(few, { maxLength: 2 }),
      title: few,
      pid: fc.constant(7),
      state: fc.constant('running' as const),
      exitedAtMs: fc.constant(null),
      exitStatus: fc.constant(null),
      revision: count,
      createdAtMs: fc.constant(5),
      size: fc.record({ cols: fc.constantFrom(80, 81), rows: fc.constant(24) }),
      labels: fc.dictionary(few, few, { minKeys: 1, maxKeys: 2 }),
      // The last field of a message.
      droppedReplyBytes: count,
    },
    {
      requiredKeys: [
        ...(['id', 'name', 'program', 'cwd', 'args', 'title', 'pid', 'state'] as const),
        ...(['exitedAtMs', 'exitStatus', 'revision', 'createdAtMs', 'size'] as const),
      ],
    },
  );
const list = fc.shuffledSubarray(['one', 'two', 'three']).chain((ids) => {
  return fc.tuple(...ids.map(infoOf));
});

/** The answer of a coordinator, in bytes: fields may be in any order. */
const answerWith = (infos: readonly SessionInfo[]) =>
  Buffer.concat([
    encodeList({ silentHosts: 2 }),
    encodeList({ sessions: new ListedSessions().messagesOf(infos), silentHosts: 3 }),
  ]);

it('each of many lists has the sessions as they are, in their order', () => {
  const property = fc.property(fc.array(list, { minLength: 2, maxLength: 12 }), (lists) => {
    const sessions = new DecodedSessions();
    for (const infos of lists) expect(sessions.decode(answerWith(infos))).toEqual(infos);
  });
  fc.assert(property, runs(200));
});

it('a session that differs in one field is not taken for the one before', () => {
  const changes = fc.oneof(
    ...[fc.record({ title: few }), fc.record({ revision: count })],
    fc.record({ droppedReplyBytes: count }),
  );
  fc.assert(
    fc.property(infoOf('one'), fc.array(changes, { minLength: 4 }), (info, all) => {
      const sessions = new DecodedSessions();
      for (const change of all) {
        const changed = { ...info, ...change };
        expect(sessions.decode(answerWith([changed]))).toEqual([changed]);
      }
    }),
    runs(200),
  );
});

it('a session that has not changed is the same object, which nobody can change', () => {
  fc.assert(
    fc.property(infoOf('one'), infoOf('two'), (info, other) => {
      const sessions = new DecodedSessions();
      const [first] = sessions.decode(answerWith([info])) as [SessionInfo];
      expect(sessions.decode(answerWith([other, info]))[1]).toBe(first);
      const changed = first as { -readonly [Name in keyof SessionInfo]: SessionInfo[Name] };
      expect(() => {
        changed.title = 'c';
      }).toThrow(TypeError);
      expect(() => (changed.args as string[]).push('c')).toThrow(TypeError);
      expect(() => Object.assign(changed.size, { cols: 1 })).toThrow(TypeError);
      expect(sessions.decode(answerWith([info]))).toEqual([info]);
    }),
  );
});

it('an answer that ends within a session is refused', () => {
  const bytes = encodeList({ sessions: new ListedSessions().messagesOf([sample()]) });
  const sessions = new DecodedSessions();
  expect(() => sessions.decode(bytes.subarray(0, -1))).toThrow(RangeError);
  expect(sessions.decode(bytes)).toEqual([sample()]);
});

const sample = () => fc.sample(infoOf('one'), { numRuns: 1, seed: 1 })[0] as SessionInfo;
