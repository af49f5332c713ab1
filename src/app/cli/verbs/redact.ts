import { text } from '../arguments/flags.ts';
import { outputFile, outputFileFlags } from '../recordings/output-file.ts';
import { loadRecordings, recordingOf } from '../recordings/recording-source.ts';
import { defineVerb } from '../verb.ts';

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
    const given = flags.secret === undefined ? [] : [flags.secret];
    file.write(redactRecording(recording, secretRules(context.env, given)));
    return undefined;
  },
});
