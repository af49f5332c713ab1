import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defined } from '#base';
import { stateDirectory } from '#config';
import {
  type AgentState,
  type Excerpt,
  isAddress,
  type ReadResult,
  type SendTextOptions,
  VtrError,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { duration, type FlagValues, text, toggle, wholeNumber } from '../arguments/flags.ts';
import { inputIdFlag, inputIdOf, senderFlags, senderOf } from '../arguments/sender-flags.ts';
import {
  environmentDetails,
  output,
  programFlags,
  programOf,
  reach,
  redaction,
  redactOf,
  sessionArgument,
} from '../arguments/shared-flags.ts';
import { agentStates } from '../arguments/wait-flags.ts';
import { inWorktree, worktreeDetails, worktreeFlags } from '../arguments/worktree-flags.ts';
import { tellNotPassed } from '../caller.ts';
import type { Context } from '../context.ts';
import { coordinatorForSession, findSession, type Target } from '../coordinators/addressing.ts';
import { spawnAt } from '../coordinators/with-daemon.ts';
import { asksExit, notSubmittedExit, waitExit } from '../exit-codes.ts';
import { asOwnDriver } from '../input/own-drive.ts';
import { readStdinText } from '../input/read-stdin.ts';
import { printExcerpt } from '../output/excerpt.ts';
import { printJson, printPlain, wantsJson } from '../output/printing.ts';
import { excerptJson, sessionJson, waitJson } from '../output/session-json.ts';
import { tellWait } from '../output/wait-text.ts';
import { defineVerb } from '../verb.ts';

/** How long an agent may work on a prompt by default, in ms. */
const turnMs = 10 * 60_000;
/** How long an agent may start by default, in ms. */
const startMs = 60_000;
/** How long is waited for what follows an answer by default, in ms. */
const nextMs = 5_000;
/** How long a session may have no known agent, in ms: wrappers load. */
const identifyMs = 5_000;
/** How much of what is new is printed by default. */
const newText = { maxTokens: 4_000 } as const;

const knownExits = [
  ['0', 'idle: the turn has ended'],
  [`${asksExit}`, 'the agent asks; stdout has the question'],
  [`${waitExit.stalled}`, 'stalled: nothing happened for 5s after the prompt'],
  [`${waitExit.timed_out}`, 'timed out; the agent goes on'],
  [`${waitExit.exited}`, 'the program exited'],
] as const;

export const prompt = defineVerb({
  name: 'prompt',
  summary: 'give a prompt to a coding agent',
  args: {
    session: sessionArgument,
    text: { about: 'the prompt, in quotes; not with --file and --stdin', optional: true },
  },
  flags: {
    ...reach,
    ...output,
    ...redaction,
    file: text('FILE', 'read the prompt from FILE', { completes: 'file' }),
    stdin: toggle('read the prompt from stdin'),
    wait: {
      ...text('STATES', 'wait for the end of the turn: idle,asks (default), or one of them'),
      bare: true as const,
    },
    read: toggle('wait, and print what is new since the prompt'),
    'max-lines': wholeNumber('N', 'with --read, print the last N lines'),
    'max-tokens': wholeNumber('N', 'with --read, print at most about N tokens (default 4000)'),
    queue: toggle('also while the agent is busy'),
    replace: toggle('replace a text that is in the composer'),
    timeout: duration('how long to wait for the end of the turn (default 10m)'),
    ...senderFlags,
    ...inputIdFlag,
  },
  details: [
    'The agent must be idle, as vtr ls --agents shows it. Nothing is typed if it asks (exit status 15; the message has the question; answer it with vtr answer), if it is busy or its state stays unknown for 3s (18), or if its composer has a text that somebody typed (17). --queue prompts a busy agent: most take the prompt when the turn has ended, some at once.',
    'The prompt is pasted, and submitted when the agent has it; vtr checks that it has left the composer (otherwise exit status 15). Prints the number of the turn: vtr wait SESSION --agent idle,asks --turn N ends when that turn has ended.',
    'With --wait, waits for the end of this turn. Prints the question if the agent asks, and with --read what is new. The exit status is:',
    knownExits,
  ],
  examples: [
    { line: 'vtr prompt api "Run the tests" --read', about: 'give a prompt, and print the answer' },
    { line: 'vtr prompt api --file task.md --wait', about: 'a prompt from a file' },
    { line: 'vtr prompt api "Then lint" --queue', about: 'also while the agent is busy' },
  ],
  async run(context, { args, flags }) {
    const prompt = await promptText(context, args.text, flags);
    const target = await findSession(context, args.session, flags);
    const states = agentStates('wait', flags.wait === '' ? 'idle,asks' : flags.wait);
    const agent = states ?? (flags.read ? (['idle', 'asks'] as const) : null);
    const asJson = await wantsJson(context, flags);
    await checkAgent(target);
    const options: SendTextOptions = {
      ...senderOf(flags, 'vtr prompt'),
      ...inputIdOf(flags),
      submit: true,
      ...defined({ queue: flags.queue || undefined }),
      ...(flags.replace ? { draft: 'replace' as const } : {}),
      ...(agent === null ? {} : { wait: waitOf(agent, flags.timeout ?? turnMs) }),
    };
    const { coordinator, session, shown } = target;
    const result = await asOwnDriver(context, target, flags.epoch, (driverEpoch) =>
      coordinator.sendText(session, prompt, { ...options, ...defined({ driverEpoch }) }),
    );
    const { mark, turn = null, submitted = false, wait } = result;
    const news = flags.read && submitted ? await readNew(target, mark, flags) : null;
    const read = news && { ...news, text: withoutComposer(news.text, prompt) };
    if (asJson) {
      const end = wait === undefined ? null : waitJson(session, wait);
      const text = read === null ? {} : { text: excerptJson(read.text), read_mark: read.mark };
      printJson(context, { name: session, mark, turn, submitted, wait: end, ...text });
    } else {
      if (!submitted)
        context.say(`session ${shown}: not submitted: the text is where it was typed`);
      else if (wait === undefined && turn !== null) context.out(`${turn}\n`);
      if (read !== null) printExcerpt(context, read.text);
      if (wait !== undefined) tellEnd(context, shown, wait);
    }
    return submitted ? wait && exitOf(wait) : notSubmittedExit;
  },
});

/** @throws VtrError INVALID_ARGUMENT, IO_ERROR */
async function promptText(
  context: Context,
  argument: string | undefined,
  { file, stdin }: { readonly file: string | undefined; readonly stdin: boolean },
): Promise<string> {
  const sources = [argument !== undefined, file !== undefined, stdin].filter(Boolean).length;
  if (sources !== 1) {
    const message = 'give the prompt as an argument, with --file or with --stdin';
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  if (stdin) return readStdinText(context);
  if (file === undefined) return argument ?? '';
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new VtrError('IO_ERROR', `cannot read ${file}: ${(error as Error).message}`);
  }
}

/** @throws VtrError AGENT_NOT_IDLE if no agent is known */
async function checkAgent({ coordinator, session, shown }: Target): Promise<void> {
  if ((await coordinator.info(session)).agent !== undefined) return;
  const { agent } = await coordinator.wait(session, {
    agent: ['idle', 'busy', 'asks', 'unknown'],
    timeoutMs: identifyMs,
    tail: { maxLines: 0 },
  });
  if (agent !== undefined) return;
  const name = shown.includes(':') ? shown : session;
  const hint = `if there is one, vtr label ${name} agent=KIND names it; vtr send types a text`;
  throw new VtrError('AGENT_NOT_IDLE', `session ${shown} has no coding agent; ${hint}`);
}

const waitOf = (agent: readonly AgentState[], timeoutMs: number): WaitRequest => ({
  agent,
  timeoutMs,
  tail: { maxLines: 0 },
});

/** Reads what a session has printed since a prompt. */
function readNew(
  { coordinator, session }: Target,
  since: string,
  flags: {
    readonly 'max-lines': number | undefined;
    readonly 'max-tokens': number | undefined;
    readonly redact: boolean;
  },
): Promise<ReadResult> {
  const { 'max-lines': maxLines, 'max-tokens': maxTokens } = flags;
  const budget = maxLines === undefined && maxTokens === undefined ? newText : {};
  const limits = defined({ maxLines, maxTokens });
  return coordinator.read(session, {
    since,
    transcript: true,
    keep: 'tail',
    ...budget,
    ...limits,
    ...redactOf(flags),
  });
}

/** The top or the bottom of a composer. */
const edge = /^\s*[╭╰┌└╹╻]?[─━═▀▄▔▁]{8,}/u;
/** What some agents show behind a prompt: when it was given. */
const clock = /\s\d{1,2}:\d{2}(?:\s?[AP]M)?[\s│┃]*$/iu;
/** A row that has nothing but the side of a box, or a scroll bar. */
const bar = /^[\s│┃]*$/u;
/** The sign in a composer. */
const sign = /^[\s│┃▌]*[❯›>»](?:\s|$)/u;
/** A composer with its frame and the rows below it has at most this many rows. */
const maxComposer = 10;
/** A row with the end of a prompt has at least this many letters, unless the prompt is shorter. */
const minLetters = 8;

/**
 * Returns what an agent has answered: of a screen, what is below the prompt and above the composer.
 *
 * @param typedText the prompt
 */
export function withoutComposer(text: Excerpt, typedText: string): Excerpt {
  const lines = text.tail.trimEnd().split('\n');
  const whole = lettersOf(typedText);
  const isEnd = (letters: string) =>
    letters.length >= Math.min(minLetters, whole.length) && whole.endsWith(letters);
  const prompt = lines.findLastIndex(
    (line) => isEnd(lettersOf(line)) || isEnd(lettersOf(line.replace(clock, ''))),
  );
  const isBoxed = prompt >= 0 && edge.test(lines[prompt + 1] ?? '');
  const from = prompt + (isBoxed ? 2 : 1);
  const below = lines.slice(from, composerAt(lines, from));
  const isText = (line: string) => !bar.test(line);
  const [first, last] = [below.findIndex(isText), below.findLastIndex(isText)];
  const answer = first < 0 ? [] : below.slice(first, last + 1);
  const rest = prompt < 0 ? {} : { head: '', omitted: null };
  return { ...text, ...rest, tail: answer.join('\n').trim() };
}

const lettersOf = (line: string): string => line.replace(/[^\p{L}\p{N}]+/gu, '');

/** Returns the first line of the composer at the end; one past the last line if there is none. */
function composerAt(lines: readonly string[], from: number): number {
  const first = Math.max(from, lines.length - maxComposer);
  const last = [...lines.keys()].slice(first);
  const [top, bottom] = last.filter((at) => edge.test(lines[at] ?? '')).slice(-2);
  if (top !== undefined && bottom !== undefined) return top;
  return last.findLast((at) => sign.test(lines[at] ?? '')) ?? lines.length;
}

const agentConditions = ['agent', 'asks'] as const;

/** Prints the question, and tells in which state the agent is. */
function tellEnd(context: Context, shown: string, wait: WaitResult): void {
  if (wait.outcome === 'awaiting_input' && wait.agent !== undefined) {
    printPlain(context, `${wait.question ?? ''}\n`);
    context.say(`session ${shown}: ${wait.agent.kind} asks; question ${wait.questionId}`);
    return;
  }
  tellWait(context, shown, wait, { printsMatch: true, conditions: agentConditions });
}

const exitOf = ({ outcome }: WaitResult): number =>
  outcome === 'awaiting_input' || outcome === 'password' ? asksExit : waitExit[outcome];

export const answer = defineVerb({
  name: 'answer',
  summary: 'answer the question that a session shows',
  args: {
    session: sessionArgument,
    option: { about: 'a choice by its text, number or key, or a text for a field' },
  },
  flags: {
    ...reach,
    ...output,
    question: text('ID', 'answer only the question with this ID; question_id in JSON has it'),
    timeout: duration('how long to wait for what comes next (default 5s)'),
    ...senderFlags,
    ...inputIdFlag,
  },
  details: [
    'Works with the dialogs of coding agents, and with fzf, dialog, whiptail, prompt libraries, select of shells, and questions that are answered by y or n. Moves the pointer to the choice, and confirms as the menu does. The beginning of a text is enough if only one choice begins so. In a list of which several can be chosen, names them with commas between them: these are marked, and no others.',
    'Refuses if no question is shown, or another one than that of --question (exit status 20), and if no choice or several have the name (2). In these cases nothing is typed. Exit status 15: the program did not take the answer.',
    `Then tells what comes next: prints the next question (exit status ${asksExit}), or tells on stderr what the program does (0). A wait that times out is not a failure: the program goes on.`,
  ],
  examples: [
    { line: 'vtr answer api yes', about: 'take the choice that begins with Yes' },
    { line: 'vtr answer api 2 --question 5f3a90c1', about: 'the second one, of this question' },
    { line: "vtr answer setup 'lint, tests'", about: 'mark two of several' },
  ],
  async run(context, { args, flags }) {
    const target = await findSession(context, args.session, flags);
    const { coordinator, session, shown } = target;
    const asJson = await wantsJson(context, flags);
    const next = { agent: ['idle', 'busy', 'asks'] as const, asks: true, prompt: true };
    const options: SendTextOptions = {
      ...senderOf(flags, 'vtr answer'),
      ...inputIdOf(flags),
      answer: true,
      ...defined({ question: flags.question }),
      wait: { ...next, timeoutMs: flags.timeout ?? nextMs, tail: { maxLines: 0 } },
    };
    const result = await asOwnDriver(context, target, flags.epoch, (driverEpoch) =>
      coordinator.sendText(session, args.option, { ...options, ...defined({ driverEpoch }) }),
    );
    const { mark, answered = args.option, wait } = result;
    const hasNext = wait?.outcome === 'awaiting_input' || wait?.outcome === 'password';
    if (asJson) {
      const end = wait === undefined ? null : waitJson(session, wait);
      printJson(context, { name: session, mark, answered, wait: end });
    } else {
      context.say(`session ${shown}: answered: ${answered}`);
      if (wait !== undefined && wait.outcome !== 'timed_out') tellEnd(context, shown, wait);
    }
    return hasNext ? asksExit : 0;
  },
});

const startFlags = {
  ...reach,
  ...output,
  cwd: programFlags.cwd,
  env: programFlags.env,
  environment: programFlags.environment,
  size: programFlags.size,
  label: programFlags.label,
  scrollback: programFlags.scrollback,
  ...worktreeFlags,
  timeout: duration('how long the agent may start (default 60s)'),
  ...inputIdFlag,
};

export const start = defineVerb({
  name: 'start',
  summary: 'start a coding agent in a new session, and wait until it can be prompted',
  args: {
    kind: { about: 'kind of the agent, such as claude or codex' },
    name: { about: 'session name, or COORDINATOR:NAME (default: generated)', optional: true },
  },
  flags: startFlags,
  rest: 'ARGS...',
  details: [
    'Starts the command of the kind with ARGS, and with the hooks of vtr for this one start if the agent takes them (Claude Code), and sets the label agent=KIND. vtr spawn --agent KIND -- PROGRAM starts another command as an agent of the kind.',
    `Prints the session name. If the agent first asks, as for trust or a login, prints the question, and exits with ${asksExit}: answer it with vtr answer. ${waitExit.timed_out}: it is not idle in time; ${waitExit.exited}: it exited. The session stays.`,
    worktreeDetails,
    environmentDetails,
  ],
  examples: [
    { line: 'vtr start claude api --cwd ~/src/api', about: 'start Claude Code in a directory' },
    { line: 'vtr start claude --worktree fix-login', about: 'in a worktree of its own' },
    { line: 'vtr start codex web -- --model gpt-5-codex', about: 'with arguments' },
  ],
  async run(context, { args, flags, rest }) {
    const at = await coordinatorForSession(context, args.name, flags);
    const asJson = await wantsJson(context, flags);
    const { name, wait, ...spawned } = await startAgent(context, args.kind, at, flags, rest ?? []);
    if (asJson) {
      const end = wait === undefined ? null : waitJson(name, wait);
      printJson(context, { ...sessionJson(at.coordinator.name, { ...spawned, name }), wait: end });
    } else {
      context.out(`${name}\n`);
      tellNotPassed(context, { ...spawned, name });
      if (wait !== undefined) tellEnd(context, name, wait);
    }
    return wait && exitOf(wait);
  },
});

/**
 * Returns the arguments that give an agent the hooks of vtr for this one start; none if it takes none.
 *
 * @param socket of the coordinator, or its address, where the agent gets none
 * @param args those of the agent
 */
export async function settingsOf(
  context: Context,
  socket: string,
  kind: string,
  args: readonly string[],
): Promise<readonly string[]> {
  if (isAddress(socket)) return [];
  const { hooksForOneStart } = await import('../hooks/agent-hooks.ts');
  const hooks = await hooksForOneStart(context, kind);
  const [option = ''] = hooks?.args ?? [];
  if (hooks === null || args.some((arg) => arg.startsWith(option))) return [];
  const file = join(dirname(stateDirectory(context, socket)), 'hooks', `${kind}.json`);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, hooks.settings, { mode: 0o600 });
  return hooks.args.map((arg) => arg.replace('{file}', file));
}

async function startAgent(
  context: Context,
  agent: string,
  { coordinator, session: name }: Awaited<ReturnType<typeof coordinatorForSession>>,
  flags: FlagValues<typeof startFlags>,
  args: readonly string[],
) {
  const settings = await settingsOf(context, coordinator.socket, agent, args);
  const request = {
    ...defined({ name }),
    ...programOf(context, { ...flags, cmd: undefined }, [], coordinator.socket),
    ...inputIdOf(flags),
    ...defined({ size: flags.size }),
    agent,
    args: [...settings, ...args],
    wait: waitOf(['idle', 'asks'], flags.timeout ?? startMs),
  };
  const placed = await inWorktree(context, flags, coordinator.socket, request);
  const { derivedName } = placed;
  return spawnAt(placed.context, coordinator, placed.request, { mayStart: true, derivedName });
}
