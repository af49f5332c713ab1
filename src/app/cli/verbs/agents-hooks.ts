import { installFlags, output } from '../arguments/shared-flags.ts';
import { noExit } from '../exit-codes.ts';
import { agentHooks, allAgentHooks, installableKinds } from '../hooks/agent-hooks.ts';
import { hooksChange, hooksState, offerChange } from '../hooks/install-hooks.ts';
import { printJson, printPlain, wantsJson } from '../output/printing.ts';
import { table } from '../output/table.ts';
import { defineVerb } from '../verb.ts';

export const agentsInstall = defineVerb({
  name: 'agents install',
  summary: 'let agents report themselves, by their hooks or a plugin',
  args: { kind: { about: 'kind of agents', completes: installableKinds } },
  flags: installFlags('the hooks', 'the change'),
  details: [
    `KIND is one of ${installableKinds.join(', ')}, or a kind of yours whose file has [hooks].`,
    'Shows the change of the settings of the agent, and asks before it writes it. All else in the file stays as it is. The hooks call vtr report with the full path of this vtr, for a few events: the beginning of a conversation, a prompt, a command (vtr commands lists those), a question, the end of a turn. Outside a session of vtr they do nothing, they print nothing, and they never fail.',
    'Install them again after vtr has moved. Codex asks at its next start whether you trust new hooks; /hooks in it shows them.',
    `Exit status: ${noExit} if a change was shown and not written; 0 with --dry-run.`,
  ],
  examples: [
    { line: 'vtr agents install claude', about: 'show the change, ask, and write it' },
    { line: 'vtr agents install codex --yes', about: 'write it without asking' },
    { line: 'vtr agents install claude --remove', about: 'remove them again' },
  ],
  async run(context, { args, flags: { remove, yes, 'dry-run': isTry } }) {
    const change = await hooksChange(await agentHooks(context, args.kind), remove);
    return offerChange(context, change, isTry ? 'show' : yes ? 'write' : 'ask');
  },
});

export const agentsStatus = defineVerb({
  name: 'agents status',
  summary: 'list which agents report themselves',
  args: {
    kind: { about: 'kind of agents (default: all)', optional: true, completes: installableKinds },
  },
  flags: output,
  details: [
    [
      ['installed', 'the hooks are there'],
      [
        'outdated',
        'they are of another version of vtr, or of one in another place; install them again',
      ],
      ['untrusted', 'the agent does not run them yet: Codex asks at its next start'],
      ['absent', 'they are not there'],
      ['unreadable', 'the file cannot be read or is not in the form of this agent'],
    ],
  ],
  examples: [{ line: 'vtr agents status', about: 'list all kinds' }],
  async run(context, { args, flags }) {
    const { kind: named } = args;
    const hooks =
      named === undefined ? await allAgentHooks(context) : [await agentHooks(context, named)];
    const all = hooks.map((each) => ({
      kind: each.kind,
      state: hooksState(each),
      file: each.file,
    }));
    if (await wantsJson(context, flags)) printJson(context, { hooks: all });
    else {
      const rows = all.map(({ kind, state, file }) => [kind, state, file]);
      printPlain(context, await table(['AGENT', 'HOOKS', 'FILE'], rows));
    }
    return undefined;
  },
});
