import { ownSocket, takeDamagedNotice } from '#config';
import {
  compareByNeed,
  isAddress,
  isWaiting,
  type Redacted,
  type SessionInfo,
  stateSinceMs,
  VtrError,
} from '#model';
import { oneOf, text, toggle } from '../arguments/flags.ts';
import { labelFilters } from '../arguments/label-flags.ts';
import { output, reach, redaction, redactOf } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import type { Answer } from '../coordinators/addressing.ts';
import { damagedText, unreadableText } from '../coordinators/daemon-status.ts';
import { listMatching, type MatchingAnswer, sessionTest } from '../coordinators/selection.ts';
import { printJson, redactedJson, tellRedacted, wantsJson } from '../output/printing.ts';
import { groupJson, listedJson } from '../output/session-json.ts';
import {
  agentTable,
  groupedSessions,
  groupTable,
  type ListedSession,
  sessionTable,
} from '../output/session-table.ts';
import { defineVerb } from '../verb.ts';

const sorts = ['need', 'age', 'name', 'active'] as const;

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
  otherFlags: {
    a: 'vtr ls, which lists all',
    all: 'vtr ls, which lists all',
    l: 'vtr ls, or vtr ls --json for all fields',
    q: '--names',
  },
  flags: {
    ...reach,
    ...output,
    ...redaction,
    waiting: toggle('only sessions that wait for input or a password'),
    running: toggle('only sessions in which a program or command runs'),
    failed: toggle('only sessions whose program failed: a status other than 0, or a signal'),
    agents: toggle('only sessions with a coding agent, with what they ask'),
    label: labelFilters,
    sort: oneOf(
      sorts,
      'ORDER',
      'by need, age (the oldest first), name or active (default: need; age for --json and --names)',
    ),
    by: text(
      'KEY',
      'a line for each directory (dir), branch of git (branch) or value of a label, with the number of sessions by state',
    ),
    watch: toggle('follow the list: a table in a terminal, else a line of JSON for each change'),
    names: toggle('print only what verbs accept, one per line: names, or COORDINATOR:NAME'),
  },
  details: [
    'Lists the sessions of all known coordinators. A configured coordinator that does not answer is skipped with a message on stderr. If your own coordinator or the one of --coordinator does not answer, the command fails. No coordinator is started.',
    'In a terminal, lines are truncated to its width. Columns:',
    [
      ['STATE', 'see below; vtr info shows the evidence for it'],
      ['FOR', 'how long the session has been in this state'],
      ['COMMAND', 'the line that the shell runs, or the program'],
      ['DIRECTORY', 'the current directory; in a terminal, with the branch of git in it'],
      [
        'ATTENTION',
        'why the session needs somebody, with the evidence; only with --waiting, or in a terminal with room for it',
      ],
    ],
    'With --agents, the columns are SESSION, AGENT, STATE, QUESTION (with the numbers of its choices) and FOR.',
    'Sessions are sorted by need: those that ask, have failed, have a notification, are done; then those that a person drives, that work, that are idle, that have ended. Those that have waited longest come first.',
    'The branch is that of the current directory (branch in JSON); the first 7 digits of the commit if HEAD is detached. A session that has ended has the directory and the branch of its end. Only repositories that belong to the user of the coordinator are read.',
    'With --by, each line counts its sessions that ask, have failed, are done, busy, idle, unknown or ended. A shell at its prompt is idle, a command that runs is busy.',
    'States:',
    [
      ['idle, busy, asks, unknown', 'those of a coding agent; see docs/agents.md'],
      ['done', 'a coding agent is idle after a turn, and no person has looked at it since'],
      ['at prompt', 'a shell, or a program inside it, shows its prompt'],
      ['running', 'a command or the program runs'],
      ['awaiting input', 'the program asks a question, or is a pager'],
      ['password', 'the program asks for a password'],
      ['full screen', 'the program draws on the whole screen'],
      ['exited STATUS', 'the program has exited'],
      ['killed by SIGNAL', 'a signal ended the program'],
    ],
    'Reasons in ATTENTION: input, password, prompt (after a command that ran for 5 seconds or more), failed, bell, notification, done, quiet (no output for 5 minutes), activity and silence (vtr watch). "(a guess)" (guess in attention in JSON) means that only the text shows that the program asks, as over ssh.',
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
    { line: 'vtr ls --by dir', about: 'count what needs you in each directory' },
    { line: 'vtr ls --waiting --watch', about: 'follow what needs an answer' },
    { line: 'vtr ls --label team=web --json', about: 'print sessions with this label as JSON' },
  ],
  async run(context, { args, flags }) {
    const asJson = await wantsJson(context, flags);
    const others = (['json', 'watch', 'by'] as const).filter((name) => flags[name]);
    if (flags.redact && flags.watch) {
      const message =
        '--redact and --watch cannot be used together: what is followed is not redacted';
      throw new VtrError('INVALID_ARGUMENT', message);
    }
    if (flags.names && others[0] !== undefined) {
      throw new VtrError('INVALID_ARGUMENT', `--names and --${others[0]} cannot be used together`);
    }
    const { by } = flags;
    const order = flags.sort ?? (asJson || flags.names ? 'age' : 'need');
    const tableOf = (listed: readonly ListedSession[], columns: number | null) => {
      const options = { columns, nowMs: Date.now(), home: context.env['HOME'] };
      const sessions = sorted(listed, order);
      if (by !== undefined) return groupTable(groupedSessions(sessions, by), by, options);
      if (flags.agents) return agentTable(sessions, options);
      return sessionTable(sessions, { ...options, tellsAttention: flags.waiting });
    };
    const states = filtersOf(flags);
    const isInState: StateTest = (info) => states.length === 0 || states.some((test) => test(info));
    if (flags.watch) {
      if (by !== undefined && (asJson || !context.isTerminal)) {
        const message = '--by and --watch can be used together only for a table in a terminal';
        throw new VtrError('INVALID_ARGUMENT', message);
      }
      const { watchList } = await import('../watching/watch-list.ts');
      const test = await sessionTest(context, args.session, flags);
      return watchList(context, {
        coordinator: flags.coordinator,
        asJson,
        table: tableOf,
        isListed: ({ name }, info) => test(name, info) && isInState(info),
      });
    }
    const filtersByActivity = flags.waiting || flags.running || flags.agents;
    const activity = !flags.names || filtersByActivity || order === 'need' || order === 'active';
    const request = { activity, ...redactOf(flags) };
    const answers = await listMatching(context, args.session, flags, request);
    if (activity) tellUnknown(context, answers);
    if (flags.coordinator === undefined) await tellDamaged(context);
    const rows = answers.flatMap(({ coordinator, sessions: infos }) =>
      infos
        .filter(isInState)
        .map((info): ListedSession => ({ coordinator: coordinator.name, info })),
    );
    const sessions = sorted(rows, order);
    if (flags.names) for (const name of addresses(sessions, answers)) context.out(`${name}\n`);
    else if (asJson) {
      const redacted = flags.redact ? redactedIn(answers) : {};
      const listed =
        by === undefined
          ? { sessions: sessions.map(listedJson) }
          : { by, groups: groupedSessions(sessions, by).map(groupJson) };
      printJson(context, { ...listed, ...redactedJson(redacted) });
    } else context.out(await tableOf(rows, context.columns));
    if (flags.redact && !asJson) tellRedacted(context, redactedIn(answers));
    return undefined;
  },
});

