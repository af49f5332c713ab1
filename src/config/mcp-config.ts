import { logLevels } from '#base';
import { maxScrollbackLines, maxSide, VtrError } from '#model';
import type { Value } from './parse-toml.ts';
import { answerStyles, readServerConfig, type ServerConfig } from './server-config.ts';
import type { UserEnvironment } from './user-environment.ts';
import { duration, oneOf, text, type WholeNumber, wholeNumber } from './values.ts';

/** The configuration of an MCP server: the defaults of its sessions, and its own options. */
export type McpConfig = Pick<
  ServerConfig,
  | 'defaultRows'
  | 'defaultCols'
  | 'defaultShell'
  | 'term'
  | 'scrollbackLimit'
  | 'promptPattern'
  | 'maxSessions'
  | 'idleTimeout'
  | 'maxWait'
  | 'logLevel'
  | 'answers'
  | 'redactReads'
>;

type Option = keyof McpConfig;
/** The options of the server itself. */
type ServerOption = 'idleTimeout' | 'maxWait' | 'logLevel';

/** The options that hosts offer to users, with their environment variables and valid values. */
export const mcpVariables: Readonly<
  Record<
    Exclude<Option, ServerOption | 'redactReads'>,
    readonly [name: string, value: Value | WholeNumber]
  >
> = {
  defaultRows: ['VTR_DEFAULT_ROWS', wholeNumber(1, maxSide)],
  defaultCols: ['VTR_DEFAULT_COLS', wholeNumber(1, maxSide)],
  defaultShell: ['VTR_DEFAULT_SHELL', text],
  term: ['VTR_TERM', text],
  scrollbackLimit: ['VTR_SCROLLBACK_LIMIT', wholeNumber(0, maxScrollbackLines)],
  promptPattern: ['VTR_PROMPT_PATTERN', text],
  maxSessions: ['VTR_MAX_SESSIONS', wholeNumber(1, 100_000)],
  answers: ['VTR_ANSWERS', oneOf(...answerStyles)],
};

const serverVariables: Readonly<Record<ServerOption, readonly [name: string, value: Value]>> = {
  idleTimeout: ['VTR_IDLE_TIMEOUT', duration],
  maxWait: ['VTR_MAX_WAIT', duration],
  logLevel: ['VTR_LOG_LEVEL', oneOf(...logLevels)],
};

/**
 * Reads the configuration from the environment and from `server.toml`. The environment has precedence.
 *
 * @throws VtrError INVALID_ARGUMENT with the variable, or with file, line and column
 */
export async function readMcpConfig(user: UserEnvironment): Promise<McpConfig> {
  const file = await readServerConfig(user);
  const config: Record<string, unknown> = {};
  for (const [option, [name, value]] of Object.entries({
    ...mcpVariables,
    ...serverVariables,
  })) {
    const given = readVariable(user.env[name], name, value) ?? file[option as Option];
    if (given !== undefined) config[option] = given;
  }
  if (file.redactReads !== undefined) config['redactReads'] = file.redactReads;
  return config as McpConfig;
}

/** Without a value, hosts pass an empty one or the unexpanded placeholder. */
const isUnset = (given: string): boolean => given.trim() === '' || /^\$\{user_config\./.test(given);

/** Returns the access token of an MCP server on HTTP. Not a key of `server.toml`, which people share. */
export const mcpTokenOf = ({ env }: UserEnvironment): string | undefined => {
  const given = env['VTR_MCP_TOKEN'];
  return given === undefined || isUnset(given) ? undefined : given;
};

function readVariable(given: string | undefined, name: string, { accepts, mustBe }: Value) {
  if (given === undefined || isUnset(given)) return undefined;
  const value = mustBe.startsWith('a whole number') && /^\d+$/.test(given) ? Number(given) : given;
  if (accepts(value)) return value;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `${name} is ${JSON.stringify(given)}; it must be ${mustBe}`,
  );
}
