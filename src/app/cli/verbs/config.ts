import { type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { defined, isGlob, nearMisses, quoted, shellQuoted } from '#base';
import {
  addCoordinator,
  type ConfiguredCoordinator,
  clientConfigFile,
  expandHome,
  nameOfPlace,
  removeCoordinator,
  resolvePlace,
} from '#config';
import { isAddress, isSelector, parseAddress, VtrError } from '#model';
import { text } from '../arguments/flags.ts';
import { output } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { knownCoordinators } from '../coordinators/known-coordinators.ts';
import { tellError } from '../output/messages.ts';
import { printJson, printPlain, wantsJson } from '../output/printing.ts';
import { table } from '../output/table.ts';
import { defineVerb } from '../verb.ts';

const path = { about: 'socket path, a glob in quotes, or an address', completes: 'file' } as const;

export const configLs = defineVerb({
  name: 'config ls',
  summary: 'list configured coordinators',
  args: {},
  flags: output,
  examples: [{ line: 'vtr config ls', about: 'print paths, globs and addresses as written' }],
  async run(context, { flags }) {
    const { coordinators } = await context.config();
    if (await wantsJson(context, flags)) {
      const file = clientConfigFile(context);
      printJson(context, { file, coordinators: coordinators.map(configuredJson) });
    } else {
      for (const { place, name } of coordinators) {
        printPlain(context, name === undefined ? `${place}\n` : `${place} (${name})\n`);
      }
    }
    return undefined;
  },
});

export const configAdd = defineVerb({
  name: 'config add',
  summary: 'add a coordinator by socket path, glob or address',
  args: { path },
  flags: {
    name: text('NAME', 'its name in COORDINATOR:NAME (default: of the socket, host or container)'),
  },
  details: [
    'Addresses: ssh://[USER@]HOST[:PORT][/SOCKET], docker://CONTAINER[/SOCKET], podman://CONTAINER[/SOCKET], kube://[CONTEXT@]NAMESPACE/POD[/CONTAINER]. Without SOCKET, the other side uses its own default. vtr runs ssh, docker, podman or kubectl with your configuration, and vtr connect there.',
    "Instead of CONTAINER or POD, a glob such as 'web-*' or labels select all that run: docker://label=KEY=VALUE,label=KEY, kube://NAMESPACE/KEY=VALUE. Each is a coordinator with its own name.",
    'exec:COMMAND is not accepted in the configuration, only by --coordinator and VTR_SOCKET.',
  ],
  examples: [
    { line: "vtr config add '/var/run/vtr/*.sock'", about: 'add all sockets in a directory' },
    { line: 'vtr config add ~/.vtr/project-a.sock', about: 'add one socket' },
    { line: 'vtr config add ssh://gpu1 --name gpu', about: 'add another machine' },
    { line: 'vtr config add kube://ci/app=agent', about: 'add the pods with a label' },
  ],
  async run(context, { args, flags: { name } }) {
    const place = asWritten(context, args.path);
    if (!isAddress(place)) checkIsSocket(context, place, args.path);
    checkMayBeSaved(place, name);
    if (!(await addCoordinator(context, { place, ...defined({ name }) }))) {
      context.say(`${place} is already in ${clientConfigFile(context)}`);
    }
    return undefined;
  },
});

export const configRm = defineVerb({
  name: 'config rm',
  summary: 'remove a coordinator from the configuration',
  args: { path },
  flags: {},
  examples: [
    {
      line: "vtr config rm '/var/run/vtr/*.sock'",
      about: 'use the text that vtr config ls prints',
    },
  ],
  async run(context, { args }) {
    for (const written of new Set([args.path, asWritten(context, args.path)])) {
      if (await removeCoordinator(context, written)) return undefined;
    }
    const { coordinators } = await context.config();
    const near = nearMisses(
      args.path,
      coordinators.flatMap(({ place, name }) => [place, ...(name === undefined ? [] : [name])]),
    );
    const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'list with vtr config ls';
    throw new VtrError('INVALID_ARGUMENT', `${args.path} is not configured; ${hint}`);
  },
});

export const configResolve = defineVerb({
  name: 'config resolve',
  summary: 'list configured sockets',
  args: {},
  flags: output,
  details: [
    'Lists your own coordinator first, then the sockets that match each configured path or glob, and the containers and pods that run.',
  ],
  examples: [{ line: 'vtr config resolve', about: 'print name, socket and source' }],
  async run(context, { flags }) {
    const all = await knownCoordinators(context);
    const reachable = all.filter(({ failure }) => failure === undefined);
    for (const { failure } of all) if (failure !== undefined) tellError(context, failure);
    if (await wantsJson(context, flags)) {
      const coordinators = reachable.map(({ name, socket, pattern }) => ({
        name,
        socket,
        pattern,
      }));
      printJson(context, { coordinators });
    } else {
      const rows = reachable.map(({ name, socket, pattern }) => [
        name,
        socket,
        pattern ?? 'your own',
      ]);
      printPlain(context, await table(['COORDINATOR', 'SOCKET', 'FROM'], rows));
    }
    return undefined;
  },
});

/**
 * Refuses files that are not sockets. A path that does not exist yet is accepted, but not a word such as the
 * name of a host.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
function checkIsSocket(context: Context, written: string, text: string): void {
  if (/^~[^/]/.test(text)) {
    const hint = `only ~/ stands for a home directory; give the whole path, or ./${text}`;
    throw new VtrError('INVALID_ARGUMENT', `${text}: ${hint}`);
  }
  const path = resolve(expandHome(written, context));
  const stat = statOrNull(path);
  if (stat === null) checkIsPath(text);
  if (stat === null || stat.isSocket()) return;
  const problem = stat.isDirectory()
    ? `a directory; add the sockets in it with vtr config add ${shellQuoted(`${path}/*.sock`)}`
    : 'not a socket';
  throw new VtrError('INVALID_ARGUMENT', `${path} is ${problem}`);
}

/** @throws VtrError INVALID_ARGUMENT */
function checkIsPath(text: string): void {
  if (text.includes('/') || isGlob(text) || text.endsWith('.sock')) return;
  const host = text.replace(/^[a-z]+:/, '');
  throw new VtrError(
    'INVALID_ARGUMENT',
    `${quoted(text)} is neither the path of a socket nor an address; for a host, give ssh://${host}; for a container, docker://${host}; for a socket in this directory, ./${text}`,
  );
}

/** Returns null if the path does not exist or cannot be examined. */
function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** Makes a relative path absolute: it would mean another socket in each directory. */
const asWritten = (context: Context, text: string): string =>
  text.startsWith('~') ? text : resolvePlace(text, context.cwd);

const configuredJson = ({ place, name }: ConfiguredCoordinator) => ({
  ...(isAddress(place) ? { address: place } : { path: place }),
  ...defined({ name }),
});

/** @throws VtrError INVALID_ARGUMENT */
function checkMayBeSaved(place: string, text: string | undefined): void {
  const isAt = isAddress(place);
  if (isAt ? isSelector(place) : isGlob(place)) {
    if (text === undefined) return;
    const message = `${place} stands for several coordinators, which have the names of their ${isAt ? 'containers' : 'sockets'}; leave out --name`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  if (isAt && parseAddress(place).kind === 'exec') {
    const message = `${place} cannot be saved, because files may be written by others; use --coordinator or VTR_SOCKET`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  if (text === undefined && !isAt) return;
  const name = text ?? nameOfPlace(place);
  if (/^\w[\w.-]*$/.test(name)) return;
  const message = `the name ${quoted(name)} is not valid; give letters, digits, ., _ and - with --name`;
  throw new VtrError('INVALID_ARGUMENT', message);
}
