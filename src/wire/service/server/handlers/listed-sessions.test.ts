import { fromBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ListResponseSchema } from '#messages';
import type { SessionInfo } from '#model';
import { fromSession } from '../../convert/session.ts';
import { encodeList, ListedSessions } from './listed-sessions.ts';

const few = fc.constantFrom('a', 'b');
const infoOf = (id: string): fc.Arbitrary<SessionInfo> =>
  fc.record(
    {
      id: fc.constant(id),
      name: few,
      program: fc.constant('cat'),
      cwd: fc.constant('/'),
      args: fc.array(few, { maxLength: 2 }),
      title: few,
      pid: fc.constant(7),
      state: fc.constant('running' as const),
      exitedAtMs: fc.constant(null),
      exitStatus: fc.constant(null),
      revision: fc.nat(1),
      createdAtMs: fc.constant(5),
      size: fc.record({ cols: fc.constantFrom(80, 81), rows: fc.constant(24) }),
      labels: fc.dictionary(few, few, { minKeys: 1, maxKeys: 2 }),
      persist: fc.record({ state: fc.constantFrom('disk' as const, 'memory' as const) }),
    },
    {
      requiredKeys: [
        ...(['id', 'name', 'program', 'cwd', 'args', 'title', 'pid', 'state'] as const),
        ...(['exitedAtMs', 'exitStatus', 'revision', 'createdAtMs', 'size'] as const),
      ],
    },
  );
const list = fc.subarray(['one', 'two', 'three']).chain((ids) => fc.tuple(...ids.map(infoOf)));

it('each of many lists has the sessions as they are', () => {
  const property = fc.property(fc.array(list, { minLength: 2, maxLength: 12 }), (lists) => {
    const listed = new ListedSessions();
    for (const infos of lists) {
      const sessions = listed.messagesOf(infos);
      const bytes = encodeList({ sessions, silentHosts: 2 });
      const answer = fromBinary(ListResponseSchema, bytes);
      expect(answer.sessions.map(fromSession)).toEqual(infos);
      expect(answer.silentHosts).toBe(2);
    }
  });
  fc.assert(property);
});

it('a session that has not changed keeps its message', () => {
  fc.assert(
    fc.property(infoOf('one'), (info) => {
      const listed = new ListedSessions();
      const [first] = listed.messagesOf([info]);
      expect(listed.messagesOf([structuredClone(info)])[0]).toBe(first);
    }),
  );
});
