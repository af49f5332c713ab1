import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeUtf8, encodeUtf8, Utf8Decoder } from '#base';
import {
  CastEncoder,
  EventRedactor,
  literalRule,
  parseCast,
  type RecordedEvent,
  tokenRule,
} from '#recording';
import { Replay } from '#replay';
import { SessionRecorder } from '#watch';
import { runs } from '../../../test/support/run/runs.ts';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { screenSize, sizeChange } from '../../../test/support/vt/terminal-output.ts';
import { FileRecording } from './file-recording.ts';
import type { RecordingFile } from './recording-store.ts';

/** A file of which a test decides how much waits for the disk. */
class SlowFile implements RecordingFile {
  text = '';
  waitingBytes = 0;

  get bytes(): number {
    return this.text.length;
  }

  write(lines: Uint8Array): void {
    this.text += decodeUtf8(lines);
  }

  async close(): Promise<null> {
    return null;
  }
}

const rulesFor = (secrets: readonly string[]) =>
  secrets.length === 0 ? [] : [tokenRule, literalRule(secrets)];

function recorded(
  size = { cols: 20, rows: 4 },
  secrets: readonly string[] = [],
  maxBytes = 1e9,
  before: (source: WatchedTerminal) => void = () => {},
) {
  const source = new WatchedTerminal(size);
  before(source);
  const clock = new VirtualClock();
  const recorder = new SessionRecorder(source, clock);
  const file = new SlowFile();
  file.write(encodeUtf8(new CastEncoder(3).header({ size })));
  let isFull = false;
  const recording = new FileRecording({
    source,
    clock,
    file,
    version: 3,
    maxBytes,
    beganMs: clock.nowMs(),
    rules: rulesFor(secrets),
    onFull: () => {
      isFull = true;
    },
  });
  recording.begin();
  recorder.add(recording);
  return { source, clock, file, recording, isFull: () => isFull };
}

const shown = (terminal: WatchedTerminal['terminal']) =>
  JSON.stringify([terminal.screenText(), terminal.cursor.row, terminal.cursor.col]);

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ text: fc.string({ unit: 'grapheme' }), cut: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.constant({ text: '\x1b[2;3H\r\n\x1b[1mx', cut: 3 }) },
  { weight: 1, arbitrary: sizeChange },
  { weight: 2, arbitrary: fc.constantFrom(0, 9e6).map((waiting) => ({ waiting })) },
);

test('a file shows the screen of the session at its end, also if the disk was slow', async () => {
  const ends = fc.constantFrom('output', 'slow', 'exit');
  const property = fc.asyncProperty(screenSize, fc.array(step), ends, async (size, steps, end) => {
    const { source, clock, file, recording } = recorded(size);
    for (const each of steps) {
      clock.advance(100);
      if ('size' in each) source.resize(each.size, each.place);
      else if ('waiting' in each) file.waitingBytes = each.waiting;
      else {
        const bytes = encodeUtf8(each.text);
        for (const part of [bytes.subarray(0, each.cut), bytes.subarray(each.cut)]) {
          source.outputByFrames(part);
        }
      }
    }
    if (end === 'output') {
      file.waitingBytes = 0;
      source.outputByFrames(encodeUtf8('.'));
    }
    const status = { code: 3, signal: null };
    const exit = { type: 'exit', status, offset: source.outputEnd, atMs: clock.nowMs() } as const;
    if (end === 'exit') recording.changed(exit);
    await recording.close();
    const replay = new Replay(parseCast(encodeUtf8(file.text)));
    if (end === 'exit') expect(replay.recording.events.at(-1)).toMatchObject({ status: 3 });
    expect(shown(replay.at(replay.durationMs))).toBe(shown(source.terminal));
  });
  await fc.assert(property, runs(60));
});

test.each([1, 2, 3])(
  'a recording that begins after byte %i of a character has it whole',
  async (cut) => {
    const bytes = encodeUtf8('🎉');
    const { source, file, recording } = recorded({ cols: 20, rows: 4 }, [], 1e9, (terminal) => {
      terminal.outputByFrames(bytes.subarray(0, cut));
    });
    source.outputByFrames(bytes.subarray(cut));
    source.resize({ cols: 30, rows: 4 });
    source.outputByFrames(bytes.subarray(0, cut));
    source.resize({ cols: 20, rows: 4 });
    source.outputByFrames(bytes.subarray(cut));
    await recording.close();
    expect(file.text).not.toContain('\ufffd');
    const replay = new Replay(parseCast(encodeUtf8(file.text)));
    expect(replay.at(replay.durationMs).screenText()[0]).toBe('🎉🎉');
  },
);

