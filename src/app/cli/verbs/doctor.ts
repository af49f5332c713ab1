import { isAddress, VtrError } from '#model';
import { output } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { oneCoordinator } from '../coordinators/known-coordinators.ts';
import { jsonThere } from '../coordinators/verb-there.ts';
import { diagnose } from '../doctor/diagnose.ts';
import type { Finding } from '../doctor/findings.ts';
import { noExit } from '../exit-codes.ts';
import { printJson, wantsJson } from '../output/printing.ts';
import { defineVerb } from '../verb.ts';

const marks = { good: 'ok', warning: 'warning', bad: 'problem' } as const;

export const doctor = defineVerb({
  name: 'doctor',
  summary: 'check the setup for problems',
  otherFlags: { coordinator: 'vtr doctor COORDINATOR' },
  args: {
    coordinator: {
      about: 'another coordinator, by name, socket path or address (default: your own)',
      optional: true,
    },
  },
  flags: output,
  details: [
    'Checks Node, the configuration, the socket and its directory, the daemon, its PTY host, saved sessions, logout, how programs are started, the files of agents, programs that a killed host has left, stale files, limits and the shell. At an address, vtr runs vtr doctor there. Exit status: 0 if there is no problem, 1 if there is one.',
  ],
  examples: [
    { line: 'vtr doctor', about: 'print one line per check, and fixes' },
    { line: 'vtr doctor ssh://gpu1', about: 'check another machine' },
  ],
  async run(context, { args, flags }) {
    const findings = await findingsAt(context, args.coordinator);
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

async function findingsAt(context: Context, named: string | undefined): Promise<Finding[]> {
  if (named === undefined) return diagnose(context);
  const { socket } = await oneCoordinator(context, named);
  if (!isAddress(socket)) {
    return diagnose({ ...context, env: { ...context.env, VTR_SOCKET: socket } });
  }
  const { findings } = (await jsonThere(context, socket, ['doctor', '--json'])) as {
    findings?: unknown;
  };
  if (Array.isArray(findings)) return findings.filter(isFinding);
  throw new VtrError('UNAVAILABLE', `${socket}: vtr doctor there printed no findings`);
}

const isFinding = (value: Partial<Finding> | null): value is Finding =>
  typeof value?.subject === 'string' &&
  typeof value.text === 'string' &&
  typeof value.state === 'string' &&
  value.state in marks;
