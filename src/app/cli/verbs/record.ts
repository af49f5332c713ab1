import { decodeUtf8, defined, encodeUtf8, withoutControls } from '#base';
import { asVtrError, type FileRecording, fileRecordFormats, recordFormats, VtrError } from '#model';
import type { JsonCoordinator } from '#wire/service/short';
import { oneOf, text, toggle } from '../arguments/flags.ts';
import { output, pathThere, reach, sessionArgument } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { coordinatorForSession, findSession } from '../coordinators/addressing.ts';
import { asItIs, clientOf, connectionTo } from '../coordinators/known-coordinators.ts';
import { withDaemon } from '../coordinators/with-daemon.ts';
import { printJson, printPlain, wantsJson } from '../output/printing.ts';
import { recordingJson } from '../output/session-json.ts';
import { table } from '../output/table.ts';
import { outputFile, outputFileFlags } from '../recordings/output-file.ts';
import { sinceText } from '../recordings/recording-source.ts';
import { defineVerb } from '../verb.ts';

export const recordSave = defineVerb({
  name: 'record save',
  summary: 'save what has happened in a session so far',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...outputFileFlags,
    format: oneOf(recordFormats, 'FORMAT', 'v3 (default) or v2: asciicast; text: all lines; raw'),
  },
  details: [
    'vtr records about the last 2 MiB of each session in memory. The file begins with the screen at the oldest time kept, which stderr prints. The recording has markers for commands, take-overs and calls of agents, and plays in asciinema. Recognized secrets are replaced by • (docs/recordings.md), and only you can read the file.',
    'The format text has the lines as displayed. The format raw has a dump of the first screen, then the bytes that the program wrote.',
  ],
  examples: [
    { line: 'vtr record save codex -o codex.cast', about: 'save an asciicast' },
    { line: 'vtr record save codex -o - --format text | less', about: 'read what happened' },
  ],
  async run(context, { args, flags }) {
    const file = outputFile(context, flags);
    const { coordinator: client, session } = await findSession(context, args.session, flags);
    // It may be larger than one message of the client for short commands.
    const coordinator = await connectionTo(context, client, asItIs);
    try {
      const { format = 'v3' } = flags;
      const record = await coordinator.record(session, { format });
      file.write(format === 'raw' ? record.data : withoutRawControls(record.data));
      context.say(sinceText(record));
    } finally {
      await coordinator.close();
    }
    return undefined;
  },
});

export const recordStart = defineVerb({
  name: 'record start',
  summary: 'record a session to a file from now on',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    output: text('FILE', 'the file to write (default: a new one, see vtr record ls)', {
      short: 'o',
      completes: 'file',
    }),
    force: toggle('overwrite FILE'),
    format: oneOf(fileRecordFormats, 'FORMAT', 'asciicast v3 (default) or v2'),
    input: toggle('record what is typed, too, except passwords'),
  },
  details: [
    'Prints the file. The recording continues until vtr record stop or the end of the session, even if the daemon is restarted. It begins with the present screen; vtr record save saves what happened before.',
    'Lines are written within a quarter of a second; nothing is lost if the daemon is killed. If the disk is full or slow, the session is not affected: vtr info says why the recording stopped, and a marker in the file says where output is missing.',
    'With --input, input is not recorded while the terminal is in canonical mode without echo, as for passwords, or if its mode is not known. If several lines are sent at once, only the first is recorded. A marker says where input is missing. A password that is typed into ssh or another full-screen program is not recognized, and is recorded.',
    'Recognized secrets are replaced by • (docs/recordings.md). Only you can read the file.',
  ],
  examples: [
    { line: 'vtr record start codex', about: 'record to a new file, and print its name' },
    { line: 'vtr record start codex -o codex.cast', about: 'record to a file here' },
  ],
  async run(context, { args, flags }) {
    const { output: name, force, format, input } = flags;
    if (name === '-') throw noStdout();
    const { coordinator, session } = await findSession(context, args.session, flags);
    const { socket } = coordinator;
    const recording = await coordinator.startRecording(session, {
      ...(name === undefined ? {} : { file: pathThere(context, 'output', name, socket) }),
      ...defined({ format }),
      force,
      input,
    });
    await printRecording(context, flags, recording);
    return undefined;
  },
});

/** Control characters of a recording are escapes in its JSON, and its text has none. */
function withoutRawControls(data: Uint8Array): Uint8Array {
  const text = decodeUtf8(data);
  const escaped = text.replace(/[\x7f-\x9f]/g, (each) => `\\u00${each.charCodeAt(0).toString(16)}`);
  const clean = withoutControls(escaped);
  return clean === text ? data : encodeUtf8(clean);
}

/** The daemon writes the file, also after the command has ended. */
const noStdout = (): VtrError =>
  new VtrError(
    'INVALID_ARGUMENT',
    '--output - is not possible, because the daemon writes the file; give a FILE, or print what happened until now with vtr record save SESSION -o -',
  );

