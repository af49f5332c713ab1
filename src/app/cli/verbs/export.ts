import { VtrError } from '#model';
import { oneOf, text } from '../arguments/flags.ts';
import { type OutputFile, outputFile, outputFileFlags } from '../recordings/output-file.ts';
import {
  type ExportFormat,
  loadRecordings,
  recordingArgument,
  recordingOf,
} from '../recordings/recording-source.ts';
import { defineVerb } from '../verb.ts';

const formats: Readonly<Record<ExportFormat, string>> = {
  cast: 'asciicast 3',
  'cast.gz': 'asciicast 3, compressed',
  v2: 'asciicast 2, for asciinema before 3.0',
  txt: 'all lines as text, with those above the screen',
  ansi: 'the same with colours',
};
const formatNames = Object.keys(formats) as ExportFormat[];
/** Those that a file name chooses. */
const suffixes = formatNames.filter((name) => name !== 'v2').map((name) => `.${name}`);

export const exportVerb = defineVerb({
  name: 'export',
  summary: 'write a recording, or a part of it, in another format',
  args: { source: recordingArgument },
  flags: {
    ...outputFileFlags,
    select: text('FROM..TO', 'the part between two times; either may be missing'),
    format: oneOf(
      formatNames,
      'FORMAT',
      `${formatNames.join(', ')} (default: by the suffix of FILE)`,
    ),
  },
  details: [
    `The suffix of FILE chooses the format: ${suffixes.join(', ')}. To stdout, the default is cast.`,
    `${Object.entries(formats)
      .map(([name, about]) => `${name}: ${about}`)
      .join('; ')}.`,
    'Times are SECONDS, durations such as 1m30s, or marker:NAME. A part as cast begins with the screen as it was at FROM; as text, it is what was printed from then on.',
  ],
  examples: [
    { line: 'vtr export build.cast -o build.txt', about: 'write all lines as text' },
    {
      line: 'vtr export build.cast -o test.cast --select marker:test..',
      about: 'cut off what was before a marker',
    },
    { line: 'vtr export build.cast -o - --format ansi | less -R', about: 'page with colours' },
  ],
  async run(context, { args, flags }) {
    // Mistakes are told before the recording is read.
    const file = outputFile(context, flags);
    const format = flags.format ?? formatOf(file);
    const [recording, { exportRecording }] = await Promise.all([
      recordingOf(context, args.source),
      loadRecordings(),
    ]);
    file.write(exportRecording(recording, format, flags.select ?? '..'));
    return undefined;
  },
});

/** @throws VtrError INVALID_ARGUMENT for a suffix that is not known */
function formatOf({ name, isStdout }: OutputFile): ExportFormat {
  if (isStdout) return 'cast';
  const suffix = suffixes.findLast((each) => name.toLowerCase().endsWith(each));
  if (suffix !== undefined) return suffix.slice(1) as ExportFormat;
  const message = `${name} has none of the suffixes that choose a format: ${suffixes.join(', ')}; or give --format`;
  throw new VtrError('INVALID_ARGUMENT', message);
}
