import { durationText } from '#base';
import { toggle } from '../arguments/flags.ts';
import { output, reach } from '../arguments/shared-flags.ts';
import { listSessions } from '../coordinators/addressing.ts';
import { printJson, wantsJson } from '../output/json.ts';
import { printPlain } from '../output/plain-text.ts';
import { sessionJson } from '../output/session-json.ts';
import { table } from '../output/table.ts';
import { defineVerb } from '../verb.ts';

export const ls = defineVerb({
  name: 'ls',
  summary: 'list the sessions of all coordinators',
  args: {},
  flags: { ...reach, ...output, names: toggle('print only the names, one per line') },
  details: [
    'A coordinator that does not answer is skipped with a message on stderr; if --coordinator names it, the command fails. Your own coordinator is not started.',
  ],
  examples: [
    { line: 'vtr ls', about: 'print a table' },
    { line: 'vtr ls --json', about: 'print JSON' },
  ],
  async run(context, { flags }) {
    const answers = await listSessions(context, flags.coordinator);
    const all = answers.flatMap(({ coordinator, sessions }) =>
      sessions.map((info) => ({ coordinator: coordinator.name, info })),
    );
    if (flags.names) {
      for (const { info } of all) printPlain(context, `${info.name}\n`);
    } else if (await wantsJson(context, flags)) {
      const sessions = all.map(({ coordinator, info }) => sessionJson(coordinator, info));
      printJson(context, { sessions });
    } else {
      const nowMs = Date.now();
      const rows = all.map(({ coordinator, info }) => [
        coordinator,
        info.name,
        info.state,
        `${info.size.cols}×${info.size.rows}`,
        durationText(nowMs - info.createdAtMs),
      ]);
      printPlain(context, table(['COORDINATOR', 'SESSION', 'STATUS', 'COLS×ROWS', 'AGE'], rows));
    }
    return undefined;
  },
});
