import { quoted } from '#base';
import { VtrError } from '#model';
import { isWholeNumber, type Option, type OptionValue, usedValue } from './options.ts';
import type { Value } from './parse-toml.ts';
import {
  type McpOption,
  readServerFile,
  type ServerConfig,
  serverOptions,
} from './server-config.ts';
import type { UserEnvironment } from './user-environment.ts';

type Rows = typeof serverOptions;
/** The options that MCP servers read. */
type Name = { [K in keyof Rows]: Rows[K]['mcp'] extends null ? never : K }[keyof Rows];
type Default<O extends Rows[Name]> = O['mcp'] extends { readonly default: infer D }
  ? D
  : O['default'];

/** The values that MCP servers read: the defaults of their sessions, and their own options. */
type McpValues = { readonly [K in Name]: OptionValue<Rows[K], Default<Rows[K]>> };

/** The configuration of an MCP server. */
export type McpConfig = McpValues & Pick<ServerConfig, 'redactReads'>;

/** What the flags of an MCP server set, by their names. */
export type McpFlagValues = {
  readonly [K in Name as Rows[K]['mcp']['flag']]: NonNullable<McpValues[K]>;
};

/** A row of {@link serverOptions} that MCP servers read. */
export interface McpRow {
  readonly name: Name;
  readonly option: Option<unknown, unknown, unknown>;
  readonly mcp: McpOption<string, unknown>;
  /** What the flag and the variable accept. */
  readonly accepted: Value;
  /** The environment variable. */
  readonly variable: string;
  /** As in the file; null: a text, or none. */
  readonly default: unknown;
  /** What it sets, and its default. */
  readonly about: string;
}

export const mcpRows: readonly McpRow[] = Object.entries(serverOptions).flatMap(
  ([name, option]) => {
    const mcp: McpOption<string, unknown> | null = option.mcp;
    if (mcp === null) return [];
    const byDefault = mcp.default ?? option.default;
    const text = mcp.byDefault === undefined ? ` ${byDefault}` : `: ${mcp.byDefault}`;
    return [
      {
        name: name as Name,
        option,
        mcp,
        accepted: mcp.value ?? option.value,
        variable: `VTR_${option.key.toUpperCase()}`,
        default: byDefault,
        about: `${mcp.about} (default${text})`,
      },
    ];
  },
);

/**
 * Reads the configuration from the environment and from `server.toml`. The environment has precedence.
 *
 * @throws VtrError INVALID_ARGUMENT with the variable, or with file, line and column
 */
export async function readMcpConfig(user: UserEnvironment): Promise<McpConfig> {
  const file = await readServerFile(user);
  const values = mcpRows.map(({ name, option, mcp, accepted, variable }) => {
    const value = readVariable(user.env[variable], variable, accepted);
    if (value !== undefined) return [name, accepted.read?.(value, user) ?? value];
    const byDefault = mcp.default === undefined ? option.default : mcp.default;
    return [name, usedValue(option, file[option.key] ?? byDefault, user)];
  });
  const { redactReads } = serverOptions;
  const redacts = usedValue(redactReads, file[redactReads.key] ?? redactReads.default, user);
  return Object.fromEntries([...values, ['redactReads', redacts]]);
}

/** Without a value, hosts pass an empty one or the unexpanded placeholder. */
const isUnset = (text: string): boolean => text.trim() === '' || /^\$\{user_config\./.test(text);

/** Returns the access token of an MCP server on HTTP. It is not a key of `server.toml`, because people share that file. */
export const mcpTokenOf = ({ env }: UserEnvironment): string | undefined => {
  const value = env['VTR_MCP_TOKEN'];
  return value === undefined || isUnset(value) ? undefined : value;
};

function readVariable(text: string | undefined, name: string, accepted: Value) {
  if (text === undefined || isUnset(text)) return undefined;
  const value = isWholeNumber(accepted) && /^\d+$/.test(text) ? Number(text) : text;
  if (accepted.accepts(value)) return value;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `${name} is ${quoted(text)}; it must be ${accepted.mustBe}`,
  );
}
