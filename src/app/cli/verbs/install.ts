import { quoted } from '#base';
import { isAddress, VtrError } from '#model';
import { oneOf, toggle } from '../arguments/flags.ts';
import { output } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import type { MachineThere } from '../install/package-files.ts';
import { printJson, printPlain, wantsJson } from '../output/printing.ts';
import { defineVerb } from '../verb.ts';

export const install = defineVerb({
  name: 'install',
  summary: 'copy vtr to another machine or into a container',
  args: { address: { about: 'such as ssh://gpu1 or docker://web; its socket is not used' } },
  flags: {
    ...output,
    node: oneOf(
      ['system', 'bundled'],
      'WHICH',
      'Node.js that vtr uses there: system or bundled (default: system, if it is new enough)',
    ),
    force: toggle('copy it also if it is there, and replace a command that vtr did not write'),
    'dry-run': toggle('look at the other side and say what would be copied'),
  },
  details: [
    'Copies this version to ~/.local/share/vtr/VERSION there, tries it, and makes the command ~/.local/bin/vtr. vtr --coordinator ADDRESS finds it there, whether or not that directory is in PATH. Other versions stay; vtr serve --restart on that machine makes a running daemon use this one.',
    'The other side needs sh, tar and gzip. vtr uses the Node.js in PATH there, in the PATH of a login shell, or of nvm, fnm, volta, mise, asdf or n. If there is none, or it is too old, vtr brings the official one for Linux with glibc 2.28 or newer, or macOS: npm fetches it here once (50 MB, its hash is checked), and it is copied to ~/.local/share/vtr there once, for all versions of vtr. --node bundled does so even if there is one; --node system never does.',
    'If the other side has another platform or processor than this machine, npm fetches the packages for it here.',
    'Exit status: 3 if it cannot be reached, 8 if vtr does not support the machine or Node.js is missing and cannot be brought, 10 if a file cannot be written there or a package cannot be fetched.',
  ],
  examples: [
    { line: 'vtr install ssh://gpu1', about: 'then use it: vtr ls --coordinator ssh://gpu1' },
    { line: 'vtr install docker://web --dry-run', about: 'what would be done' },
  ],
  async run(context, { args: { address }, flags }) {
    if (!isAddress(address)) {
      const message = `${quoted(address)} is not an address; for a host, give ssh://HOST`;
      throw new VtrError('INVALID_ARGUMENT', message);
    }
    const { probe, missingPackages, chosenNode, mustFetch, bringNode, pack, installThere } =
      await import('../install/install-there.ts');
    const there = await probe(context, address);
    const print = async (answer: Answer) => {
      if (await wantsJson(context, flags)) printJson(context, { address, ...answer });
      else printPlain(context, textOf(address, answer));
      return undefined;
    };
    const { version } = context;
    if (there.command?.version === version && !flags.force) {
      return print({ outcome: 'present', version, command: there.command.path });
    }
    const node = chosenNode(context, address, there, flags.node);
    const missing = missingPackages(context, node);
    if (!flags.force) checkReplaces(context, address, there);
    const { home } = there;
    const { brings } = node;
    const fetchesNode = brings !== null && mustFetch(context, brings);
    const target = {
      version,
      command: `${home}/.local/bin/vtr`,
      directory: `${home}/.local/share/vtr/${version}`,
      platform: `${node.platform}-${node.arch}`,
      node: {
        version: node.version,
        path: node.path,
        bundled: node.isBundled,
        copied: brings !== null,
      },
      fetches: [...(fetchesNode ? [`${brings.name}@${brings.version}`] : []), ...missing],
    };
    if (flags['dry-run']) return print({ outcome: 'planned', ...target });
    const packed = await pack(context, node);
    if (brings !== null) await bringNode(context, address, brings);
    const command = await installThere(context, address, home, node, packed);
    if (command?.path !== target.command) {
      const { path = 'none', version: other = null } = command ?? {};
      context.say(
        `PATH has another vtr there, which is used: ${path} (${other ?? 'does not run'})`,
      );
    }
    const { files, bytes } = packed;
    return print({ outcome: 'installed', ...target, files, bytes });
  },
});

/** What was done, or would be. */
type Answer =
  | { readonly outcome: 'present'; readonly version: string; readonly command: string }
  | {
      readonly outcome: 'planned' | 'installed';
      readonly version: string;
      readonly command: string;
      readonly directory: string;
      readonly platform: string;
      readonly node: {
        readonly version: string;
        readonly path: string;
        /** Whether `vtr install` brings it, now or before. */
        readonly bundled: boolean;
        /** Whether it does so now. */
        readonly copied: boolean;
      };
      /** Packages that npm fetches here. */
      readonly fetches: readonly string[];
      readonly files?: number;
      readonly bytes?: number;
    };

function textOf(address: string, answer: Answer): string {
  const { version, command } = answer;
  if (answer.outcome === 'present') return `vtr ${version} is already at ${address}: ${command}\n`;
  const { outcome, platform, node, fetches } = answer;
  const did = outcome === 'installed' ? 'was copied' : 'would be copied';
  const fetched = fetches.length === 0 ? '' : `; npm fetches ${fetches.join(', ')}`;
  const also = node.copied ? ' with Node.js' : '';
  return `vtr ${version}${also} ${did} to ${address}: ${command} (${platform}, Node.js ${node.version}${fetched})\n`;
}

/** @throws VtrError INVALID_ARGUMENT if vtr would replace a command that it did not write, or be hidden by one */
function checkReplaces(
  { version }: Context,
  address: string,
  { home, isOwnCommand, command }: MachineThere,
): void {
  const own = `${home}/.local/bin/vtr`;
  if (isOwnCommand === false) {
    const message = `${own} at ${address} was not written by vtr install; replace it with --force`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  if (command === null || command.path === own) return;
  const other = command.version === null ? 'does not run' : `vtr ${command.version}`;
  const message = `${command.path} at ${address} (${other}) comes before ${own} in PATH; replace it with vtr ${version} there, or copy this one in addition with --force`;
  throw new VtrError('INVALID_ARGUMENT', message);
}
