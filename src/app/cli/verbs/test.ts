import { resolve } from 'node:path';
import { overwriteInDirectory } from '#config';
import { VtrError } from '#model';
import { type Flag, toggle, wholeNumber } from '../arguments/flags.ts';
import { noExit } from '../exit-codes.ts';
import { StopSignals, signalStatus } from '../stop-signals.ts';
import { defineVerb } from '../verb.ts';

const formats = ['tap', 'junit', 'json'] as const;

const flags = {
  update: toggle('write the goldens, and the outputs in Markdown files, as they are now'),
  times: wholeNumber('N', 'run each test N times, to find those that fail sometimes (default: 1)', {
    from: 1,
    to: 10_000,
  }),
  reporter: {
    about:
      'write a report, tap, junit or json, to stdout; with =FILE into a file, beside the text on stdout',
    value: 'FORMAT[=FILE]',
    completes: formats,
    read: (word: string) => {
      const [name = '', ...file] = word.split('=');
      const format = formats.find((each) => each === name);
      if (format === undefined) {
        throw new VtrError('INVALID_ARGUMENT', `use one of ${formats.join(', ')}`);
      }
      return { format, file: file.length === 0 ? null : file.join('=') };
    },
  } satisfies Flag<{ format: (typeof formats)[number]; file: string | null }>,
};

export const test = defineVerb({
  name: 'test',
  summary: 'run tests of programs in a terminal',
  args: {
    file: { about: 'tapes (.tape) and Markdown files (.md)', many: true, completes: 'file' },
  },
  flags,
  details: [
    'A tape is a script of keys and waits in the language of VHS, with Expect, Settle, WaitCommand, Match, Click, Exit and Resize in addition. In a Markdown file, the fences marked console are run, and their outputs compared. See docs/testing.md.',
    'Tests run in sessions of this process, several at a time, each with an empty HOME, LANG=C.UTF-8 and TZ=UTC. Match compares the screen with a golden in __goldens__ beside the tape. After each test, everything that it started is ended, daemons included, and its HOME is removed. A failure leaves the screen and a recording in __goldens__/__failures__.',
    `Exit status: 0 if all tests pass, ${noExit} if one fails.`,
  ],
  examples: [
    { line: 'vtr test tests/*.tape README.md', about: 'run tapes, and the examples of a README' },
    { line: 'vtr test --update menu.tape', about: 'write the goldens of a tape' },
    { line: 'vtr test --times 20 tests/*.tape', about: 'find tests that fail sometimes' },
    {
      line: 'vtr test --reporter junit=report.xml tests/*.tape',
      about: 'write a report for CI, and print the results',
    },
  ],
  async run(context, { args, flags }) {
    const { runTests, reporters, hasFailed } = await import('#app/test');
    const { format, file } = flags.reporter ?? { format: 'plain', file: null };
    const reporter = reporters[file === null ? format : 'plain'];
    const report = reporters[format];
    /** The text of the report, for the file. */
    const parts: string[] = [];
    const stop = new StopSignals();
    const abort = new AbortController();
    void stop.received.then((signal) => abort.abort(signal));
    let count = 0;
    context.out(reporter.begin(args.file.length));
    parts.push(report.begin(args.file.length));
    try {
      const results = await runTests({
        files: args.file,
        cwd: context.cwd,
        env: context.env,
        signal: abort.signal,
        update: flags.update,
        times: flags.times ?? 1,
        warn: (message) => context.say(message),
        onResult: (result) => {
          count += 1;
          context.out(reporter.result(result, count));
          parts.push(report.result(result, count));
        },
      });
      context.out(reporter.end(results));
      parts.push(report.end(results));
      if (file !== null) overwriteInDirectory(resolve(context.cwd, file), parts.join(''));
      return results.some(hasFailed) ? noExit : undefined;
    } catch (error) {
      if (abort.signal.aborted) return signalStatus(abort.signal.reason);
      throw error;
    } finally {
      stop.dispose();
    }
  },
});
