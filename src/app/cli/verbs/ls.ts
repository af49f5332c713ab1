import { ownSocket, takeDamagedNotice } from '#config';
import { isAddress, isWaiting, type Redacted, type SessionInfo, VtrError } from '#model';
import { toggle } from '../arguments/flags.ts';
import { labelFilters } from '../arguments/label-flags.ts';
import { output, reach, redaction, redactOf } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import type { Answer } from '../coordinators/addressing.ts';
import { listMatching, sessionTest } from '../coordinators/selection.ts';
import { damagedText } from '../output/daemon-status.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { redactedJson, tellRedacted } from '../output/plain-text.ts';
import { listedJson } from '../output/session-json.ts';
import { type ListedSession, sessionTable } from '../output/session-table.ts';
import { defineVerb } from '../verb.ts';

export const ls = defineVerb({
  name: 'ls',
  summary: 'list sessions and their activity',
  args: {
    session: {
      about: `session name or glob, such as 'build-*' (default: all)`,
      completes: 'session',
      optional: true,
      many: true,
    },
  },
  flags: {
    ...reach,
    ...output,
    ...redaction,
    waiting: toggle('only sessions that wait for input or a password'),
    running: toggle('only sessions in which a program or command runs'),
    failed: toggle('only sessions whose program failed: a status other than 0, or a signal'),
    label: labelFilters,
    watch: toggle('follow the list: a table in a terminal, else a line of JSON for each change'),
    names: toggle('print only the names, one per line'),
  },
  details: [
    'States: at prompt (of a shell or a program inside it), running, awaiting input (a question, a pager), password, full screen (the program draws on the whole screen), exited STATUS, killed by SIGNAL. FOR is the duration of the state. COMMAND is the line that the shell runs, or the program. DIRECTORY is the current directory. ATTENTION, in a terminal with room for it and with --waiting, is why a session wants somebody: input, password, prompt (after a command that ran for 5 seconds or more), failed, bell, notification, done, quiet (for 5 minutes), with the evidence. In a terminal, lines are truncated to its width. vtr info shows the evidence for a state.',
    'Several of --waiting, --running and --failed list sessions in any of these states. A name or glob that matches nothing is an error.',
    'The sessions of all known coordinators are listed. A configured coordinator that does not answer is skipped with a message on stderr. If your own does not answer, or the one of --coordinator, the command fails. A coordinator that does not run is not started.',
    '--watch ends with a signal, and follows coordinators that start later. A line of JSON has "event": "session" (new or changed, with the fields of --json) or "removed" (removed, or not selected any more).',
  ],
  examples: [
    { line: 'vtr ls', about: 'print a table' },
    { line: 'vtr ls --waiting', about: 'list sessions that need an answer' },
    { line: `vtr ls 'build-*' --failed`, about: 'list failed builds' },
    { line: 'vtr ls --waiting --watch', about: 'follow what needs an answer' },
    { line: 'vtr ls --label team=web --json', about: 'print sessions with this label as JSON' },
  ],
  async run(context, { args, flags }) {
    const asJson = await wantsJson(context, flags);
    const others = (['json', 'watch'] as const).filter((name) => flags[name]);
    if (flags.redact && flags.watch) {
      const message =
        '--redact and --watch cannot be used together: what is followed is not redacted';
      throw new VtrError('INVALID_ARGUMENT', message);
    }
    if (flags.names && others[0] !== undefined) {
      throw new VtrError('INVALID_ARGUMENT', `--names and --${others[0]} cannot be used together`);
    }
    const states = filtersOf(flags);
    const isInState: StateTest = (info) => states.length === 0 || states.some((test) => test(info));
    if (flags.watch) {
      const { watchList } = await import('../watching/watch-list.ts');
      const test = sessionTest(args.session, flags);
      return watchList(context, {
        ...{ coordinator: flags.coordinator, asJson },
        isListed: ({ name }, info) => test(name, info) && isInState(info),
      });
    }
    const filtersByActivity = flags.waiting || flags.running;
    const activity = !flags.names || filtersByActivity;
    const request = { activity, ...redactOf(flags) };
    const answers = await listMatching(context, args.session, flags, request);
    if (activity) tellUnknown(context, answers);
    if (flags.coordinator === undefined) await tellDamaged(context);
    const sessions = answers.flatMap(({ coordinator, sessions: infos }) =>
      infos
        .filter(isInState)
        .map((info): ListedSession => ({ coordinator: coordinator.name, info })),
    );
    if (flags.names) for (const { info } of sessions) context.out(`${info.name}\n`);
    else if (asJson) {
      const redacted = flags.redact ? redactedIn(answers) : {};
      printJson(context, { sessions: sessions.map(listedJson), ...redactedJson(redacted) });
    } else {
      const { columns, env } = context;
      context.out(
        await sessionTable(sessions, {
          ...{ columns, nowMs: Date.now(), home: env['HOME'] },
          tellsAttention: flags.waiting,
        }),
      );
    }
    if (flags.redact && !asJson) tellRedacted(context, redactedIn(answers));
    return undefined;
  },
});

/** Returns how many secrets were replaced in what coordinators answered. */
const redactedIn = (answers: readonly Answer[]): Redacted => ({
  redacted: answers
    .flatMap(({ sessions }) => sessions)
    .reduce((sum, { redacted = 0 }: Redacted) => sum + redacted, 0),
});

/** Reports running sessions whose state is not known, and which may be missing from a list by state. */
function tellUnknown(context: Context, answers: readonly Answer[]): void {
  const unknown = answers.flatMap(({ sessions }) =>
    sessions.filter(({ state, activity }) => state === 'running' && activity === undefined),
  );
  if (unknown.length === 0) return;
  context.say(`state unknown: ${unknown.map(({ name }) => name).join(', ')}`);
}

/** Tells once of saved sessions that a daemon has found damaged. */
async function tellDamaged(context: Context): Promise<void> {
  const socket = await ownSocket(context);
  const count = isAddress(socket) ? 0 : takeDamagedNotice(context, socket);
  if (count > 0) context.say(damagedText(count));
}

type StateTest = (info: SessionInfo) => boolean;

const isRunning: StateTest = ({ activity }) =>
  activity?.state === 'running' || activity?.state === 'full_screen';
const hasFailed: StateTest = ({ exitStatus }) => exitStatus !== null && exitStatus.code !== 0;

const filtersOf = (flags: {
  readonly waiting: boolean;
  readonly running: boolean;
  readonly failed: boolean;
}): StateTest[] => [
  ...(flags.waiting ? [isWaiting] : []),
  ...(flags.running ? [isRunning] : []),
  ...(flags.failed ? [hasFailed] : []),
];
