import { oneOf, text } from '../arguments/flags.ts';
import { formatOfSuffix } from '../recordings/chosen-format.ts';
import { outputFile, outputFileFlags } from '../recordings/output-file.ts';
import { checkFlagOf, idle, scale } from '../recordings/picture-flags.ts';
import {
  type ExportFormat,
  loadRecordings,
  recordingArgument,
  recordingDetail,
  recordingFlags,
  recordingOf,
} from '../recordings/recording-source.ts';
import { defineVerb } from '../verb.ts';

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
