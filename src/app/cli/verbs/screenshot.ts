import { encodeUtf8 } from '#base';
import {
  type Coordinator,
  maxScrollbackLines,
  type Redacted,
  type SessionRef,
  type SnapshotEvent,
  VtrError,
} from '#model';
import { oneOf, wholeNumber } from '../arguments/flags.ts';
import { reach, redaction, redactOf, sessionArgument } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { findSession } from '../coordinators/addressing.ts';
import { asItIs, connectionTo } from '../coordinators/known-coordinators.ts';
import { tellRedacted } from '../output/plain-text.ts';
import { formatOfSuffix } from '../recordings/chosen-format.ts';
import { outputFile, outputFileFlags } from '../recordings/output-file.ts';
import { checkFlagOf, scale } from '../recordings/picture-flags.ts';
import { loadRecordings } from '../recordings/recording-source.ts';
import { defineVerb } from '../verb.ts';

const formats = ['svg', 'png', 'html'] as const;

export const screenshot = defineVerb({
  name: 'screenshot',
  summary: 'write a picture of the screen of a session',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...outputFileFlags,
    ...redaction,
    format: oneOf(formats, 'FORMAT', `${formats.join(', ')} (default: by the suffix of FILE)`),
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
      throw new VtrError('INVALID_ARGUMENT', `-o - needs --format ${formats.join(', ')}`);
    }
    const format = flags.format ?? formatOfSuffix(file, formats);
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
  const asked = { format: 'ansi', ...redactOf(flags) } as const;
  const { text, size, cursor, topLine, redacted } = await coordinator.screen(session, asked);
  if (redacted === undefined) return null;
  const range = { from: Math.max(0, topLine - lines), to: topLine, aboveScreen: true };
  const above = lines === 0 ? null : await coordinator.readLines(session, { ...asked, ...range });
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
