import { text, wholeNumber } from '../arguments/flags.ts';
import { output, reach, sessionArgument } from '../arguments/shared-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { driverStateJson } from '../output/session-json.ts';
import { defineVerb } from '../verb.ts';

export const give = defineVerb({
  name: 'give',
  summary: 'give a session back that a person drives',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    note: text('TEXT', 'tell the agent, which gets the text with its next input'),
    epoch: wholeNumber('N', 'only if the epoch is N', { from: 1 }),
  },
  details: [
    'Ends what vtr take began, or an attached person. The session gets its former size. The next input of an agent that remembers its epoch (MCP, --epoch) fails once, with the note and a mark from which to read what was done.',
    'Does nothing if nobody drives.',
  ],
  examples: [
    { line: 'vtr give codex', about: 'give back' },
    { line: 'vtr give codex --note "tests pass; commit"', about: 'and tell the agent' },
  ],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    const { note, epoch } = flags;
    const state = await coordinator.give(session, {
      ...(note !== undefined && { note }),
      ...(epoch !== undefined && { epoch }),
    });
    if (await wantsJson(context, flags)) {
      printJson(context, { name: session, ...driverStateJson(state) });
    }
    return undefined;
  },
});