test('a file shows the lines that a larger screen takes from above, which the file does not have', async () => {
  const { source, file, recording } = recorded({ cols: 20, rows: 4 }, [], 1e9, (terminal) => {
    terminal.outputByFrames(encodeUtf8('1\r\n2\r\n3\r\n4\r\n5\r\n6'));
  });
  source.resize({ cols: 20, rows: 6 });
  await recording.close();
  const replay = new Replay(parseCast(encodeUtf8(file.text)));
  expect(replay.at(replay.durationMs).screenText()).toEqual(['1', '2', '3', '4', '5', '6']);
});

const token = 'ghp_0123456789abcdefghijABCDEFGHIJ456789';
const key = '-----BEGIN PRIVATE KEY-----\r\nMIIEow\r\n-----END PRIVATE KEY-----\r\n';
const piece = fc
  .oneof(
    fc.constantFrom(
      token,
      `gh\x1b[1m${token.slice(2)}`,
      'correct horse',
      key,
      'postgres://app:hunter2@db ',
      'API_KEY=abcdef',
    ),
    fc.constantFrom('\r\n', '\n', 'a log line\r\n', '"', '\\', '\t', '\x07', '\b', '\0', '\x7f'),
    fc.constantFrom('\x1b[1;31m', '\x1b[m', '\x1b[K', '\x1b[?25l', '\x1b(B', '\x1b=', '\x1b[>4;1m'),
    fc.constantFrom(
      '\x1b[3;4H',
      '\x1b[2J',
      '\x1bM',
      '\x1b[5 q',
      '\x1b[',
      '\x1b',
      '\x1b(',
      '\x1b[1\n',
    ),
    fc.constantFrom('\x1b]0;title\x07', '\x1b]52;c;c2VjcmV0\x1b\\', '\x1b]0;', '\x1bP', '\x9b1m'),
    fc.constantFrom('é', '漢字', '👩‍👩‍👧', '\ufeff', '\u2028', '\ud7ff'),
    fc.string({ unit: fc.constantFrom(...'gh_sk-://KEYeyJ ab') }),
  )
  .map((text) => [...encodeUtf8(text)]);
const illFormed = fc
  .constantFrom(
    [0xc3],
    [0x80],
    [0xed, 0xa0, 0x80],
    [0xf0, 0x9f],
    [0xc0, 0xaf],
    [0xff],
    [0xc2, 0x9b],
  )
  .map((bytes) => bytes);
const chunk = fc
  .array(fc.oneof({ weight: 9, arbitrary: piece }, illFormed), { maxLength: 12 })
  .map((parts) => Uint8Array.from(parts.flat()));

test.each([[[]], [['correct horse']]])(
  'output that is clean is recorded like output that is searched, with the secrets %j',
  async (secrets) => {
    const property = fc.asyncProperty(
      fc.array(chunk, { maxLength: 8 }),
      fc.array(fc.tuple(fc.nat(80), fc.nat(80))),
      async (chunks, cuts) => {
        const { clock, file, recording } = recorded({ cols: 20, rows: 4 }, secrets);
        clock.advance(250);
        const began = parseCast(encodeUtf8(file.text)).events.length;
        const expected = secrets.length === 0 ? null : new EventRedactor(rulesFor(secrets));
        const decoder = new Utf8Decoder();
        let text = '';
        const take = (events: readonly RecordedEvent[]) => {
          for (const each of events) text += each.type === 'output' ? each.text : '';
        };
        for (const [index, whole] of chunks.entries()) {
          const [cut = 0] = cuts[index] ?? [];
          for (const bytes of [whole.subarray(0, cut), whole.subarray(cut)]) {
            clock.advance(1);
            recording.output(bytes);
            const event = { type: 'output', atMs: 0, text: decoder.push(bytes) } as const;
            take(expected?.push(event) ?? [event]);
          }
        }
        take(expected?.end() ?? []);
        await recording.close();
        const { events } = parseCast(encodeUtf8(file.text));
        const written = events
          .slice(began)
          .map((each) => (each.type === 'output' ? each.text : ''));
        expect(written.join('')).toBe(text);
      },
    );
    await fc.assert(property, runs(100));
  },
);

const halves: readonly (readonly [lead: string, secret: string])[] = [
  ['x AKIA', 'Q3EGRFZ7VN5XK2TD'],
  ['x ghp_', '0123456789abcdefghijABCDEFGHIJKLMNOP'],
  ['DB_PASSWORD=', 'tr0ub4dor'],
  ['a ', 'correct-horse-battery'],
  [
    '-----BEGIN PRIVATE KEY-----\r\n',
    'MIIEowIBAAKCAQEA0Z3VS5\r\nJJcds3xfn/ygWyF8PbnG\r\n-----END PRIVATE KEY-----',
  ],
];

