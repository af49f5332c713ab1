import {
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { asVtrError } from '#model';
import type { TerminalText } from '../reading/terminal-text.ts';
import type { SessionHost } from '../session-host.ts';
import { resourceUri } from './resource-address.ts';
import { type ResourceKind, resourceKinds } from './resource-kinds.ts';

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
