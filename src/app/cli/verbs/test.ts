import { oneOf, toggle, wholeNumber } from '../arguments/flags.ts';
import { noExit } from '../exit-codes.ts';
import { StopSignals, signalStatus } from '../stop-signals.ts';
import { defineVerb } from '../verb.ts';

const flags = {
  update: toggle('write the goldens, and the outputs in Markdown files, as they are now'),
  times: wholeNumber('N', 'run each test N times, to find those that fail sometimes (default: 1)', {
    from: 1,
    to: 10_000,
  }),
  reporter: oneOf(['tap', 'junit', 'json'], 'FORMAT', 'write a report in this format to stdout'),
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
    { line: 'vtr test --reporter junit tests/*.tape', about: 'write a report for CI' },
  ],
  async run(context, { args, flags }) {
    const { runTests, reporters, hasFailed } = await import('#app/test');
    const reporter = reporters[flags.reporter ?? 'plain'];
    const stop = new StopSignals();
    const abort = new AbortController();
    void stop.received.then((signal) => abort.abort(signal));
    let count = 0;
    context.out(reporter.begin(args.file.length));
    try {
      const results = await runTests({
        files: args.file,
        cwd: context.cwd,
        env: context.env,
        signal: abort.signal,
        update: flags.update,
        times: flags.times ?? 1,
        warn: (message) => context.say(message),
        onResult: (result) => context.out(reporter.result(result, ++count)),
      });
      context.out(reporter.end(results));
      return results.some(hasFailed) ? noExit : undefined;
    } catch (error) {
      if (abort.signal.aborted) return signalStatus(abort.signal.reason);
      throw error;
    } finally {
      stop.dispose();
    }
  },
});
