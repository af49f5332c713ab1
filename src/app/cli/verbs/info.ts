import { durationText } from '#base';
import {
  type Activity,
  type AgentInfo,
  type CommandList,
  counted,
  type Driver,
  exitText,
  type FileRecording,
  programStatusText,
  type SessionInfo,
  type ShellIntegration,
  spaced,
  takesOver,
  type Viewer,
  VtrError,
} from '#model';
import { toggle } from '../arguments/flags.ts';
import { labelsText } from '../arguments/label-flags.ts';
import { output, reach, redaction, redactOf, sessionArgument } from '../arguments/shared-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import {
  endedByText,
  lifetimeText,
  limitsText,
  pausedText,
  savedText,
} from '../output/lifetime-text.ts';
import {
  printJson,
  printPlain,
  redactedJson,
  tellRedacted,
  wantsJson,
} from '../output/printing.ts';
import {
  activityJson,
  agentJson,
  attentionJson,
  placeJson,
  programStatusJson,
  sessionJson,
} from '../output/session-json.ts';
import { attentionLine } from '../output/session-table.ts';
import { defineVerb } from '../verb.ts';

export const info = defineVerb({
  name: 'info',
  summary: 'show the program, size, activity and exit status of a session',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    ...redaction,
    viewers: toggle('print only the names that vtr give --to accepts, one per line'),
  },
  details: [
    'The activity is shown with its evidence: the mark of the shell, whether the text before the cursor looks like a prompt, the foreground process of the terminal, whether that process is reading, and whether the terminal echoes. Evidence that this system does not provide is omitted; it is null in JSON.',
    'agent is the coding agent in the foreground: idle (it can be prompted), busy, asks or unknown, with the evidence. See docs/agents.md.',
    'attention (kind, since, evidence) says why the session needs a person. In JSON, it also has guess (true if only the text shows that the program asks) and the menu that the program shows: title, options, selected, multiple, checked, button (the button of a dialog that has the focus) and keys.',
  ],
  examples: [
    { line: 'vtr info codex', about: 'print text' },
    { line: 'vtr info codex --json', about: 'print JSON' },
  ],
  async run(context, { args, flags }) {
    const target = await findSession(context, args.session, flags);
    const { coordinator, coordinatorName, session } = target;
    if (flags.viewers) {
      if (flags.json) throw new VtrError('INVALID_ARGUMENT', '--viewers prints no JSON');
      const { viewers = [] } = await coordinator.info(session);
      for (const viewer of viewers) if (takesOver(viewer)) context.out(`${viewer.name}\n`);
      return undefined;
    }
    const [facts, activity, list] = await Promise.all([
      coordinator.info(session, { activity: true, ...redactOf(flags) }),
      coordinator.activity(session),
      coordinator.commands(session, { last: 1, ...redactOf(flags) }),
    ]);
    if (await wantsJson(context, flags)) {
      const doing = {
        activity: activityJson(activity),
        ...placeJson(facts),
        attention: attentionJson(facts),
        agent: agentJson(facts),
        program_status: programStatusJson(facts),
        shell_integration: list.integration,
        integration_reason: list.integrationReason ?? null,
        sizing: facts.sizing ?? 'latest',
      };
      printJson(context, {
        ...sessionJson(coordinatorName, facts),
        ...doing,
        ...redactedJson(facts),
      });
    } else {
      printPlain(context, infoText(coordinatorName, facts, activity, list));
      tellRedacted(context, facts);
    }
    return undefined;
  },
});

