import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '#base';
import { ioError } from '#model';
import { RecordingFiles } from '#store';
import { failEveryCall, type Operation } from '../support/faults/every-call.ts';
import { tree } from '../support/tree.ts';

const root = tree({}, afterAll);
const directory = join(root, 'recordings');
const logged: string[] = [];
const opened = () =>
  new RecordingFiles(directory, {
    socket: '/a',
    bounds: { keep: 1, totalBytes: 1_000, maxAgeMs: 10_000 },
    wallMs: () => 0,
    log: (line) => void logged.push(line),
  });
let files = opened();

const recording = (id: string) => ({
  id,
  startedAtMs: 0,
  sessionId: 's',
  session: 'name',
  version: 3 as const,
  input: false,
  file: null,
});
/** Throws if a line of it was written in part. */
function wholeLines(id: string): string {
  const text = readFileSync(join(directory, `${id}.cast`), 'utf8');
  if (!/^(.*\n)*$/.test(text)) throw new Error(`${JSON.stringify(text)} ends in a line`);
  return text;
}

const reasonOf = (error: Error) => ioError('it', 'written', error).message;

async function record(id: string, ...texts: readonly string[]): Promise<string[]> {
  const failures: string[] = [];
  const onFailed = (error: Error) => void failures.push(reasonOf(error));
  const { file } = files.create(recording(id), {
    head: encodeUtf8('head\n'),
    force: false,
    onFailed,
  });
  for (const text of texts) file.write(encodeUtf8(text));
  const failure = await file.close();
  return failure === null ? [] : [reasonOf(failure), ...failures];
}

async function finish(id: string): Promise<void> {
  await record(id, 'line\n');
  files.change(id, { end: { state: 'ended' } });
}

const namesOf = (listed: RecordingFiles) => listed.list().map(({ id, end }) => [id, end?.state]);
const place = '# vtr {"offset":1,"ms":1000}\n';

/** A failure that is returned or logged. */
const isReported = (result: unknown, reason: string) =>
  `${JSON.stringify(result)} ${logged.join(' ')}`.includes(reason);

const operations: readonly Operation[] = [
  {
    name: 'a recording is made and listed',
    codes: ['IO_ERROR'],
    async act() {
      const failures = await record('one', 'line 1\n', `line 2\n${place}`);
      if (failures.length > 0) return { failures, text: wholeLines('one').length };
      files.change('one', { end: { state: 'ended' } });
      return [
        wholeLines('one'),
        namesOf(files),
        namesOf(opened()),
        files.bytes('one') ?? 'EIO EACCES',
      ];
    },
    isReported,
  },
  {
    name: 'a recording goes on after its last place',
    codes: ['IO_ERROR'],
    prepare: () => record('one', `${'line\n'.repeat(100)}${place}`, 'line\n', 'torn'),
    async act() {
      const failures: string[] = [];
      const resumed = files.resume('one', (error) => void failures.push(reasonOf(error)));
      const { file, lastLine, content } = resumed;
      try {
        const before = decodeUtf8(content());
        file.write(encodeUtf8('more\n'));
        const failure = await file.close();
        if (failure !== null) return { failures: [reasonOf(failure), ...failures] };
        return [lastLine, before, wholeLines('one')];
      } finally {
        await file.close();
      }
    },
    isReported,
  },
  {
    name: 'old recordings are removed, also as asked for',
    codes: ['IO_ERROR'],
    async prepare() {
      for (const id of ['one', 'two']) await finish(id);
    },
    async act() {
      const failures = await record('three', 'line\n');
      files.remove('two');
      return [failures, namesOf(files), namesOf(opened())];
    },
    isReported,
  },
];

describe('recordings, of which every system call fails', () => {
  const all = operations.map((each) => [each.name, each] as const);
  test.each(all)('%s', async (_, operation) => {
    const prepare = async () => {
      logged.length = 0;
      files = opened();
      await operation.prepare?.();
    };
    const undo = () => rmSync(directory, { recursive: true, force: true });
    const { wrong, calls } = await failEveryCall({ ...operation, prepare, undo }, root);
    expect(wrong).toEqual([]);
    expect(calls).toBeGreaterThan(0);
  });
});
