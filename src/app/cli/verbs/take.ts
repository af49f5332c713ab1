import { defined } from '#base';
import { text, toggle, wholeNumber } from '../arguments/flags.ts';
import { personName } from '../arguments/sender-flags.ts';
import { output, reach, sessionArgument } from '../arguments/shared-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import { forgetDrive, noteDrive } from '../input/own-drive.ts';
import { printJson, wantsJson } from '../output/printing.ts';
import { driverStateJson } from '../output/session-json.ts';
import { defineVerb } from '../verb.ts';

export const take = defineVerb({
  name: 'take',
  summary: 'take a session over as a person, and print its epoch',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    note: text('TEXT', 'tell clients that are refused meanwhile, for example why'),
    force: toggle('take it from another person, too'),
  },
  details: [
    'Until vtr give, input and resizes of others fail with NOT_DRIVER (status 14). Reading, waiting, kill and rm work.',
    'Commands of the same shell or script can type. Pass the printed number as --epoch N to type from elsewhere, or to resize. After 10 minutes without such input, the session is given back.',
    'The epoch rises whenever a person begins to type, takes over or gives back. Input with an older --epoch fails, because it was decided before a person typed.',
    'Fails with status 14 if another person holds the session.',
  ],
  examples: [
    { line: 'vtr take codex --note "fixing the merge"', about: 'take over' },
    { line: 'vtr send codex "git status" -e', about: 'type meanwhile' },
    { line: 'vtr give codex --note "merged; go on"', about: 'give back' },
  ],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    const { force, note } = flags;
    const request = { name: personName(context), force, ...defined({ note }) };
    const state = await coordinator.take(session, request);
    await noteDrive(context, { coordinator, session }, state.epoch);
    if (await wantsJson(context, flags)) {
      printJson(context, { name: session, ...driverStateJson(state) });
    } else {
      context.out(`${state.epoch}\n`);
      if (context.isTerminal) context.say(`you hold ${session} until vtr give; its epoch is above`);
    }
    return undefined;
  },
});

export const give = defineVerb({
  name: 'give',
  summary: 'give back a session that a person drives, or hand it to another person',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...output,
    note: text('TEXT', 'tell the agent, which gets the text with its next input, or that person'),
    to: text('NAME', 'hand it to a person who views it, and holds it from then on', {
      completes: 'viewer',
    }),
    epoch: wholeNumber('N', 'only if the epoch is N', { from: 1 }),
  },
  details: [
    'Ends the drive that vtr take or an attached person began. The session gets its former size. The next input of an agent that remembers its epoch (MCP, --epoch) fails once. The error has the note and a mark; reading from the mark shows what was done.',
    'Does nothing if nobody drives, unless --to names a person. vtr info SESSION lists who views it; completion knows these names. A name without its number, as in "ann (2)", or without "visitor" before it is enough if only one viewer fits. Visitors who can only watch get no session.',
  ],
  examples: [
    { line: 'vtr give codex', about: 'give back' },
    { line: 'vtr give codex --note "tests pass; commit"', about: 'and tell the agent' },
    { line: 'vtr give codex --to ann --note "enter your PIN"', about: 'hand it to Ann' },
  ],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    const { note, epoch, to } = flags;
    const name = to === undefined ? undefined : personName(context);
    const state = await coordinator.give(session, defined({ note, epoch, to, name }));
    await forgetDrive(context, { coordinator, session });
    if (to !== undefined && context.isTerminal && state.driver !== null)
      context.say(`${state.driver.name} holds ${session} now`);
    if (await wantsJson(context, flags)) {
      printJson(context, { name: session, ...driverStateJson(state) });
    }
    return undefined;
  },
});
