import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { defined, durationText } from '#base';
import { makeDirectoryOf, overwriteFile } from '#config';
import {
  type AgentExplanation,
  type Cell,
  cellsText,
  type ExplainedAgent,
  type ExplainedClaim,
  type ScreenSnapshot,
  VtrError,
} from '#model';
import { isExecutable } from '#trust';
import { text, timeRef, toggle } from '../arguments/flags.ts';
import { output, reach, redaction, redactOf, sessionArgument } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { findSession } from '../coordinators/addressing.ts';
import { listMatching } from '../coordinators/selection.ts';
import { printJson, printPlain, tellRedacted, wantsJson } from '../output/printing.ts';
import { agentJson } from '../output/session-json.ts';
import { table } from '../output/table.ts';
import { defineVerb } from '../verb.ts';

type Kind = Awaited<ReturnType<typeof kindsOf>>['kinds'][number];

const kindFlag = text('KIND', 'the kind whose rules are used (default: that of the session)');

export const agents = defineVerb({
  name: 'agents',
  summary: 'list the kinds of coding agents, and the sessions of each',
  args: {},
  flags: { coordinator: reach.coordinator, ...output },
  details: [
    'CHECKED WITH has the versions with which the rules of a kind were tried, and RULES where they are from. IN PATH is the version of the program, if its package tells it; "the rules are older" if it is newer than all of those versions.',
    'Files in ~/.config/vtr/agents add kinds and change rules; see docs/agents.md. What is wrong with a file is printed to stderr. Kinds and files are those of this machine.',
  ],
  examples: [
    { line: 'vtr agents', about: 'print a table' },
    { line: 'vtr agents explain api', about: 'tell why the agent in a session is idle, or asks' },
  ],
  async run(context, { flags }) {
    const { kinds, problems } = await kindsOf(context);
    const answers = await listMatching(context, [], { ...flags, label: [] }, { activity: false });
    const sessions = answers.flatMap(({ coordinator, sessions: infos }) =>
      infos.map((info) => ({ coordinator: coordinator.name, info })),
    );
    const listed = kinds.map((kind) => ({
      kind,
      found: programInPath(kind, context),
      sessions: sessions.filter(({ info }) => info.agent?.kind === kind.kind),
    }));
    if (await wantsJson(context, flags)) {
      printJson(context, {
        kinds: listed.map(({ kind, found, sessions: own }) => ({
          ...kindJson(toldKind(kind)),
          program: found?.path ?? null,
          version: found?.version ?? null,
          older: isOlder(kind, found?.version),
          sessions: own.map(({ coordinator, info }) => ({ coordinator, name: info.name })),
        })),
        problems,
      });
      return undefined;
    }
    const rows = listed.map(({ kind, found, sessions: own }) => [
      kind.kind,
      kind.name,
      kind.checkedWith.join(', ') || '-',
      kind.source,
      found === null ? '-' : `${found.version ?? 'found'}${olderText(kind, found.version)}`,
      own.map(({ info }) => `${info.name} (${info.agent?.state})`).join(', '),
    ]);
    const heads = ['KIND', 'NAME', 'CHECKED WITH', 'RULES', 'IN PATH', 'SESSIONS'];
    context.out(await table(heads, rows));
    for (const problem of problems) context.say(problem);
    return undefined;
  },
});

export const agentsExplain = defineVerb({
  name: 'agents explain',
  summary: 'tell which evidence decides the state of an agent',
  args: { session: { ...sessionArgument, optional: true } },
  flags: {
    ...reach,
    ...output,
    ...redaction,
    at: timeRef('explain the screen of TIME: 10:32:05, -30s, marker:NAME or command:7'),
    file: text('SCREEN', 'explain a screen that vtr agents save wrote', { completes: 'file' }),
    agent: kindFlag,
  },
  details: [
    'The daemon explains the state that vtr ls, vtr wait and vtr prompt use, at one moment. It prints the claims that decide it; the other claims, and why each of them does not decide; rules that nearly match; and the regions in which rules look. Behind a claim are its region, the file of its rule, and for how long it has been seen.',
    'With --at, --file or the --agent of another kind, the screen alone is explained. A screen has no time: what moves, titles that were replaced and what the agent says itself (OSC 7501) are not on it.',
  ],
  examples: [
    { line: 'vtr agents explain api', about: 'explain the state of now' },
    { line: 'vtr agents explain api --at -30s', about: 'explain the screen of 30 s ago' },
    {
      line: 'vtr agents explain --file report/screen.json --agent codex',
      about: 'explain a saved screen by the rules of Codex',
    },
  ],
  async run(context, { args, flags }) {
    const { session, ...explained } = await explainedBy(context, args.session, flags);
    const { agent, kind } = explained;
    if (await wantsJson(context, flags)) {
      printJson(context, {
        ...defined({ session }),
        kind: kind === undefined ? null : kindJson(kind),
        agent: agentJson(defined({ agent })),
        screen: explanationJson(explained),
        ...defined({ redacted: explained.redacted }),
      });
    } else {
      printPlain(context, explainedText(explained));
      tellRedacted(context, explained);
    }
    return undefined;
  },
});

