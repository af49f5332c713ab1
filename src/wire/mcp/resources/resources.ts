import {
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { asVtrError, type Coordinator, hidesText, withoutStyles } from '#model';
import {
  lastLinesWithin,
  PlainLines,
  plainText,
  type TerminalText,
} from '../reading/terminal-text.ts';
import type { SessionHost } from '../redacted-host.ts';

/** Registers `terminal://NAME/screen` and the other resources of every session. */
export function registerResources(server: McpServer, host: SessionHost): void {
  for (const kind of resourceKinds) {
    const { name, title, mimeType } = kind;
    const names = async () => ((await (await host.reach())?.list()) ?? []).map((each) => each.name);
    const template = new ResourceTemplate(`terminal://{session}/${name}`, {
      list: async () => ({
        resources: (await names()).map((session) => ({
          uri: resourceUri({ session, name }),
          name: `${session} ${name}`,
        })),
      }),
      complete: {
        session: async (begun) => (await names()).filter((each) => each.startsWith(begun)),
      },
    });
    server.registerResource(name, template, { title, mimeType }, async (uri, { session }) => {
      const read = await readKind(host, kind, String(session), uri.href);
      const { content: text, lines: _, ...facts } = read;
      return { contents: [{ uri: uri.href, mimeType, text, _meta: prefixed(facts) }] };
    });
  }
}

/** Returns the warnings, which tools have as fields, as metadata. Its names need a prefix. */
const prefixed = (facts: Partial<TerminalText>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => [`vtr/${name}`, value]));

/** @throws ResourceNotFoundError */
async function readKind(
  host: SessionHost,
  kind: ResourceKind,
  session: string,
  uri: string,
): Promise<TerminalText> {
  const coordinator = await host.reach();
  if (coordinator === null) throw new ResourceNotFoundError(uri);
  try {
    return await kind.read(coordinator, session);
  } catch (error) {
    const isMissing = asVtrError(error).code === 'SESSION_NOT_FOUND';
    throw isMissing ? new ResourceNotFoundError(uri) : error;
  }
}

/** A kind of resource of a session. */
interface ResourceKind {
  readonly name: ResourceName;
  readonly title: string;
  readonly mimeType: string;
  read(coordinator: Coordinator, session: string): Promise<TerminalText>;
}

/** The newest lines of the history that a read may contain. */
const historyLines = 1000;
const listedCommands = 100;

const screen: ResourceKind = {
  name: 'screen',
  title: 'Screen',
  mimeType: 'text/plain',
  async read(coordinator, session) {
    const rows = [...(await coordinator.screen(session, { format: 'ansi' })).text];
    while (rows.at(-1) === '') rows.pop();
    return plainLines(rows);
  },
};

const scrollback: ResourceKind = {
  name: 'scrollback',
  title: 'End of the history',
  mimeType: 'text/plain',
  async read(coordinator, session) {
    // An empty range returns the number of the last line.
    const { endLine } = await coordinator.readLines(session, { from: 0, to: 0 });
    const from = Math.max(0, endLine - historyLines);
    const { lines } = await coordinator.readLines(session, { from, format: 'ansi' });
    return plainLines(lines.map(({ text }) => text));
  },
};

const commands: ResourceKind = {
  name: 'commands',
  title: 'Commands that the shell or a coding agent ran',
  mimeType: 'application/json',
  async read(coordinator, session) {
    const list = await coordinator.commands(session, { last: listedCommands });
    const lines = new PlainLines();
    const plain = (text: string | null) => (text === null ? null : lines.plain(text));
    const commands = list.commands.map(({ number, line, cwd, state, exitCode, durationMs }) => ({
      number,
      line: plain(line),
      cwd: plain(cwd),
      state,
      exit_code: exitCode,
      duration_ms: Math.round(durationMs),
    }));
    const ofAgents = (list.agentCommands ?? []).map((each) => ({
      agent: each.agent,
      line: plain(each.line),
      cwd: plain(each.cwd),
      status: each.status,
      exit_code: each.exitCode,
      duration_ms: each.durationMs === null ? null : Math.round(each.durationMs),
    }));
    const content = JSON.stringify([...commands, ...ofAgents]);
    return { content, lines: 1, ...lines.facts() };
  },
};

/** Listed in this order. */
const resourceKinds: readonly ResourceKind[] = [screen, scrollback, commands];

function plainLines(rendered: readonly string[]): TerminalText {
  const { lines, omitted } = lastLinesWithin(rendered.map(withoutStyles), {});
  const shown = rendered.slice(rendered.length - lines.length);
  return plainText(lines.join('\n'), { omitted, hiddenText: shown.some(hidesText) });
}

/** The resources of a session. */
const resourceNames = ['screen', 'scrollback', 'commands'] as const;

export type ResourceName = (typeof resourceNames)[number];

export interface ResourceAddress {
  readonly session: string;
  readonly name: ResourceName;
}

export const resourceUri = ({ session, name }: ResourceAddress): string =>
  `terminal://${session}/${name}`;

/** Returns null for any other URI. */
export function parseResourceUri(uri: string): ResourceAddress | null {
  const [, session = '', word = ''] = /^terminal:\/\/([^/]+)\/([a-z]+)$/.exec(uri) ?? [];
  const name = resourceNames.find((each) => each === word);
  return name === undefined ? null : { session, name };
}