test.each(halves)(
  'a file that begins or is drawn again within the secret %j%j does not have the rest of it',
  async (lead, secret) => {
    const whole = `${lead}${secret}`;
    // What cannot be told yet is on the screen when the file begins.
    const untold = secret === 'tr0ub4dor' || secret.startsWith('c') ? 4 : 12;
    const length = secret.replace(/-----.*/, '').length;
    const cuts = fc
      .tuple(fc.nat(length), fc.nat(length))
      .map((each) => [...each].sort((a, b) => a - b).map((cut) => lead.length + cut));
    const property = fc.asyncProperty(cuts, fc.constantFrom(12, 20, 80), async ([a, b], cols) => {
      const { source, file, recording } = recorded(
        { cols, rows: 6 },
        ['correct-horse-battery'],
        1e9,
        (terminal) => terminal.outputByFrames(encodeUtf8(whole.slice(0, a))),
      );
      source.outputByFrames(encodeUtf8(whole.slice(a, b)));
      source.resize({ cols: cols + 1, rows: 6 });
      source.outputByFrames(encodeUtf8(`${whole.slice(b)} end\r\n`));
      await recording.close();
      const { events } = parseCast(encodeUtf8(file.text));
      const text = events.map((each) => (each.type === 'output' ? each.text : '')).join('');
      const written = text.replace(/\x1b\[[\d;?]*[a-zA-Z]|\r\n/g, '');
      const plain = secret.replaceAll('\r\n', '').replace(/-----.*/, '');
      expect(written).toContain('end');
      expect(written).not.toContain(plain.slice(-4));
      expect(written).not.toContain(plain.slice(0, untold + 1));
    });
    await fc.assert(property, runs(60));
  },
);

test('a marker says what was left out', async () => {
  const { source, file, recording } = recorded();
  file.waitingBytes = 9e6;
  source.outputByFrames(encodeUtf8('seen'));
  source.outputByFrames(new Uint8Array(3e6).fill(0x2e));
  expect(file.text).not.toContain('....');
  file.waitingBytes = 0;
  source.outputByFrames(encodeUtf8('end'));
  await recording.close();
  expect(parseCast(encodeUtf8(file.text)).events).toContainEqual(
    expect.objectContaining({ type: 'marker', label: 'vtr: 3.0 MB left out' }),
  );
});

test('lines are written after 250 ms, with the place up to which the file is complete', () => {
  const { source, clock, file } = recorded({ cols: 40, rows: 4 }, ['correct horse']);
  clock.advance(250);
  const places = () =>
    [...file.text.matchAll(/\{"offset":(\d+),"ms":\d+\}/g)].map(([, digits]) => Number(digits));
  expect(places()).toEqual([0]);
  source.outputByFrames(encodeUtf8('pass: é'.slice(0, -1)));
  source.outputByFrames(Uint8Array.of(0xc3));
  clock.advance(250);
  expect(places()).toEqual([0, 6]);
  source.outputByFrames(Uint8Array.of(0xa9, ...encodeUtf8(' correct ho')));
  clock.advance(250);
  // The end may be the beginning of a secret.
  expect(places()).toEqual([0, 6]);
  expect(file.text).not.toContain('correct');
  source.outputByFrames(encodeUtf8('rse\r\n'));
  clock.advance(250);
  expect(places()).toEqual([0, 6, 24]);
  expect(file.text).toContain('•••');
  expect(file.text).not.toContain('correct');
});

test('a file has no place within a private key, from which another daemon would go on without its beginning', () => {
  const { source, clock, file } = recorded({ cols: 40, rows: 4 }, ['correct horse']);
  const places = () => [...file.text.matchAll(/\{"offset":(\d+),"ms":\d+\}/g)].length;
  clock.advance(250);
  expect(places()).toBe(1);
  source.outputByFrames(encodeUtf8('-----BEGIN PRIVATE KEY-----\r\nMIIEow\r\n'));
  clock.advance(250);
  expect(places()).toBe(1);
  source.outputByFrames(encodeUtf8('-----END PRIVATE KEY-----\r\n'));
  clock.advance(250);
  expect(places()).toBe(2);
});

test('a file does not grow beyond its limit', async () => {
  const { source, clock, file, recording, isFull } = recorded({ cols: 20, rows: 4 }, [], 2_000);
  for (let count = 0; count < 100; count++) {
    clock.advance(1);
    source.outputByFrames(encodeUtf8('0123456789'));
  }
  expect(isFull()).toBe(true);
  await recording.close();
  expect(file.bytes).toBeLessThan(2_200);
  expect(parseCast(encodeUtf8(file.text)).cutBytes).toBeUndefined();
});