export const agentsSave = defineVerb({
  name: 'agents save',
  summary: 'save the screen of an agent for a report',
  args: {
    session: sessionArgument,
    directory: { about: 'where the files are written', completes: 'file' },
  },
  flags: { ...reach, agent: kindFlag },
  details: [
    'Writes screen.txt (rows), screen.ansi (rows with colours) and screen.json: cells, cursor, title, the agent with its evidence, and what the screen tells. vtr agents explain --file reads screen.json.',
    'Known secrets are replaced, as with --redact. Look at the files before you publish them: other private text stays.',
  ],
  examples: [{ line: 'vtr agents save api report', about: 'write three files to ./report' }],
  async run(context, { args, flags }) {
    const { coordinator, session } = await findSession(context, args.session, flags);
    const redact = true;
    const info = await coordinator.info(session, { activity: true, redact });
    const screen = await coordinator.screen(session, { format: 'cells', redact });
    const ansi = await coordinator.screen(session, { format: 'ansi', redact });
    const kind = await kindFor(context, flags.agent, info.agent?.kind);
    const options = defined({ kind: flags.agent });
    const explained = await coordinator.explainAgent(session, { ...options, redact });
    const saved = {
      vtr: context.version,
      kind: kind === null ? null : kindJson(toldKind(kind)),
      agent: agentJson(info),
      screen: { ...screen, cells: screen.cells?.map(withoutBlankEnd) },
      explained: explanationJson(explained),
    };
    const directory = resolve(context.cwd, args.directory);
    const files = {
      'screen.json': JSON.stringify(saved),
      'screen.ansi': ansi.text.join('\n'),
      'screen.txt': (screen.cells ?? []).map(cellsText).join('\n'),
    };
    for (const [name, content] of Object.entries(files)) {
      const file = join(directory, name);
      makeDirectoryOf(file);
      overwriteFile(file, `${content}\n`);
      context.out(`${file}\n`);
    }
    tellRedacted(context, screen);
    return undefined;
  },
});

export const agentsUpdate = defineVerb({
  name: 'agents update',
  summary: 'take newer files of kinds from a file, a directory or a package',
  args: {
    source: {
      about: 'a file, or a package: an archive (.tgz) or a directory with *.toml or agents/*.toml',
      optional: true,
      completes: 'file',
    },
  },
  flags: {
    'dry-run': toggle('print what changes, and change nothing'),
    remove: toggle('remove what was taken, and use the files of vtr again'),
  },
  details: [
    'Each file replaces that of vtr for its kind; your own files in ~/.config/vtr/agents still come after it. All files are checked first: if one is wrong, nothing changes. vtr never takes files by itself.',
    'A package is a directory, such as one that npm has installed, or an archive that npm pack has made. An archive with a link, a device or a path that leads outside is refused.',
  ],
  examples: [
    { line: 'vtr agents update ./node_modules/my-kinds --dry-run', about: 'print what changes' },
    { line: 'vtr agents update codex.toml', about: 'take one file' },
    { line: 'vtr agents update my-kinds-1.2.0.tgz', about: 'take those of a package' },
    { line: 'vtr agents update --remove', about: 'use the files of vtr again' },
  ],
  async run(context, { args, flags }) {
    const { readKindUpdates, removeKindUpdates, takeKindUpdates } = await import('#app/daemon');
    if ((args.source === undefined) !== flags.remove) {
      throw new VtrError('INVALID_ARGUMENT', 'name a file or directory, or use --remove alone');
    }
    if (args.source === undefined) {
      for (const kind of removeKindUpdates(context)) context.out(`${kind}: removed\n`);
      return undefined;
    }
    const source = resolve(context.cwd, args.source);
    const updates = await readKindUpdates(context, context.version, source);
    for (const { kind, changes } of updates) {
      const lines = changes.length === 0 ? ['nothing changes'] : changes;
      for (const line of lines) printPlain(context, `${kind}: ${line}\n`);
    }
    if (!flags['dry-run']) takeKindUpdates(context, updates);
    return undefined;
  },
});