export const recordStop = defineVerb({
  name: 'record stop',
  summary: 'end the recording of a session to a file',
  args: { session: sessionArgument },
  flags: { ...reach, ...output },
  details: ['Prints the file. Fails with IO_ERROR if its end could not be written.'],
  examples: [{ line: 'vtr record stop codex', about: 'end it, and print its file' }],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    const recording = await coordinator.stopRecording(session);
    await printRecording(context, flags, recording);
    const { state, file, reason } = recording;
    if (state === 'stopped') throw new VtrError('IO_ERROR', `${file} is not complete: ${reason}`);
    return undefined;
  },
});

export const recordLs = defineVerb({
  name: 'record ls',
  summary: 'list recordings in files',
  args: {},
  flags: { ...reach, ...output },
  details: [
    'States: on; ended, by request or with the session; stopped, with the reason. The directory of recordings keeps the newest ones, within the limits in server.toml.',
  ],
  examples: [{ line: 'vtr record ls', about: 'print a table' }],
  async run(context, { flags }) {
    const recordings = await onCoordinator(context, flags, (to) => to.recordings());
    if (await wantsJson(context, flags)) {
      printJson(context, { recordings: recordings.map(recordingJson) });
    } else
      printPlain(
        context,
        await table(['ID', 'NAME', 'SESSION', 'STATE', 'SIZE', 'FILE'], rowsOf(recordings)),
      );
    return undefined;
  },
});

const listedRecording = { about: 'recording: an id or a name that vtr record ls prints' } as const;

export const recordRename = defineVerb({
  name: 'record rename',
  summary: 'give a recording another name',
  args: { recording: listedRecording, name: { about: 'its new name' } },
  flags: { ...reach, ...output },
  details: [
    'vtr play, vtr export and vtr record rm take the name in place of the id. A name has 1 to 64 letters, digits, and . _ -, and belongs to one recording. The id and the file stay. A recording that is on can be renamed, too.',
  ],
  examples: [
    {
      line: 'vtr record rename 20261123-101502-3fa9c1 first-deploy',
      about: 'name a recording',
    },
  ],
  async run(context, { args, flags }) {
    const recording = await onRecording(context, flags, (to) =>
      to.renameRecording(args.recording, args.name),
    );
    if (await wantsJson(context, flags)) printJson(context, recordingJson(recording));
    return undefined;
  },
});

export const recordRm = defineVerb({
  name: 'record rm',
  summary: 'remove a recording and its file',
  args: { recording: listedRecording },
  flags: { ...reach },
  details: ['A recording that is on must be stopped first.'],
  examples: [{ line: 'vtr record rm 20261123-101502-3fa9c1', about: 'remove a recording' }],
  async run(context, { args, flags }) {
    await onRecording(context, flags, (to) => to.removeRecording(args.recording));
    return undefined;
  },
});

/** As {@link onCoordinator}; says which verb lists the recordings if there is none of that id or name. */
async function onRecording<T>(
  ...[context, flags, call]: Parameters<typeof onCoordinator<T>>
): Promise<T> {
  try {
    return await onCoordinator(context, flags, call);
  } catch (thrown) {
    const error = asVtrError(thrown);
    if (error.code !== 'RECORDING_NOT_FOUND') throw error;
    throw new VtrError(error.code, `${error.message}; vtr record ls prints them`, { cause: error });
  }
}

async function printRecording(
  context: Context,
  flags: { readonly json: boolean },
  recording: FileRecording,
): Promise<void> {
  if (await wantsJson(context, flags)) printJson(context, recordingJson(recording));
  else printPlain(context, `${recording.file}\n`);
}

/** Calls the user's own coordinator, or the named one; starts it if none runs. */
async function onCoordinator<T>(
  context: Context,
  flags: { readonly coordinator: string | undefined },
  call: (to: JsonCoordinator) => Promise<T>,
): Promise<T> {
  const { coordinator: place } = await coordinatorForSession(context, undefined, flags);
  return withDaemon(context, place, true, () => call(clientOf(context, place)));
}

const rowsOf = (recordings: readonly FileRecording[]): string[][] =>
  recordings.map(({ id, name = '-', session, state, reason, bytes, file }) => [
    ...[id, name, session, reason === undefined ? state : `${state}: ${reason}`],
    ...[sizeText(bytes), file],
  ]);

const sizeText = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

export const marker = defineVerb({
  name: 'marker',
  summary: 'set a marker in the recordings of a session',
  args: { session: sessionArgument, name: { about: 'its name' } },
  flags: reach,
  details: [
    'A marker names this moment, in memory and in the file that is being written: vtr screen --at marker:NAME shows the screen then, vtr play and vtr export --select begin or end there. In vtr attach, Ctrl+b m sets one. Several markers may have the same name.',
  ],
  examples: [
    { line: 'vtr marker build deploy', about: 'set the marker deploy' },
    { line: 'vtr screen build --at marker:deploy', about: 'see the screen at that moment' },
  ],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    await coordinator.setMarker(session, args.name);
    return undefined;
  },
});
