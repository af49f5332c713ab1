import {
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { sanitize } from '#base';
import { type Coordinator, VtrError } from '#model';
import type { SessionHost } from './session-host.ts';
import { lastLinesWithin } from './within-budget.ts';

/** What of a session can be taken into a conversation by its name. */
interface Kind {
  readonly name: string;
  readonly title: string;
  readonly mimeType: string;
  read(coordinator: Coordinator, session: string): Promise<string>;
}

const kinds: readonly Kind[] = [
  {
    name: 'screen',
    title: 'Screen',
    mimeType: 'text/plain',
    read: async (coordinator, session) => (await coordinator.screen(session)).text.join('\n'),
  },
  {
    name: 'scrollback',
    title: 'End of the history',
    mimeType: 'text/plain',
    async read(coordinator, session) {
      const { lines } = await coordinator.readLines(session);
      const texts = lines.map(({ text }) => text);
      return lastLinesWithin(texts, {}).lines.join('\n');
    },
  },
  {
    name: 'commands',
    title: 'Commands that its shell ran',
    mimeType: 'application/json',
    async read(coordinator, session) {
      const { commands } = await coordinator.commands(session, { last: 100 });
      const told = commands.map(({ number, line, cwd, state, exitCode, durationMs }) => {
        return {
          number,
          line,
          cwd,
          state,
          exit_code: exitCode,
          duration_ms: Math.round(durationMs),
        };
      });
      return JSON.stringify(told);
    },
  },
];

/** `terminal://NAME/screen` and its like, for every session that there is. */
export function registerResources(server: McpServer, host: SessionHost): void {
  for (const kind of kinds) {
    const { name, title, mimeType } = kind;
    const names = async () => ((await (await host.reach())?.list()) ?? []).map((each) => each.name);
    const template = new ResourceTemplate(`terminal://{session}/${name}`, {
      list: async () => ({
        resources: (await names()).map((session) => ({
          uri: `terminal://${session}/${name}`,
          name: `${session} ${name}`,
        })),
      }),
      complete: {
        session: async (begun) => (await names()).filter((each) => each.startsWith(begun)),
      },
    });
    server.registerResource(name, template, { title, mimeType }, async (uri, { session }) => {
      const text = await readKind(host, kind, String(session), uri.href);
      return { contents: [{ uri: uri.href, mimeType, text: sanitize(text).text }] };
    });
  }
}

/** @throws ResourceNotFoundError */
async function readKind(
  host: SessionHost,
  kind: Kind,
  session: string,
  uri: string,
): Promise<string> {
  const coordinator = await host.reach();
  if (coordinator === null) throw new ResourceNotFoundError(uri);
  try {
    return await kind.read(coordinator, session);
  } catch (error) {
    const isMissing = error instanceof VtrError && error.code === 'SESSION_NOT_FOUND';
    throw isMissing ? new ResourceNotFoundError(uri) : error;
  }
}