async function kindsOf(context: Context) {
  const { readAgentKinds } = await import('#app/daemon');
  return readAgentKinds(context, context.version);
}

/**
 * Returns the named kind, or the one that a session has; null if that is not known here. Tells what is wrong with files.
 *
 * @throws VtrError INVALID_ARGUMENT if there is no kind with that name
 */
async function kindFor(
  context: Context,
  named: string | undefined,
  own: string | undefined,
): Promise<Kind | null> {
  const { kinds, problems } = await kindsOf(context);
  for (const problem of problems) context.say(problem);
  const agentKind = kinds.find(({ kind }) => kind === (named ?? own));
  if (agentKind !== undefined || named === undefined) return agentKind ?? null;
  throw new VtrError('INVALID_ARGUMENT', `there is no kind ${named}; see vtr agents`);
}

/** Leaves out the cells at the end of a row that show nothing. */
const withoutBlankEnd = (cells: readonly Cell[]): readonly Cell[] =>
  cells.slice(0, cells.findLastIndex((cell) => !isBlank(cell)) + 1);

const isBlank = ({ text: shown, style: { bg, inverse } }: Cell): boolean =>
  shown.trim() === '' && bg === null && !inverse;

interface ExplainFlags {
  readonly coordinator?: string | undefined;
  readonly at?: string | undefined;
  readonly file?: string | undefined;
  readonly agent?: string | undefined;
  readonly redact: boolean;
}

type Explained = ExplainedAgent & { readonly session?: string };

/** Asks the daemon about a session of now, and explains other screens here. */
async function explainedBy(
  context: Context,
  address: string | undefined,
  flags: ExplainFlags,
): Promise<Explained> {
  const { at, file, agent } = flags;
  if (file !== undefined) {
    const { screen, kind } = savedScreen(context, file, address);
    return explainedScreen(screen, await kindFor(context, agent, kind));
  }
  if (address === undefined) throw new VtrError('INVALID_ARGUMENT', 'name a session, or --file');
  const { coordinator, session } = await findSession(context, address, flags);
  const options = redactOf(flags);
  if (at === undefined) {
    const kind = defined({ kind: agent });
    return { session, ...(await coordinator.explainAgent(session, { ...kind, ...options })) };
  }
  const { agent: own } = await coordinator.info(session, options);
  const screen = await coordinator.screen(session, { format: 'cells', at, ...options });
  const kind = await kindFor(context, agent, own?.kind);
  const { redacted } = screen;
  return { session, ...(await explainedScreen(screen, kind)), ...defined({ redacted }) };
}

interface SavedScreen {
  readonly screen: ScreenSnapshot;
  readonly kind?: string;
}

/** @throws VtrError INVALID_ARGUMENT, IO_ERROR */
function savedScreen(context: Context, file: string, session: string | undefined): SavedScreen {
  if (session !== undefined) {
    throw new VtrError('INVALID_ARGUMENT', 'a session and --file cannot be used together');
  }
  const path = resolve(context.cwd, file);
  let read: { readonly screen?: ScreenSnapshot; readonly kind?: { readonly kind: string } | null };
  try {
    read = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const { message } = error as Error;
    throw new VtrError('INVALID_ARGUMENT', `${path} cannot be read: ${message}`, { cause: error });
  }
  const { screen, kind } = read;
  const isScreen = Array.isArray(screen?.cells) && typeof screen.cursor?.row === 'number';
  if (screen !== undefined && isScreen) return { screen, ...defined({ kind: kind?.kind }) };
  throw new VtrError('INVALID_ARGUMENT', `${path} is no screen that vtr agents save wrote`);
}

async function explainedScreen(
  { cells = [], cursor, title }: ScreenSnapshot,
  kind: Kind | null,
): Promise<ExplainedAgent> {
  const { explainScreen } = await import('#app/daemon');
  const rowCells = (row: number): readonly Cell[] => cells[row] ?? [];
  const screen = { rows: cells.map(cellsText), cells: rowCells, cursor };
  const explanation = explainScreen(screen, { title: title || null, earlierTitles: [] }, kind);
  return { ...defined({ kind: kind === null ? undefined : toldKind(kind) }), ...explanation };
}

type ToldKind = NonNullable<ExplainedAgent['kind']>;

