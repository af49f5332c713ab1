import { execFileSync } from 'node:child_process';
import {
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { encodeUtf8 } from '#base';
import { needs } from '../../../test/support/run/needs.ts';
import { RecordingFiles } from './recording-files.ts';
import { RecordingWriter } from './recording-writer.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vtr-recordings-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const bounds = { keep: 2, totalBytes: 1000, maxAgeMs: 10_000 };
const opened = (wallMs = 0, socket = '/a') =>
  new RecordingFiles(join(directory, 'own'), {
    socket,
    bounds,
    wallMs: () => wallMs,
    log: () => {},
  });
const recording = (id: string, startedAtMs = 0) => ({
  id,
  startedAtMs,
  sessionId: 's',
  session: 'name',
  version: 3 as const,
  input: false,
  file: null,
});
const options = {
  head: new Uint8Array(0),
  force: false,
  onFailed: (error: Error) => {
    throw error;
  },
};

async function makeRecording(files: RecordingFiles, id: string, text: string, startedAtMs = 0) {
  const { file, stored } = files.create(recording(id, startedAtMs), options);
  file.write(encodeUtf8(text));
  await file.close();
  files.change(id, { end: { state: 'ended' } });
  return stored;
}

test('a recording is a file that only its owner can read, and is never overwritten unasked', async () => {
  const files = opened();
  const { file } = await makeRecording(files, 'one', 'text\n');
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['text\n', 0o600]);
  const again = { ...recording('two'), file };
  expect(() => files.create(again, options)).toThrow(/exists; --force/);
  await files.create(again, { ...options, force: true }).file.close();
  expect(readFileSync(file, 'utf8')).toBe('');
  expect(() =>
    files.create({ ...recording('x'), file: directory }, { ...options, force: true }),
  ).toThrow(/is not a regular file/);
  expect(() => files.create({ ...recording('x'), file: join(directory, 'no/x') }, options)).toThrow(
    /ENOENT/,
  );
  // The file of the first one was replaced.
  expect(files.list().map(({ id }) => id)).toEqual(['two']);
  expect(() => files.remove('one')).toThrow(/no recording/);
  expect(existsSync(file)).toBe(true);
});

test('a recording has its first line when it is made', async () => {
  const files = opened();
  const { file, stored } = files.create(recording('one'), {
    ...options,
    head: encodeUtf8('head\n'),
  });
  expect(readFileSync(stored.file, 'utf8')).toBe('head\n');
  file.write(encodeUtf8('text\n'));
  await file.close();
  expect(readFileSync(stored.file, 'utf8')).toBe('head\ntext\n');
});

test('a file that is being written is not overwritten, even if asked', async () => {
  const files = opened();
  const { file, stored } = files.create(recording('one'), options);
  const again = { ...recording('two'), file: stored.file };
  expect(() => files.create(again, { ...options, force: true })).toThrow(
    /session name is being recorded to .*; stop that/,
  );
  file.write(encodeUtf8('text\n'));
  await file.close();
  expect(readFileSync(stored.file, 'utf8')).toBe('text\n');
});

test('a file next to recordings that is none, or is damaged, is ignored', async () => {
  const { file } = await makeRecording(opened(), 'one', 'text\n');
  for (const [name, text] of [
    ['a', 'null'],
    ['b', '{"id":"../one","socket":"/a"}'],
    ['c', '{'],
  ]) {
    writeFileSync(join(file, '..', `${name}.json`), text ?? '');
  }
  expect(opened().list()).toMatchObject([{ id: 'one' }]);
});

needs('mkfifo')(
  'a pipe or a device in place of the facts of a recording does not block the others',
  async () => {
    const { file } = await makeRecording(opened(), 'one', 'x\n');
    execFileSync('mkfifo', [join(file, '../pipe.json')]);
    symlinkSync('/dev/zero', join(file, '../zero.json'));
    expect(opened().list()).toMatchObject([{ id: 'one' }]);
  },
);

