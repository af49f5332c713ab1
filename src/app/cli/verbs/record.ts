import { durationText } from '#base';
import { recordFormats, type SessionRecord } from '#model';
import { oneOf } from '../arguments/flags.ts';
import { reach, sessionArgument } from '../arguments/shared-flags.ts';
import { findSession } from '../coordinators/addressing.ts';
import { outputFile, outputFileFlags } from '../recordings/output-file.ts';
import { defineVerb } from '../verb.ts';

export const recordSave = defineVerb({
  name: 'record save',
  summary: 'save what happened in a session, also before now',
  args: { session: sessionArgument },
  flags: {
    ...reach,
    ...outputFileFlags,
    format: oneOf(recordFormats, 'FORMAT', 'v3 (default) or v2: asciicast; text: all lines; raw'),
  },
  details: [
    'Each session is recorded in memory, about its last 2 MiB. The file begins with the screen as it was then; stderr says when that was. The recording has markers for commands, take-overs and calls of agents, and plays in asciinema. It may contain secrets that were shown; only you can read the file.',
    'The format text has the lines as displayed, raw the bytes that the program wrote after a dump of the first screen.',
  ],
  examples: [
    { line: 'vtr record save codex -o codex.cast', about: 'save an asciicast' },
    { line: 'vtr record save codex -o - --format text | less', about: 'read what happened' },
  ],
  async run(context, { args, flags }) {
    const file = outputFile(context, flags);
    const { coordinator: client, session } = await findSession(context, args.session, flags);
    // It may be larger than one message of the client for short commands.
    const { connect } = await import('#wire/service');
    const coordinator = await connect({ socket: client.socket });
    try {
      const { format = 'v3' } = flags;
      const record = await coordinator.record(session, { format });
      file.write(record.data);
      context.say(sinceText(record));
    } finally {
      await coordinator.close();
    }
    return undefined;
  },
});

const reasons: Readonly<Record<SessionRecord['begins'], string>> = {
  start: 'the session began then',
  restart: 'the coordinator was restarted then',
  limit: 'older output was dropped',
};

function sinceText({ sinceMs, begins }: SessionRecord): string {
  const ago = durationText(Math.max(0, Date.now() - sinceMs));
  return `recorded since ${new Date(sinceMs).toISOString()} (${ago} ago): ${reasons[begins]}`;
}
