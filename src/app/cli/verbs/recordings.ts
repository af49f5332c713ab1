import { basename } from 'node:path';
import { encodeUtf8, parseDurationMs } from '#base';
import {
  type Coordinator,
  maxScrollbackLines,
  type Redacted,
  type SessionRef,
  type SnapshotEvent,
  VtrError,
} from '#model';
import { type Flag, oneOf, text, toggle, wholeNumber } from '../arguments/flags.ts';
import { reach, redaction, redactOf, sessionArgument } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { findSession } from '../coordinators/addressing.ts';
import { asItIs, connectionTo } from '../coordinators/known-coordinators.ts';
import { tellRedacted } from '../output/printing.ts';
import { formatOfSuffix, outputFile, outputFileFlags } from '../recordings/output-file.ts';
import {
  type ExportFormat,
  loadRecordings,
  recordingArgument,
  recordingDetail,
  recordingFlags,
  recordingOf,
} from '../recordings/recording-source.ts';
import { defineVerb } from '../verb.ts';
import { playKeys } from './key-help.gen.ts';

const speed: Flag<number> = {
  about: 'play N times as fast (default: 1)',
  value: 'N',
  read: (text) => {
    const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (number >= 0.01 && number <= 1000) return number;
    throw new VtrError('INVALID_ARGUMENT', 'use a number from 0.01 to 1000, such as 2 or 0.5');
  },
};

/** In ms; Infinity for `off`. */
const idle: Flag<number> = {
  about: 'shorten pauses to SECONDS; off keeps them (default: as the recording says)',
  value: 'SECONDS',
  read: (text) => {
    if (text === 'off') return Number.POSITIVE_INFINITY;
    const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : parseDurationMs(text);
    if (ms !== null && ms > 0) return ms;
    throw new VtrError('INVALID_ARGUMENT', 'use seconds such as 2 or 0.5, or off');
  },
};

export const play = defineVerb({
  name: 'play',
  summary: 'play a recording, or what happened in a session, in this terminal',
  args: { source: recordingArgument },
  flags: {
    ...recordingFlags,
    speed,
    idle,
    from: text('TIME', 'begin at SECONDS, a duration such as 1m30s, or marker:NAME'),
    hold: toggle('stay at the end'),
  },
  details: [
    recordingDetail,
    'Keys:',
    playKeys,
    'The keys are configured by [keys.play] in config.toml.',
    'vtr draws the screen of the recording; its escape sequences never reach your terminal. A recording cannot change the title, the clipboard or the modes, and its queries get no answer.',
    'If stdout is not a terminal, prints the screens without waiting. It prints each screen that does not change for 100 ms, below a line with its time and the markers before it.',
  ],
  examples: [
    { line: 'vtr play build.cast', about: 'play a recording' },
    { line: 'vtr play build.cast --from marker:test --speed 2', about: 'begin at a marker' },
    { line: 'vtr play codex', about: 'play what happened in a session' },
    { line: 'vtr play build.cast | grep -n error', about: 'print the screens' },
  ],
  async run(context, { args, flags }) {
    if (context.isTerminal && !process.stdin.isTTY) {
      const message = 'vtr play needs a terminal at stdin, too; with | cat it prints the screens';
      throw new VtrError('INVALID_ARGUMENT', message);
    }
    const [recording, { PlayingTime, Replay, recordedTime }, tui] = await Promise.all([
      recordingOf(context, args.source, flags),
      loadRecordings(),
      import('#app/tui'),
    ]);
    const replay = new Replay(recording);
    const fromMs = flags.from === undefined ? 0 : recordedTime(replay, flags.from);
    const { playRecording, plainFrames } = await tui.loadPlayer();
    if (!context.isTerminal) {
      for (const frame of plainFrames(replay, fromMs)) context.out(frame);
      return undefined;
    }
    const idleLimitMs = flags.idle ?? recording.header.idleLimitMs ?? null;
    const time = new PlayingTime(recording.events, idleLimitMs);
    const { speed = 1, hold } = flags;
    const name = basename(args.source);
    const { keys } = await context.config();
    await playRecording({ env: context.env, keys, replay, time, name, fromMs, speed, hold });
    return undefined;
  },
});

