import { create, type MessageInitShape, toJson } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RowFrameSchema, SessionSchema } from '#messages';
import type { SessionInfo } from '#model';
import { frameRows, sessionOf } from '../../src/web/link/values.ts';
import { fromFrame } from '../../src/wire/service/convert/frame.ts';
import { fromSession } from '../../src/wire/service/convert/session.ts';
import { runs } from '../support/run/runs.ts';

const text = fc.constantFrom('', 'a', 'make: *** Error 2', 'ü漢');
const flag = fc.boolean();
/** Values of enums: UNSPECIFIED, known ones, and one of a later version. */
const value = fc.constantFrom(0, 1, 2, 3, 99);
const time = fc.nat({ max: 2 ** 31 }).map((ms) => ({
  seconds: BigInt(Math.floor(ms / 1000)),
  nanos: (ms % 1000) * 1e6,
}));
const count = fc.nat({ max: 1000 });
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });

const evidence = fc.record({
  shellMark: value,
  promptPattern: flag,
  alternateScreen: flag,
  unfinishedLine: flag,
  leaderInForeground: maybe(flag),
  echo: maybe(flag),
  canonical: maybe(flag),
  readingTerminal: maybe(flag),
  alsoWaits: maybe(flag),
  foreground: maybe(fc.record({ pid: count, name: text })),
});
const activity = fc.record({
  state: value,
  since: time,
  revision: count.map(BigInt),
  evidence: maybe(evidence),
  waitingRuns: fc.array(text, { maxLength: 2 }),
});
const menu = fc.record({
  title: text,
  options: fc.array(text),
  selected: maybe(count),
  multiple: flag,
  checked: fc.array(count),
  checkedKnown: flag,
  keys: text,
  button: text,
});
const session = fc.record({
  name: fc.constant('a'),
  id: text,
  status: value,
  cols: count,
  rows: count,
  pid: count,
  program: text,
  args: fc.array(text),
  workingDir: text,
  title: text,
  fedBy: maybe(text),
  revision: fc.bigInt(0n, 2n ** 53n - 1n),
  createdAt: time,
  exitedAt: maybe(time),
  exitStatus: maybe(fc.record({ code: maybe(count), signal: maybe(text) })),
  labels: fc.dictionary(fc.constantFrom('k', 'l'), text),
  activity: maybe(
    fc.record({
      activity: maybe(activity),
      command: maybe(text),
      directory: maybe(text),
      branch: maybe(text),
    }),
  ),
  attention: maybe(
    fc.record({
      kind: value,
      since: time,
      evidence: text,
      menu: maybe(menu),
      questionId: maybe(text),
      guess: flag,
    }),
  ),
  agent: maybe(
    fc.record({
      kind: text,
      state: value,
      since: time,
      turn: count,
      background: count,
      question: maybe(text),
      questionId: maybe(text),
      menu: maybe(menu),
      done: flag,
      message: maybe(text),
      conversation: maybe(text),
      rules: text,
      evidence: fc.array(fc.record({ state: value, strong: flag, rule: text, text })),
    }),
  ),
  programStatus: maybe(
    fc.record({
      state: value,
      kind: value,
      app: text,
      progress: maybe(count),
      message: text,
      title: text,
      at: maybe(time),
    }),
  ),
  driver: maybe(fc.record({ kind: value, name: text, since: time, epoch: count, until: time })),
  driverEpoch: count,
});

const color = maybe(
  fc.oneof(
    fc.record({ color: fc.record({ case: fc.constant('palette' as const), value: count }) }),
    fc.record({ color: fc.record({ case: fc.constant('rgb' as const), value: count }) }),
  ),
);
const style = fc.record({
  fg: color,
  bg: color,
  underlineColor: color,
  underlineStyle: value,
  link: text,
  attributes: fc.nat({ max: 1023 }),
});
const run = fc.record({ text, style: fc.nat({ max: 3 }), wide: flag, cluster: flag });
const row = fc.record({ row: count, runs: fc.array(run, { maxLength: 3 }) });

describe('[S3.32] the page reads messages as the other clients do', () => {
  it('of sessions', () => {
    const property = fc.property(session, (fields) => {
      const message = create(SessionSchema, fields as MessageInitShape<typeof SessionSchema>);
      const read = sessionOf(toJson(SessionSchema, message));
      const whole = fromSession(message);
      const names = Object.keys(read) as (keyof SessionInfo)[];
      expect(read).toEqual(Object.fromEntries(names.map((name) => [name, whole[name]])));
      // All that the page shows.
      const shown = [
        'labels',
        'activity',
        'attention',
        'agent',
        'programStatus',
        'driver',
      ] as const;
      for (const name of shown) {
        expect([name, name in read]).toEqual([name, name in whole]);
      }
    });
    fc.assert(property, runs(500));
  });

  it('of frames', () => {
    const frames = fc.record({ styles: fc.array(style, { maxLength: 2 }), changed: fc.array(row) });
    const property = fc.property(frames, (fields) => {
      const message = create(RowFrameSchema, fields as MessageInitShape<typeof RowFrameSchema>);
      expect(frameRows(toJson(RowFrameSchema, message))).toEqual(fromFrame(message).rows);
    });
    fc.assert(property, runs(500));
  });
});
