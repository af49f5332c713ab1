import { defined, durationText, isGlob, quoted } from '#base';
import { counted, VtrError, type WaitRequest, type WaitResult } from '#model';
import { duration, type FlagValues, text, toggle } from '../arguments/flags.ts';
import { output, reach, sessionArgument } from '../arguments/shared-flags.ts';
import { waitFlags, waitRequest } from '../arguments/wait-flags.ts';
import type { Context } from '../context.ts';
import { type Answer, findSession } from '../coordinators/addressing.ts';
import { listMatching } from '../coordinators/selection.ts';
import { waitExit } from '../exit-codes.ts';
import { printJson, wantsJson } from '../output/printing.ts';
import { waitJson } from '../output/session-json.ts';
import { printWait, statusOfWait, tellLost } from '../output/wait-text.ts';
import { defineVerb } from '../verb.ts';

const flags = {
  ...reach,
  ...output,
  ...waitFlags,
  any: toggle('SESSION may be a glob: wait in all sessions that it matches, until one is done'),
  after: text('MARK', 'with --agent, states that began after MARK, which the wait before printed'),
  'include-ended': toggle('with --any, also sessions whose program had ended before'),
  timeout: duration('timeout (default 30s)'),
};

export const wait = defineVerb({
  name: 'wait',
  summary: 'wait until output matches or another condition is met',
  args: {
    session: sessionArgument,
    pattern: {
      about:
        'regular expression, as --match (RE2: no lookaround, no backreferences); with --agent, more sessions',
      optional: true,
      many: true,
    },
  },
  flags,
  details: [
    'The first condition that is met ends the wait. If several are met at once, --stop wins, then --match, then the others. Without a condition, waits for the program to exit.',
    'Patterns match output after the call. With --since MARK, they match output after MARK; with --since start, all output, including archived lines (see vtr output). If lines since MARK are no longer kept, stderr reports how many were not searched (lost_lines in JSON, lost_bytes with --raw). --screen also matches rows that are already there. Patterns match tabs as the spaces that are displayed.',
    'With --asks, JSON has these fields:',
    [
      ['question', 'the question'],
      ['menu', 'the choices that are shown'],
      ['program', 'the name of the program that asks'],
      [
        'guess',
        'true if only the text before the cursor shows that the program asks, as behind ssh and where the system does not report which process reads the terminal',
      ],
    ],
    'The echo of input that was sent since MARK does not match. If the text that matches may be the echo, stderr reports it (in_echo in JSON).',
    'Text that a full-screen program draws again does not match, unless one more row has it, or a screen without it was shown in between. If vtr does not know whether text was drawn again, the text matches, and stderr reports it (redrawn in JSON).',
    'Without --since, a command that ended since the last input also meets --finished. At an empty prompt there is no command to wait for: the wait ends with the outcome prompt, which stderr reports.',
    'Prints the line that matches; with --asks, the question; with --driver, the note that a person left; with --tail, the last lines of output. stderr explains the outcome when needed; after a timeout, it names the state of the session. --json prints the whole result, including the mark for the next wait or read.',
    '--agent waits for a state of a coding agent. With several sessions or a glob, it ends with the first of them, the one whose state began first, as --any does, and prints a mark on stderr (agent_mark in JSON): the next wait with --after MARK does not end with a state that was told already. After a timeout, stderr tells if no agent is known in the session (no_agent in JSON).',
    '--any waits in all sessions of all known coordinators that SESSION matches. It prints COORDINATOR:NAME of the session in which a condition is met first, and then the same as a wait in one session. Sessions whose program has already ended are skipped, unless --include-ended is given. Sessions whose program exits are dropped, unless --exit is given. Sessions that start later are not included.',
    `Exit status: 0 condition met, ${waitExit.stopped} --stop matched, ${waitExit.exited} program exited first, ${waitExit.timed_out} timed out. The wait never affects the program.`,
  ],
  examples: [
    { line: 'vtr wait build "PASS|FAIL" --timeout 10m', about: 'wait for the end of the tests' },
    {
      line: 'vtr wait server "listening on (\\d+)" --stop "EADDRINUSE|Error:"',
      about: 'wait until the server listens; fail at an error',
    },
    { line: 'vtr wait shell --finished --timeout 1h', about: 'wait for the end of the command' },
    { line: 'vtr wait setup --asks', about: 'wait until the program asks, and print the question' },
    { line: "vtr wait 'agent-*' --any --asks", about: 'wait until one of several asks' },
    { line: 'vtr wait api web --agent idle,asks', about: 'the first agent that needs somebody' },
    { line: "vtr wait 'job-*' --any --failed --timeout 1h", about: 'until one of several fails' },
    { line: 'vtr wait codex --driver', about: 'until the person who took over gives back' },
    { line: 'vtr wait job --exit --idle 10s', about: 'wait for the exit, or 10s without change' },
  ],
  async run(context, { args, flags }) {
    const asJson = await wantsJson(context, flags);
    const { names, patterns } = sessionsOf(args.session, args.pattern ?? [], flags);
    const request = {
      ...waitRequest(flags, patterns, asJson),
      ...defined({ timeoutMs: flags.timeout }),
    };
    if (flags['include-ended'] && !flags.any) {
      throw new VtrError('INVALID_ARGUMENT', '--include-ended needs --any');
    }
    const isAny =
      flags.any || names.length > 1 || (flags.agent !== undefined && isGlob(names[0] ?? ''));
    if (flags.after !== undefined && (flags.agent === undefined || !isAny)) {
      throw new VtrError('INVALID_ARGUMENT', '--after needs --agent and several sessions');
    }
    if (isAny) return waitInAny(context, names, { flags, patterns, request, asJson });
    if (isGlob(args.session)) {
      const message = `${quoted(args.session)} is a glob; wait in all that it matches with --any`;
      throw new VtrError('INVALID_ARGUMENT', message);
    }
    const { coordinator, session, shown } = await findSession(context, args.session, flags);
    const result = await coordinator.wait(session, request);
    if (asJson) printJson(context, waitJson(session, result));
    else printWait(context, shown, result, flags, patterns);
    return statusOfWait(result, flags, patterns);
  },
});

