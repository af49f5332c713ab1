import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';

interface Option {
  readonly type: string;
  readonly default?: unknown;
  readonly min?: number;
  readonly max?: number;
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly server: {
    readonly mcp_config: {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    };
  };
  readonly tools: readonly { readonly name: string }[];
  readonly user_config: Readonly<Record<string, Option>>;
}

/** Replaces the placeholders of a manifest, as the host of a bundle does. Those without a value stay. */
function filledIn(
  text: string,
  directory: string,
  values: Readonly<Record<string, string>>,
): string {
  return text
    .replace(/\$\{__dirname\}/, () => directory)
    .replace(/\$\{user_config\.(\w+)\}/, (word, key: string) => values[key] ?? word);
}

/**
 * Starts the server of an unpacked bundle, as a host does.
 *
 * @param values of the user, by option
 * @param env variables in addition to those of the manifest
 */
export async function startBundle(
  { server, user_config }: Manifest,
  directory: string,
  values: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
): Promise<Client> {
  const { command, args, env: declared } = server.mcp_config;
  const defaults = Object.entries(user_config).flatMap(([key, option]) =>
    option.default === undefined ? [] : [[key, String(option.default)]],
  );
  const all = { ...Object.fromEntries(defaults), ...values };
  const pairs = Object.entries(declared).map(([name, text]) => [
    name,
    filledIn(text, directory, all),
  ]);
  const client = new Client({ name: 'host', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(
    new StdioClientTransport({
      command,
      args: args.map((text) => filledIn(text, directory, all)),
      env: { ...env, ...Object.fromEntries(pairs) },
      cwd: '/',
    }),
  );
  return client;
}
