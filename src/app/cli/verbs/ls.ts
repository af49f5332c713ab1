import { ownSocket, takeDamagedNotice } from '#config';
import { isAddress, isWaiting, type Redacted, type SessionInfo, VtrError } from '#model';
import { toggle } from '../arguments/flags.ts';
import { labelFilters } from '../arguments/label-flags.ts';
import { output, reach, redaction, redactOf } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import type { Answer } from '../coordinators/addressing.ts';
import { damagedText, unreadableText } from '../coordinators/daemon-status.ts';
import { listMatching, sessionTest } from '../coordinators/selection.ts';
import { printJson, redactedJson, tellRedacted, wantsJson } from '../output/printing.ts';
import { listedJson } from '../output/session-json.ts';
import { agentTable, byAgent, type ListedSession, sessionTable } from '../output/session-table.ts';
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
    agents: toggle('only sessions with a coding agent, those that ask first'),
    label: labelFilters,
    watch: toggle('follow the list: a table in a terminal, else a line of JSON for each change'),
    names: toggle('print only the names, one per line'),
  },
  details: [
    'Lists the sessions of all known coordinators. A configured coordinator that does not answer is skipped with a message on stderr. If your own coordinator or the one of --coordinator does not answer, the command fails. No coordinator is started.',
    'In a terminal, lines are truncated to its width. Columns:',
    [
      ['STATE', 'see below; vtr info shows the evidence for it'],
      ['FOR', 'how long the session has been in this state'],
      ['COMMAND', 'the line that the shell runs, or the program'],
      ['DIRECTORY', 'the current directory'],
      [
        'ATTENTION',
        'why the session needs somebody, with the evidence; only with --waiting, or in a terminal with room for it',
      ],
    ],
    'With --agents, the columns are SESSION, AGENT, STATE, FOR, QUESTION (with its choices) and DIRECTORY.',
    'States:',
    [
      ['idle, busy, asks, unknown', 'those of a coding agent; see docs/agents.md'],
      ['at prompt', 'a shell, or a program inside it, shows its prompt'],
      ['running', 'a command or the program runs'],
      ['awaiting input', 'the program asks a question, or is a pager'],
      ['password', 'the program asks for a password'],
      ['full screen', 'the program draws on the whole screen'],
      ['exited STATUS', 'the program has exited'],
      ['killed by SIGNAL', 'a signal ended the program'],
    ],
    'Reasons in ATTENTION: input, password, prompt (after a command that ran for 5 seconds or more), failed, bell, notification, done, quiet (no output for 5 minutes). "(a guess)" (guess in attention in JSON) means that only the text shows that the program asks, as over ssh.',
    '--waiting, --running, --failed and --agents can be combined: sessions that any of them selects are listed. A name or glob that matches nothing is an error.',
    '--watch runs until a signal ends it, and follows coordinators that start later. Each line of JSON has an "event": "session" for a session that is new or has changed, with the fields of --json; "removed" for one that was removed or is no longer selected.',
  ],
  examples: [
    { line: 'vtr ls', about: 'print a table' },
    { line: 'vtr ls --waiting', about: 'list sessions that need an answer' },
    { line: `vtr ls 'build-*' --failed`, about: 'list failed builds' },
    {
      line: 'vtr ls --agents',
      about: 'list coding agents: which one asks, works, can be prompted',
    },
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
        coordinator: flags.coordinator,
        asJson,
        isListed: ({ name }, info) => test(name, info) && isInState(info),
      });
    }
    const filtersByActivity = flags.waiting || flags.running || flags.agents;
    const activity = !flags.names || filtersByActivity;
    const request = { activity, ...redactOf(flags) };
    const answers = await listMatching(context, args.session, flags, request);
    if (activity) tellUnknown(context, answers);
    if (flags.coordinator === undefined) await tellDamaged(context);
    const found = answers.flatMap(({ coordinator, sessions: infos }) =>
      infos
        .filter(isInState)
        .map((info): ListedSession => ({ coordinator: coordinator.name, info })),
    );
    const sessions = flags.agents ? found.sort(byAgent) : found;
    if (flags.names) for (const { info } of sessions) context.out(`${info.name}\n`);
    else if (asJson) {
      const redacted = flags.redact ? redactedIn(answers) : {};
      printJson(context, { sessions: sessions.map(listedJson), ...redactedJson(redacted) });
    } else {
      const { columns, env } = context;
      const options = { columns, nowMs: Date.now(), home: env['HOME'] };
      const table = flags.agents
        ? agentTable(sessions, options)
        : sessionTable(sessions, { ...options, tellsAttention: flags.waiting });
      context.out(await table);
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

/** Tells once of saved sessions that a daemon could not restore. */
async function tellDamaged(context: Context): Promise<void> {
  const socket = await ownSocket(context);
  if (isAddress(socket)) return;
  const { damaged, unreadable, reason } = takeDamagedNotice(context, socket);
  if (damaged > 0) context.say(damagedText(damaged));
  if (unreadable > 0) context.say(unreadableText(unreadable, reason));
}

type StateTest = (info: SessionInfo) => boolean;

const isRunning: StateTest = ({ activity }) =>
  activity?.state === 'running' || activity?.state === 'full_screen';
const hasFailed: StateTest = ({ exitStatus }) => exitStatus !== null && exitStatus.code !== 0;

const hasAgent: StateTest = ({ agent }) => agent !== undefined;

const filtersOf = (flags: {
  readonly waiting: boolean;
  readonly running: boolean;
  readonly failed: boolean;
  readonly agents: boolean;
}): StateTest[] => [
  ...(flags.waiting ? [isWaiting] : []),
  ...(flags.running ? [isRunning] : []),
  ...(flags.failed ? [hasFailed] : []),
  ...(flags.agents ? [hasAgent] : []),
];