/** With `--agent`, all words are sessions. @throws VtrError INVALID_ARGUMENT */
function sessionsOf(
  session: string,
  words: readonly string[],
  { agent }: FlagValues<typeof flags>,
): { readonly names: readonly string[]; readonly patterns: readonly string[] } {
  if (agent !== undefined) return { names: [session, ...words], patterns: [] };
  const [, second] = words;
  if (second === undefined) return { names: [session], patterns: words };
  const message = `unexpected ${quoted(second)}; several sessions need --agent, or a glob with --any`;
  throw new VtrError('INVALID_ARGUMENT', message);
}

/** Leaves out sessions whose program has ended. @throws VtrError SESSION_NOT_RUNNING if none is left */
function running(answers: readonly Answer[]): readonly Answer[] {
  const left = answers.map((answer) => {
    return { ...answer, sessions: answer.sessions.filter(({ state }) => state === 'running') };
  });
  if (left.some(({ sessions }) => sessions.length > 0)) return left;
  const message = 'the programs of all sessions that match have ended; --include-ended counts them';
  throw new VtrError('SESSION_NOT_RUNNING', message);
}

interface AnyWait {
  readonly flags: FlagValues<typeof flags>;
  readonly patterns: readonly string[];
  readonly request: WaitRequest;
  readonly asJson: boolean;
}

/** @throws VtrError SESSION_NOT_FOUND, INVALID_ARGUMENT, UNAVAILABLE */
async function waitInAny(
  context: Context,
  names: readonly string[],
  { flags, patterns, request, asJson }: AnyWait,
): Promise<number> {
  if (flags.since !== undefined && flags.since !== 'start') {
    throw new VtrError('INVALID_ARGUMENT', 'a mark is of one session; --any takes --since start');
  }
  const all = await listMatching(context, names, { ...flags, label: [] }, {});
  const answers = flags['include-ended'] ? all : running(all);
  const { waitForAgents, waitForAny } = await import('../watching/wait-for-any.ts');
  const isMet = (each: WaitResult) =>
    each.outcome === 'stopped' || statusOfWait(each, flags, patterns) === 0;
  const { coordinator, session, result, agentMark } =
    flags.agent === undefined
      ? { ...(await waitForAny(context, answers, request, isMet)), agentMark: null }
      : await waitForAgents(context, answers, request, flags.after, isMet);
  const mark = flags.agent === undefined ? {} : { agent_mark: agentMark };
  if (asJson) printJson(context, { coordinator, ...waitJson(session, result), ...mark });
  else if (result.outcome === 'timed_out') {
    const count = answers.reduce((sum, { sessions }) => sum + sessions.length, 0);
    const where = counted(count, 'session');
    const none = result.noAgent ? '; no coding agent is known in them' : '';
    context.say(`timed out after ${durationText(result.timeoutMs)} in ${where}${none}`);
    tellLost(context, where, result);
  } else {
    const shown = `${coordinator}:${session}`;
    if (isMet(result)) context.out(`${shown}\n`);
    printWait(context, shown, result, flags, patterns);
    if (agentMark !== null) context.say(`mark ${agentMark}`);
  }
  return statusOfWait(result, flags, patterns);
}