test('another coordinator continues after the last line with a place', async () => {
  const first = opened();
  const { file } = first.create(recording('one'), options);
  file.write(encodeUtf8('header\n[1, "o", "a"]\n# vtr {"offset":1,"ms":1000}\n[1, "o", "b"]\n'));
  await file.close();
  const second = opened();
  expect(second.list()).toMatchObject([{ id: 'one', end: null }]);
  writeFileSync(second.list()[0]?.file ?? '', '[1, "o"', { flag: 'a' });
  const left = second.resume('one', options.onFailed);
  expect(left.lastLine).toBe('# vtr {"offset":1,"ms":1000}');
  left.file.write(encodeUtf8('[2, "o", "c"]\n'));
  await left.file.close();
  const text = 'header\n[1, "o", "a"]\n# vtr {"offset":1,"ms":1000}\n[2, "o", "c"]\n';
  expect(readFileSync(second.list()[0]?.file ?? '', 'utf8')).toBe(text);
  expect(opened(0, '/other').list()).toEqual([]);
});

test('a recording of another coordinator can be removed when it has ended', async () => {
  const other = opened(0, '/other');
  const { file } = await makeRecording(other, 'ended', 'x\n');
  const running = other.create(recording('running'), options);
  const files = opened();
  files.remove('ended');
  expect(existsSync(file)).toBe(false);
  expect(() => files.remove('running')).toThrow(/goes on in the coordinator at \/other/);
  expect(() => files.remove('../x')).toThrow(/no recording has the id/);
  await running.file.close();
});

test('only the end of a large recording is read, unless it has no place', async () => {
  const first = opened();
  const line = `[0.001, "o", "${'x'.repeat(300)}"]\n`;
  for (const [id, place] of [
    ['one', '# vtr {"offset":1,"ms":7}\n'],
    ['two', ''],
  ] as const) {
    const { file } = first.create(recording(id), options);
    file.write(encodeUtf8(`header\n${place}${line.repeat(10_000)}torn`));
    await file.close();
    const left = opened().resume(id, options.onFailed);
    await left.file.close();
    const text = place === '' ? `header\n${line.repeat(10_000)}` : `header\n${place}`;
    expect(Buffer.from(left.content()).toString() === text).toBe(true);
    expect(`${left.lastLine}\n`).toBe(place || line);
  }
});

test('the oldest recordings are removed beyond the limits, never those that go on', async () => {
  const files = opened(11_000);
  const running = files.create(recording('running'), options);
  const old = await makeRecording(files, 'old', 'x\n', 500);
  for (const [index, id] of ['a', 'b', 'c'].entries())
    await makeRecording(files, id, 'x\n', 10_000 + index);
  const { file } = files.create(recording('new', 11_000), options);
  expect(files.list().map(({ id }) => id)).toEqual(['running', 'b', 'c', 'new']);
  expect(existsSync(old.file)).toBe(false);
  await Promise.all([running.file.close(), file.close()]);
});

test('a full disk ends the file with its last whole line', async () => {
  const errors: (string | undefined)[] = [];
  const onFailed = ({ code }: NodeJS.ErrnoException) => errors.push(code);
  const writer = new RecordingWriter(openSync('/dev/full', 'w'), onFailed);
  writer.write(encodeUtf8('a line\n'));
  expect(await writer.close()).toMatchObject({ code: 'ENOSPC' });
  writer.write(encodeUtf8('ignored\n'));
  expect([errors, writer.bytes, writer.waitingBytes]).toEqual([['ENOSPC'], 0, 0]);
});

test('a failure closes the file, also one that cannot be shortened', async () => {
  const path = join(directory, 'a');
  writeFileSync(path, '');
  const fd = openSync(path, 'r');
  const writer = new RecordingWriter(fd, () => {});
  writer.write(encodeUtf8('a line\n'));
  expect(await writer.close()).toMatchObject({ code: 'EBADF' });
  expect(() => fstatSync(fd)).toThrow('EBADF');
});