const formats: Readonly<Record<ExportFormat, string>> = {
  cast: 'asciicast 3',
  'cast.gz': 'asciicast 3, compressed',
  v2: 'asciicast 2, for asciinema before 3.0',
  txt: 'all lines as text, with those above the screen',
  ansi: 'the same with colours',
  html: 'the same as a document',
  svg: 'an animation, whose text is shown in the fonts of the viewer; one picture if nothing changes',
  png: 'the last screen',
  apng: 'an animation with all colours',
  gif: 'an animation of at most 256 colours a frame',
  mp4: 'a film, made by the installed ffmpeg',
  webm: 'the same in another format',
};
const formatNames = Object.keys(formats) as ExportFormat[];
/** The formats that the suffix of a file can choose. */
const suffixes = formatNames.filter((name) => name !== 'v2');
const animations = ['svg', 'apng', 'gif', 'mp4', 'webm'];
const bitmaps = ['png', 'apng', 'gif', 'mp4', 'webm'];

/** The scale of bitmaps. */
const scale: Flag<1 | 2> = {
  about: 'pixels of a cell: 1 for 10x20 (default), 2 for 20x40',
  value: 'N',
  completes: ['1', '2'],
  read: (word) => {
    if (word === '1' || word === '2') return word === '1' ? 1 : 2;
    throw new VtrError('INVALID_ARGUMENT', 'use 1 or 2');
  },
};

export const exportVerb = defineVerb({
  name: 'export',
  summary: 'write a recording, or a part of it, in another format',
  args: { source: recordingArgument },
  flags: {
    ...recordingFlags,
    ...outputFileFlags,
    select: text('FROM..TO', 'the part between two times; either may be missing'),
    format: oneOf(
      formatNames,
      'FORMAT',
      `${formatNames.join(', ')} (default: by the suffix of FILE)`,
    ),
    idle,
    scale,
  },
  details: [
    recordingDetail,
    `The suffix of FILE chooses the format: ${suffixes.map((name) => `.${name}`).join(', ')}. To stdout, the default is cast.`,
    `${Object.entries(formats)
      .map(([name, about]) => `${name}: ${about}`)
      .join('; ')}.`,
    'Times are SECONDS, durations such as 1m30s, or marker:NAME. In the format cast, a part begins with the screen as it was at FROM. In text and html, it has what was printed from then on.',
  ],
  examples: [
    { line: 'vtr export build.cast -o build.txt', about: 'write all lines as text' },
    {
      line: 'vtr export build.cast -o test.cast --select marker:test..',
      about: 'cut off what was before a marker',
    },
    {
      line: 'vtr export build.cast -o build.gif --idle 1',
      about: 'make an animation with short pauses',
    },
    { line: 'vtr export build.cast -o - --format ansi | less -R', about: 'page with colours' },
  ],
  async run(context, { args, flags }) {
    // Mistakes are told before the recording is read.
    const file = outputFile(context, flags);
    const format = flags.format ?? (file.isStdout ? 'cast' : formatOfSuffix(file, suffixes));
    checkFlagOf('idle', flags.idle, format, animations);
    checkFlagOf('scale', flags.scale, format, bitmaps);
    const [recording, { exportRecording }] = await Promise.all([
      recordingOf(context, args.source, flags),
      loadRecordings(),
    ]);
    const { select = '..', idle: idleLimitMs, scale } = flags;
    file.write(await exportRecording(recording, format, { select, idleLimitMs, scale }));
    return undefined;
  },
});

/** A name without a slash is a file, too, not a session. */
const fileName = (name: string): string => (name.includes('/') ? name : `./${name}`);

export const redact = defineVerb({
  name: 'redact',
  summary: 'replace the secrets in a recording',
  args: { file: { about: 'recording: a file (.cast, .cast.gz)', completes: 'file' } },
  flags: {
    ...outputFileFlags,
    secret: text('TEXT', 'a text that is a secret, too'),
  },
  details: [
    'Replaces secrets by •: keys and tokens of well-known services, private keys, passwords in URLs and in variables, what was copied to the clipboard, and the values of variables of this environment whose names look like secrets. vtr has already replaced known secrets in its own recordings; other tools have not.',
    'If a secret is still on the screen at some time, because the program drew it in pieces, writes nothing, and the error says when it is shown.',
  ],
  examples: [
    { line: 'vtr redact demo.cast -o public.cast', about: 'write a copy without secrets' },
  ],
  async run(context, { args, flags }) {
    const file = outputFile(context, flags);
    const [recording, { redactRecording, secretRules }] = await Promise.all([
      recordingOf(context, fileName(args.file), { coordinator: undefined }),
      loadRecordings(),
    ]);
    const secrets = flags.secret === undefined ? [] : [flags.secret];
    file.write(redactRecording(recording, secretRules(context.env, secrets)));
    return undefined;
  },
});