function infoText(
  coordinator: string,
  facts: SessionInfo,
  activity: Activity,
  { integration, integrationReason: reason }: CommandList,
): string {
  const { size, sizing, exitStatus, lifetime = {}, limits = {}, endedBy, persist, paused } = facts;
  const lasting = lifetimeText(lifetime);
  const limited = limitsText(limits);
  const rows = [
    ['session', `${coordinator}:${facts.name}`],
    ['status', exitStatus === null ? facts.state : exitText(exitStatus)],
    ...(endedBy === undefined ? [] : [['ended', endedByText(endedBy)]]),
    ['activity', activityText(activity)],
    ...(facts.agent === undefined ? [] : [['agent', agentText(facts.agent)]]),
    ...(facts.programStatus === undefined
      ? []
      : [['says', programStatusText(facts.programStatus)]]),
    ...(facts.attention === undefined || exitStatus !== null
      ? []
      : [['attention', attentionLine(facts.attention)]]),
    ['shell', `${integrationTexts[integration]}${reason === undefined ? '' : `: ${reason}`}`],
    ['program', [facts.program, ...facts.args].join(' ')],
    ['cwd', facts.cwd],
    ...placeRows(facts),
    facts.fedBy === undefined
      ? ['pid', String(facts.pid)]
      : ['fed by', `${facts.fedBy}; read-only`],
    ['size', `${size.cols}×${size.rows}${sizing === undefined ? '' : `, ${sizing}`}`],
    ...(facts.driver === undefined ? [] : [['driver', driverText(facts.driver)]]),
    ...(facts.viewers ?? []).map((viewer) => ['viewer', viewerText(viewer)]),
    ['title', facts.title],
    ...(facts.labels === undefined ? [] : [['labels', labelsText(facts.labels)]]),
    ...(lasting === '' ? [] : [['lifetime', lasting]]),
    ...(limited === '' ? [] : [['limits', limited]]),
    ...(persist === undefined ? [] : [['saved', savedText(persist)]]),
    ...(facts.restored === 'partly' ? [['restored', 'partly: older output is missing']] : []),
    ...(paused === undefined ? [] : [['paused', pausedText(paused)]]),
    ...(facts.droppedReplyBytes === undefined
      ? []
      : [['replies', `${facts.droppedReplyBytes} bytes dropped: the program did not read them`]]),
    ...(facts.recording === undefined ? [] : [['recording', recordingText(facts.recording)]]),
    ['age', durationText(Date.now() - facts.createdAtMs)],
    ['id', facts.id],
  ];
  return rows
    .map(([name = '', value]) => `${name.padEnd(10)}${value}`.trimEnd())
    .join('\n')
    .concat('\n');
}

/** `codex: busy for 12s, turn 3; title-spins: ⠋ Look | project`. */
function agentText(agent: AgentInfo): string {
  const { kind, state, sinceMs, turn, background = 0, commands, evidence } = agent;
  const behind = background === 0 ? '' : `, ${counted(background, 'task')} in the background`;
  const why = evidence.map(({ rule, text }) => (text === '' ? rule : `${rule}: ${text}`));
  const since = durationText(Date.now() - sinceMs);
  const runs = commands?.running ? `, ${commands.running} not ended` : '';
  const ran = commands === undefined ? '' : `, ran ${counted(commands.count, 'command')}${runs}`;
  return [`${kind}: ${state} for ${since}, turn ${turn}${behind}${ran}`, ...why].join('; ');
}

/** The current directory, if it is another one than at the start, and its branch. */
function placeRows({ cwd, activity }: SessionInfo): string[][] {
  const { directory = null, branch } = activity ?? {};
  return [
    ...(directory === null || directory === cwd ? [] : [['directory', directory]]),
    ...(branch === undefined ? [] : [['branch', branch]]),
  ];
}

const integrationTexts: Readonly<Record<ShellIntegration, string>> = {
  integrated: "commands are marked by vtr's shell integration",
  self: "commands are marked without vtr's shell integration: unverified",
  none: 'commands are not marked',
};

const recordingText = ({ state, file, reason }: FileRecording): string =>
  `${state}, ${file}${reason === undefined ? '' : `: ${reason}`}`;

function driverText({ kind, name, sinceMs, handedBy }: Driver): string {
  const from = handedBy === undefined ? '' : `, from ${handedBy}`;
  return `${name} (${kind}${from}) for ${durationText(Date.now() - sinceMs)}`;
}

function viewerText({ name, kind, sinceMs, size, watches, readOnly }: Viewer): string {
  const how = readOnly ? ', can only watch' : watches ? ', watches' : '';
  const where = `${kind}, ${size.cols}×${size.rows}${how}`;
  return `${name} (${where}) for ${durationText(Date.now() - sinceMs)}`;
}

/** `at prompt: last shell mark: prompt, bash (4711) in the foreground`. */
function activityText({ state, evidence }: Activity): string {
  const { shellMark, foreground, readingTerminal, echo, canonical } = evidence;
  const facts = [
    shellMark === null ? null : `last shell mark: ${shellMark}`,
    evidence.promptPattern ? 'looks like a prompt' : null,
    evidence.alternateScreen ? 'alternate screen' : null,
    foreground === null ? null : `${foreground.name} (${foreground.pid}) in the foreground`,
    readingTerminal === null ? null : readingTerminal ? 'reading input' : 'not reading input',
    echo === false ? 'no echo' : null,
    canonical === false ? 'noncanonical mode' : null,
  ].filter((fact) => fact !== null);
  const word = spaced(state);
  // The rest would be of the time before.
  if (state === 'exited') return word;
  return facts.length === 0 ? word : `${word}: ${facts.join(', ')}`;
}
