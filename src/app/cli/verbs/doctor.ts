import { output } from '../arguments/shared-flags.ts';
import { diagnose } from '../doctor/diagnose.ts';
import { noExit } from '../exit-codes.ts';
import { printJson, wantsJson } from '../output/printing.ts';
import { defineVerb } from '../verb.ts';

const marks = { good: 'ok', warning: 'warning', bad: 'problem' } as const;

export const doctor = defineVerb({
  name: 'doctor',
  summary: 'check the setup for problems',
  args: {},
  flags: output,
  details: [
    'Checks Node, the configuration, the socket and its directory, the daemon, its PTY host, saved sessions, logout, how programs are started, the files of agents, programs that a killed host has left, stale files, limits and the shell. Exit status: 0 if there is no problem, 1 if there is one.',
  ],
  examples: [{ line: 'vtr doctor', about: 'print one line per check, and fixes' }],
  async run(context, { flags }) {
    const findings = await diagnose(context);
    const hasProblem = findings.some(({ state }) => state === 'bad');
    // The configuration may be invalid, which is one of the findings.
    if (flags.json || (await wantsJson(context, flags).catch(() => false))) {
      printJson(context, { findings });
    } else {
      for (const { state, subject, text, fix } of findings) {
        context.out(`${marks[state].padEnd(9)}${subject}: ${text}\n`);
        if (fix !== undefined) context.out(`${' '.repeat(9)}fix: ${fix}\n`);
      }
    }
    return hasProblem ? noExit : 0;
  },
});
