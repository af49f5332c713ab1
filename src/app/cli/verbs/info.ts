import { durationText } from '#base';
import type { SessionInfo } from '#model';
import { findSession } from '../addressing.ts';
import { output, reach } from '../common-flags.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { printPlain } from '../output/plain-text.ts';
import { exitText, sessionJson } from '../output/session-json.ts';
import { sessionArgument } from '../session-argument.ts';
import { defineVerb } from '../verb.ts';

export const info = defineVerb({
  name: 'info',
  summary: 'tell what a session is: program, size, state, exit status',
  args: { session: sessionArgument },
  flags: { ...reach, ...output },
  examples: [
    { line: 'vtr info codex', about: 'for people' },
    { line: 'vtr info codex --json', about: 'for a program' },
  ],
  async run(context, { args, flags }) {
    const target = await findSession(context, args.session, flags);
    const facts = await target.coordinator.info(target.session);
    if (await wantsJson(context, flags)) {
      printJson(context, sessionJson(target.coordinatorName, facts));
    } else {
      printPlain(context, infoText(target.coordinatorName, facts));
    }
    return undefined;
  },
});

function infoText(coordinator: string, facts: SessionInfo): string {
  const { size, exitStatus } = facts;
  const rows = [
    ['session', `${coordinator}:${facts.name}`],
    ['status', exitStatus === null ? facts.state : exitText(exitStatus)],
    ['program', [facts.program, ...facts.args].join(' ')],
    ['cwd', facts.cwd],
    ['pid', String(facts.pid)],
    ['size', `${size.cols}×${size.rows}`],
    ['title', facts.title],
    ['age', durationText(Date.now() - facts.createdAtMs)],
    ['id', facts.id],
  ];
  return rows
    .map(([name = '', value]) => `${name.padEnd(10)}${value}`.trimEnd())
    .join('\n')
    .concat('\n');
}