const pictureFormats = ['svg', 'png', 'html'] as const;

export const screenshot = defineVerb({
  name: 'screenshot',
  summary: 'write a picture of the screen of a session',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...outputFileFlags,
    ...redaction,
    format: oneOf(
      pictureFormats,
      'FORMAT',
      `${pictureFormats.join(', ')} (default: by the suffix of FILE)`,
    ),
    scale,
    scrollback: wholeNumber('N', 'also draw the N lines above the screen', {
      to: maxScrollbackLines,
    }),
  },
  details: [
    'The text of SVG and HTML can be selected, and is shown in the fonts of the viewer. PNG is drawn with JetBrains Mono, and with GNU Unifont for characters that it lacks; emoji have one colour.',
    'Colours that the program has not set are those of xterm. With --redact, so are those that it has changed in the palette.',
  ],
  examples: [
    { line: 'vtr screenshot codex -o codex.png', about: 'write a PNG' },
    { line: 'vtr screenshot codex -o codex.svg --force', about: 'renew an SVG' },
    { line: 'vtr screenshot build -o build.html --scrollback 500', about: 'with 500 lines above' },
  ],
  async run(context, { args, flags }) {
    // Mistakes are told before the session is read.
    const file = outputFile(context, flags);
    if (file.isStdout && flags.format === undefined) {
      throw new VtrError('INVALID_ARGUMENT', `-o - needs --format ${pictureFormats.join(', ')}`);
    }
    const format = flags.format ?? formatOfSuffix(file, pictureFormats);
    checkFlagOf('scale', flags.scale, format, ['png']);
    const { coordinator, session } = await findSession(context, args.session, flags);
    const { id, name } = await coordinator.info(session);
    const ref = { name, id };
    const lines = flags.scrollback ?? 0;
    const [redacted, { screenshotOf }] = await Promise.all([
      redactedSnapshot(coordinator, ref, lines, flags),
      loadRecordings(),
    ]);
    if (redacted !== null) tellRedacted(context, redacted);
    const snapshot = redacted ?? (await snapshotOf(context, coordinator.socket, ref, lines));
    file.write(await screenshotOf(snapshot, { format, scale: flags.scale, title: name }));
    return undefined;
  },
});

/** Returns a screen without secrets; null if neither the flag nor the coordinator asks for that. */
async function redactedSnapshot(
  coordinator: Pick<Coordinator, 'screen' | 'readLines'>,
  session: SessionRef,
  lines: number,
  flags: { readonly redact: boolean },
): Promise<(Pick<SnapshotEvent, 'size' | 'firstLine' | 'dump'> & Redacted) | null> {
  const options = { format: 'ansi', ...redactOf(flags) } as const;
  const { text, size, cursor, topLine, redacted } = await coordinator.screen(session, options);
  if (redacted === undefined) return null;
  const range = { from: Math.max(0, topLine - lines), to: topLine, aboveScreen: true };
  const above = lines === 0 ? null : await coordinator.readLines(session, { ...options, ...range });
  const rows = [
    ...(above?.lines.map((line) => line.text) ?? []),
    // The rows of the screen do not wrap again.
    `\x1b[?7l${text.join('\r\n')}`,
  ];
  const place = `\x1b[${cursor.row + 1};${cursor.col + 1}H${cursor.visible ? '' : '\x1b[?25l'}`;
  const dump = encodeUtf8(rows.join('\r\n') + place);
  return { size, firstLine: 0, dump, redacted: redacted + (above?.redacted ?? 0) };
}

async function snapshotOf(
  context: Context,
  socket: string,
  session: SessionRef,
  scrollbackLines: number,
): Promise<SnapshotEvent> {
  const coordinator = await connectionTo(context, { socket }, asItIs);
  try {
    const subscription = await coordinator.subscribe(session, { scrollbackLines });
    for await (const event of subscription) {
      if (event.type === 'snapshot') return event;
    }
    throw new VtrError('UNAVAILABLE', 'the coordinator ended before it sent the screen');
  } finally {
    await coordinator.close();
  }
}

/** @throws VtrError INVALID_ARGUMENT if a flag was given that does nothing for a format */
function checkFlagOf(
  name: string,
  value: unknown,
  format: string,
  formats: readonly string[],
): void {
  if (value === undefined || formats.includes(format)) return;
  const message = `--${name} is for ${formats.join(', ')}, not for ${format}`;
  throw new VtrError('INVALID_ARGUMENT', message);
}
