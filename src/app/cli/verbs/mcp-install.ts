import { toggle } from '../arguments/flags.ts';
import { installFlags } from '../arguments/shared-flags.ts';
import { noExit } from '../exit-codes.ts';
import { offerChange } from '../hooks/install-hooks.ts';
import { mcpHosts, serverChange } from '../hooks/mcp-hosts.ts';
import { defineVerb } from '../verb.ts';

const { remove, ...writing } = installFlags('the server', 'the change');

export const mcpInstall = defineVerb({
  name: 'mcp install',
  summary: 'add vtr as an MCP server to an agent or an editor',
  args: { host: { about: 'the program that gets the server', completes: mcpHosts } },
  flags: {
    remove,
    project: toggle('change the file of the project in this directory, not your own'),
    approve: toggle('let the host call all tools without asking (codex, gemini, qwen)'),
    ...writing,
  },
  details: [
    `HOST is one of ${mcpHosts.join(', ')}.`,
    'Shows the change of the file of the host, and asks before it writes it. All else in the file stays as it is, also comments. The entry is named terminal and has the full paths of Node.js and of this vtr, so that the host needs no PATH; and VTR_SOCKET, if it is set here. Fields that you have added to the entry stay.',
    'Install it again after vtr or Node.js has moved. Start the host again after a change.',
    `Exit status: ${noExit} if a change was shown and not written; 0 with --dry-run.`,
  ],
  examples: [
    { line: 'vtr mcp install claude', about: 'show the change, ask, and write it' },
    { line: 'vtr mcp install codex --approve --yes', about: 'write it without asking' },
    { line: 'vtr mcp install vscode --project', about: 'for the project in this directory' },
    { line: 'vtr mcp install gemini --remove', about: 'remove it again' },
  ],
  async run(context, { args, flags }) {
    const { project, approve, yes, 'dry-run': isTry } = flags;
    const change = await serverChange(context, args.host, {
      isRemoval: flags.remove,
      isProject: project,
      isApproved: approve,
    });
    return offerChange(context, change, isTry ? 'show' : yes ? 'write' : 'ask');
  },
});
