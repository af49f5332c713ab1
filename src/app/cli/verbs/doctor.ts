import { output } from '../arguments/shared-flags.ts';
import { diagnose } from '../doctor/diagnose.ts';
import { noExit } from '../exit-codes.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { defineVerb } from '../verb.ts';

const marks = { good: 'ok', warning: 'warning', bad: 'problem' } as const;

export const doctor = defineVerb({
  name: 'doctor',
  summary: 'look for what keeps vtr from working well',
  args: {},
  flags: output,
  details: [
    'Looks at Node, the socket and its folder, leftovers, limits, shells and the configuration. Exit status 1 says that there is a problem.',
  ],
  examples: [{ line: 'vtr doctor', about: 'one line for each finding, with what to do' }],
  async run(context, { flags }) {
    const findings = await diagnose(context);
    const isIll = findings.some(({ state }) => state === 'bad');
    // A broken configuration is among what is to be found, so it is not asked for the format.
    if (flags.json || (await wantsJson(context, flags).catch(() => false))) {
      printJson(context, { findings });
    } else {
      for (const { state, subject, text, fix } of findings) {
        context.out(`${marks[state].padEnd(9)}${subject}: ${text}\n`);
        if (fix !== undefined) context.out(`${' '.repeat(9)}try: ${fix}\n`);
      }
    }
    return isIll ? noExit : 0;
  },
});