const toldKind = ({ kind, name, checkedWith, source }: Kind): ToldKind => ({
  kind,
  name,
  checkedWith,
  rules: source,
});

const kindJson = ({ kind, name, checkedWith, rules }: ToldKind) => ({
  kind,
  name,
  checked_with: checkedWith,
  rules,
});

const explanationJson = ({
  state,
  background,
  claims,
  near,
  regions,
  ...facts
}: AgentExplanation) => ({
  state,
  doubt: facts.doubt ?? null,
  still_ms: facts.stillMs ?? null,
  background,
  claims: claims.map(({ ageMs = null, lost = null, ...claim }) => ({
    ...claim,
    age_ms: ageMs,
    lost,
  })),
  near,
  rows: Object.fromEntries(regions.map(({ where, rows }) => [where, rows])),
});

function explainedText({ agent, kind, state, doubt, claims, near, regions }: Explained): string {
  const lines: string[] = [];
  if (kind !== undefined) {
    const { checkedWith } = kind;
    const checked =
      checkedWith.length === 0 ? 'not checked' : `checked with ${checkedWith.join(', ')}`;
    lines.push(`${kind.kind} (${kind.name}); rules: ${kind.rules}, ${checked}`);
  }
  const why = doubt === undefined ? '' : `: ${doubt}`;
  if (agent === undefined) lines.push(`by the screen alone: ${state}${why}`);
  else lines.push(`${agent.state} for ${durationText(Date.now() - agent.sinceMs)}${why}`);
  const losers = claims.filter(({ lost }) => lost !== undefined);
  const deciding = claims.filter(({ lost }) => lost === undefined);
  lines.push(...deciding.map((claim) => `  ${claimText(claim)}`));
  if (claims.length === 0) lines.push('  nothing tells a state');
  if (losers.length > 0) lines.push('other claims:');
  for (const claim of losers) lines.push(`  ${claimText(claim)} - ${claim.lost}`);
  if (near.length > 0) lines.push('near:');
  for (const { state: claimed, rule, text, file, why: reason } of near) {
    lines.push(`  ${claimed} ${rule}: ${text}${partsText(file)} - ${reason}`);
  }
  lines.push('regions:');
  for (const { where, rows } of regions) {
    lines.push(...rows.map((row, at) => `  ${(at === 0 ? where : '').padEnd(9)}${row}`));
  }
  return `${lines.join('\n')}\n`;
}

function claimText({ state, strength, rule, text, ...claim }: ExplainedClaim): string {
  const age = claim.ageMs === undefined ? undefined : durationText(claim.ageMs);
  const shown = text === '' ? '' : `: ${text}`;
  return `${state} ${strength} ${rule}${shown}${partsText(claim.where, claim.file, age)}`;
}

function partsText(...parts: readonly (string | undefined)[]): string {
  const lines = parts.filter((part) => part !== undefined);
  return lines.length === 0 ? '' : ` (${lines.join(', ')})`;
}

interface FoundProgram {
  readonly path: string;
  /** Absent if its package does not tell. */
  readonly version?: string;
}

/** Returns the first program of a kind in PATH; null if there is none. Starts no program. */
function programInPath({ executables, packages }: Kind, { env }: Context): FoundProgram | null {
  const directories = (env['PATH'] ?? '').split(':').filter((each) => each.startsWith('/'));
  const paths = executables.flatMap((name) => directories.map((each) => join(each, name)));
  const path = paths.find(isExecutable);
  if (path === undefined) return null;
  return { path, ...defined({ version: versionOf(realpathSync(path), packages) }) };
}

const version = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/u;

/** Returns the version of a program by its package, or by a directory that is named after it. */
function versionOf(path: string, packages: readonly string[]): string | undefined {
  const inPath = path.split('/').findLast((part) => version.test(part));
  for (let directory = dirname(path); directory !== '/'; directory = dirname(directory)) {
    if (!packages.some((name) => directory.endsWith(`/node_modules/${name}`))) continue;
    try {
      const read = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
      return String(read.version);
    } catch {
      // Not a package.
    }
  }
  return inPath;
}

/** Whether a program is newer than all versions with which the rules of its kind were checked; null if unknown. */
function isOlder({ checkedWith: [newest] }: Kind, installed: string | undefined): boolean | null {
  if (newest === undefined || installed === undefined) return null;
  return newest.localeCompare(installed, 'en', { numeric: true }) < 0;
}

const olderText = (kind: Kind, installed: string | undefined): string =>
  isOlder(kind, installed) === true ? ' (the rules are older)' : '';
