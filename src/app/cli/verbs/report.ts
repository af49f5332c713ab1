import { defined } from '#base';
import {
  type CommandReport,
  maxReportMessageBytes,
  type ReportRequest,
  readReportAddress,
  reportStates,
  reportVariable,
  VtrError,
} from '#model';
import { JsonCoordinator } from '#wire/service/short';
import { duration, oneOf, text, wholeNumber } from '../arguments/flags.ts';
import { reach } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { defineVerb } from '../verb.ts';

export const report = defineVerb({
  name: 'report',
  summary: 'tell what a program of a session does',
  args: {
    session: {
      about: 'session (default: the one in which this command runs)',
      optional: true,
      completes: 'session',
    },
  },
  flags: {
    ...reach,
    state: oneOf(
      reportStates,
      'STATE',
      'idle, busy, asks, done or error; clear takes the last report back',
    ),
    message: text('TEXT', `one line for people, at most ${maxReportMessageBytes} bytes`),
    progress: wholeNumber('N', 'progress in percent', { to: 100 }),
    conversation: text('ID', 'id with which the agent continues this conversation'),
    agent: text('KIND', 'kind of the agent that reports, such as claude'),
    command: text(
      'LINE',
      'command that the program begins; with --exit-status, one that has ended',
    ),
    'exit-status': wholeNumber('N', 'exit status of the command', { to: 255 }),
    call: text('ID', 'connects the end of a command with its beginning (default: by its line)'),
    ttl: duration('end of the report (default: the end of the program)'),
    sequence: wholeNumber(
      'N',
      'number of the report (default: the time at which this command started, in µs)',
    ),
    hook: text(
      'KIND',
      'be a hook of this kind of agent: read its event from stdin, and never fail',
    ),
  },
  details: [
    'Programs that do not speak the Program Status Protocol (OSC 7501) say with this what they do: agents by their hooks (vtr agents install), builds and deploys by themselves. vtr info, vtr ls and vtr wait --status show it. It is one piece of evidence for the state of an agent, beside its screen; see docs/agents.md.',
    'A report ends with the program that is in the foreground of the session when it comes, with the next prompt of the shell, at its --ttl, or with the next report. done and error stay until another command runs.',
    'vtr commands lists the commands that were reported. One that has not ended is unknown when the program reports done, idle, error or clear, when its shell shows a prompt, and when the session ends.',
    'Without SESSION, the report goes to the socket in VTR_REPORT, with the key in it. vtr sets that variable for each program of a session. The key is for reports of this session, and for nothing else. The socket is alone in its directory: a sandbox needs no more than that directory and the variable.',
    'A report that was made before the last one of the same program, but comes later, is dropped without an error.',
  ],
  examples: [
    { line: 'vtr report --state busy --progress 40 --message "copying"', about: 'in a script' },
    { line: 'vtr report --state asks --message "Deploy to production?"', about: 'ask a person' },
    { line: "vtr report --command 'make test' --exit-status 2", about: 'a command that failed' },
    { line: 'vtr report deploy --state done', about: 'for a session, from outside' },
    { line: 'vtr report --state busy --ttl 10m', about: 'end by itself after 10 minutes' },
  ],
  async run(context, { args, flags }) {
    const { hook, state, message, progress, conversation, agent, ttl } = flags;
    const sequence = flags.sequence ?? Math.round(performance.timeOrigin * 1_000);
    if (hook !== undefined) return runHook(context, hook, sequence);
    const command = commandIn(flags);
    const request: ReportRequest = {
      ...defined({ state, message, progress, conversation, agent, command, ttlMs: ttl }),
      sequence,
    };
    if (args.session === undefined && flags.coordinator === undefined) {
      const { cwd } = context;
      await reportHere(context, command ? { ...request, command: { ...command, cwd } } : request);
      return undefined;
    }
    if (args.session === undefined)
      throw new VtrError('INVALID_ARGUMENT', '--coordinator needs SESSION');
    const { findSession } = await import('../coordinators/addressing.ts');
    const { coordinator, session } = await findSession(context, args.session, flags);
    await coordinator.report(session, request);
    return undefined;
  },
});

interface CommandFlags {
  readonly command: string | undefined;
  readonly 'exit-status': number | undefined;
  readonly call: string | undefined;
}

/** @throws VtrError INVALID_ARGUMENT for a flag that needs --command */
function commandIn(flags: CommandFlags): CommandReport | undefined {
  const { command: line, 'exit-status': exitCode, call } = flags;
  if (line !== undefined) {
    const outcome = exitCode === 0 ? 'succeeded' : 'failed';
    const end = exitCode === undefined ? {} : ({ exitCode, outcome } as const);
    return { line, ...defined({ call }), ...end };
  }
  const alone = exitCode === undefined ? call && '--call' : '--exit-status';
  if (alone) throw new VtrError('INVALID_ARGUMENT', `${alone} needs --command LINE`);
  return undefined;
}

/** @throws VtrError INVALID_ARGUMENT outside a session; as `Coordinator.report` */
async function reportHere({ env, version }: Context, request: ReportRequest): Promise<void> {
  const address = readReportAddress(env[reportVariable] ?? '');
  if (address === null) {
    const message = `${reportVariable} is not set: this is not a program of a session; name a session`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  await new JsonCoordinator(address.path, { version }).reportWithKey(address.key, request);
}

/** A hook must not disturb its agent, which reads the status and the output: it ends with 0 and prints nothing. */
async function runHook(context: Context, kind: string, sequence: number): Promise<undefined> {
  if ((context.env[reportVariable] ?? '') === '') return undefined;
  try {
    const input = Buffer.from(await context.readInput()).toString('utf8');
    const { reportOfHook, statusesOfHook } = await import('../hooks/hook-reports.ts');
    // First, because the agent may end with its turn.
    for (const command of await statusesOfHook(kind, input).catch(() => []))
      await reportHere(context, { command, agent: kind, sequence });
    const report = reportOfHook(kind, input);
    if (report !== null) await reportHere(context, { ...report, sequence });
  } catch {
    // The agent goes on.
  }
  return undefined;
}
