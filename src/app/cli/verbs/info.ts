import { durationText } from '#base';
import type { Activity, SessionInfo, ShellIntegration } from '#model';
import { output, reach, sessionArgument } from '../arguments/shared-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import { activityJson } from '../output/command-json.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { endedByText, lifetimeText, limitsText } from '../output/lifetime-text.ts';
import { printPlain } from '../output/plain-text.ts';
import { exitText, sessionJson } from '../output/session-json.ts';
import { defineVerb } from '../verb.ts';

export const info = defineVerb({
  name: 'info',
  summary: 'tell what a session is and does: program, size, state, exit status',
  args: { session: sessionArgument },
  flags: { ...reach, ...output },
  details: [
    'What it is doing is told with what speaks for it: the marks of its shell, the look of the prompt, who is in the foreground of its terminal, whether that one reads, and whether what is typed is shown. What this system does not tell is left out, and null in JSON.',
  ],
  examples: [
    { line: 'vtr info codex', about: 'for people' },
    { line: 'vtr info codex --json', about: 'for a program' },
  ],
  async run(context, { args, flags }) {
    const target = await findSession(context, args.session, flags);
    const { coordinator, coordinatorName, session } = target;
    const [facts, activity, { integration }] = await Promise.all([
      coordinator.info(session),
      coordinator.activity(session),
      coordinator.commands(session, { last: 1 }),
    ]);
    if (await wantsJson(context, flags)) {
      const doing = { activity: activityJson(activity), shell_integration: integration };
      printJson(context, { ...sessionJson(coordinatorName, facts), ...doing });
    } else {
      printPlain(context, infoText(coordinatorName, facts, activity, integration));
    }
    return undefined;
  },
});

function infoText(
  coordinator: string,
  facts: SessionInfo,
  activity: Activity,
  integration: ShellIntegration,
): string {
  const { size, exitStatus, lifetime = {}, limits = {}, endedBy } = facts;
  const lasting = lifetimeText(lifetime);
  const limited = limitsText(limits);
  const rows = [
    ['session', `${coordinator}:${facts.name}`],
    ['status', exitStatus === null ? facts.state : exitText(exitStatus)],
    ...(endedBy === undefined ? [] : [['ended as', endedByText(endedBy)]]),
    ['doing', activityText(activity)],
    ['shell', integrationTexts[integration]],
    ['program', [facts.program, ...facts.args].join(' ')],
    ['cwd', facts.cwd],
    facts.fedBy === undefined
      ? ['pid', String(facts.pid)]
      : ['fed by', `${facts.fedBy}; takes no input`],
    ['size', `${size.cols}×${size.rows}`],
    ['title', facts.title],
    ...(lasting === '' ? [] : [['lasts', lasting]]),
    ...(limited === '' ? [] : [['limits', limited]]),
    ['age', durationText(Date.now() - facts.createdAtMs)],
    ['id', facts.id],
  ];
  return rows
    .map(([name = '', value]) => `${name.padEnd(10)}${value}`.trimEnd())
    .join('\n')
    .concat('\n');
}

const integrationTexts: Readonly<Record<ShellIntegration, string>> = {
  integrated: 'marks its commands, as vtr made it',
  self: 'marks its commands by itself',
  none: 'no commands are marked',
};

/** `at_prompt: the shell's mark says prompt, bash (4711) in the foreground`. */
function activityText({ state, evidence }: Activity): string {
  const { shellMark, foreground, readingTerminal, echo, canonical } = evidence;
  const facts = [
    shellMark === null ? null : `the shell's mark says ${shellMark}`,
    evidence.promptPattern ? 'it looks like a prompt' : null,
    evidence.alternateScreen ? 'alternate screen' : null,
    foreground === null ? null : `${foreground.name} (${foreground.pid}) in the foreground`,
    readingTerminal === null ? null : readingTerminal ? 'which reads' : 'which does not read',
    echo === false ? 'no echo' : null,
    canonical === false ? 'key by key' : null,
  ].filter((fact) => fact !== null);
  const word = state.replaceAll('_', ' ');
  return facts.length === 0 ? word : `${word}: ${facts.join(', ')}`;
}