/**
 * Returns what verbs accept: names, with the coordinator where several have a session of the name, listed or not, or where
 * others were not asked.
 */
function addresses(
  sessions: readonly ListedSession[],
  answers: readonly MatchingAnswer[],
): string[] {
  const counts = new Map<string, number>();
  for (const name of answers.flatMap(({ names }) => names)) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const inPatterns = new Set(
    answers.filter(({ isInPattern }) => isInPattern).map(({ coordinator }) => coordinator.name),
  );
  return sessions.map(({ coordinator, info: { name } }) =>
    counts.get(name) === 1 && !inPatterns.has(coordinator) ? name : `${coordinator}:${name}`,
  );
}

/** Returns how many secrets were replaced in what coordinators answered. */
const redactedIn = (answers: readonly Answer[]): Redacted => ({
  redacted: answers
    .flatMap(({ sessions }) => sessions)
    .reduce((sum, { redacted = 0 }: Redacted) => sum + redacted, 0),
});

/** Reports running sessions whose state is not known, and which may be missing from a list by state. */
function tellUnknown(context: Context, answers: readonly Answer[]): void {
  const unknown = answers.flatMap(({ sessions }) =>
    sessions.filter(
      ({ state, activity, agent }) =>
        state === 'running' && activity === undefined && (agent?.state ?? 'unknown') === 'unknown',
    ),
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

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const compares: Readonly<
  Record<Exclude<(typeof sorts)[number], 'age'>, (a: SessionInfo, b: SessionInfo) => number>
> = {
  need: compareByNeed,
  name: (a, b) => byText(a.name, b.name),
  active: (a, b) => stateSinceMs(b) - stateSinceMs(a),
};

/** Returns sessions in an order. Coordinators list theirs by age. */
function sorted(sessions: readonly ListedSession[], order: (typeof sorts)[number]) {
  if (order === 'age') return sessions;
  const compare = compares[order];
  return sessions.toSorted((a, b) => compare(a.info, b.info));
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
