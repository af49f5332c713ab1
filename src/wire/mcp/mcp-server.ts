import {
  type Tool as ListedTool,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { defined, ignored, isGlob, nearMisses, quoted, sanitize } from '#base';
import { asVtrError, errorTable, type VtrError, version } from '#model';
import type { Caller } from './caller.ts';
import { registerPrompts, termcpInstructions, terminalInstructions } from './guidance.ts';
import { clientNameIn } from './http/rpc-message.ts';
import { leanAnswer } from './lean.ts';
import { drivenSince } from './reading/wait-for.ts';
import { counted } from './redacted-host.ts';
import { registerResources } from './resources/resources.ts';
import { asTermcpFailure } from './termcp/termcp-session.ts';
import { termcpTools } from './termcp/tools.ts';
import { acts, type Call, type Tool } from './tool.ts';
import { jsonOf, leanSchema, listedSchema, parsedArguments } from './tool-schema.ts';
import { terminalTools } from './tools/index.ts';

/**
 * Creates a server for one client. Nothing is started before the client makes a call.
 *
 * @param subscribe whether the client can receive resource updates
 */
export function createMcpServer(
  caller: Caller,
  { subscribe }: { readonly subscribe: boolean },
): McpServer {
  const { host, options } = caller;
  const isTermcp = options.termcp !== null;
  const about = { name: isTermcp ? 'termcp' : 'vtr', title: 'vtr terminals', version };
  const server = new McpServer(about, {
    capabilities: {
      tools: { listChanged: false },
      ...(isTermcp ? {} : { prompts: { listChanged: false } }),
      resources: { subscribe, listChanged: subscribe },
    },
    instructions: isTermcp ? termcpInstructions : terminalInstructions(options),
  });
  const tools = toolsOf(caller);
  for (const tool of tools) register(server, tool, caller);
  server.server.setRequestHandler('tools/list', () => ({ tools: listed(tools, caller) }));
  registerResources(server, host);
  // The prompts name tools of the toolset `terminal`.
  if (!isTermcp) registerPrompts(server);
  return server;
}

function toolsOf({ options }: Caller): readonly Tool[] {
  return options.termcp === null ? terminalTools : termcpTools;
}

/** Returns the tool that a client may call by a name. */
export const toolOf = (caller: Caller, name: string): Tool | undefined =>
  toolsOf(caller).find((each) => each.name === name);

function register(server: McpServer, tool: Tool, caller: Caller): void {
  server.registerTool(tool.name, schemasOf(tool, caller), async (args, { mcpReq }) => {
    const { signal, envelope } = mcpReq;
    const notify = (params: ProgressParams) =>
      mcpReq.notify({ method: 'notifications/progress', params: { ...params } });
    const progressToken = mcpReq._meta?.progressToken;
    const request = { signal, progressToken, notify, envelope };
    const { texts, content, isError } = await answer(server, tool, args, caller, request);
    return {
      content: texts.map((text) => ({ type: 'text' as const, text })),
      ...defined({ structuredContent: content ?? undefined, isError: isError || undefined }),
    };
  });
}

/** Returns the result of a call as the library would write it: the JSON of the field `result`. Never fails. */
export async function answerText(
  server: McpServer,
  tool: Tool,
  args: unknown,
  caller: Caller,
  request: ToolRequest,
): Promise<string> {
  const { texts, content, isError } = await answer(server, tool, args, caller, request).catch(
    (error: unknown) => failed(error instanceof Error ? error.message : String(error)),
  );
  const parts = texts.map((text) => `{"type":"text","text":${JSON.stringify(text)}}`);
  const [text = ''] = texts;
  // With structured content, the only text is its JSON.
  const structured = content === null ? '' : `,"structuredContent":${text}`;
  return `{"content":[${parts.join()}]${structured}${isError ? ',"isError":true' : ''}}`;
}

/** What a tool needs of the message that calls it. */
export interface ToolRequest {
  /** Aborted when the client cancels the call. */
  readonly signal: AbortSignal;
  readonly progressToken: string | number | undefined;
  readonly notify: (params: ProgressParams) => Promise<void>;
  /** Of version 2026-07-28. */
  readonly envelope: ServerContext['mcpReq']['envelope'];
}

interface ProgressParams {
  readonly progressToken: string | number;
  readonly progress: number;
  readonly message: string;
}

/** The result of a call. */
interface ToolAnswer {
  readonly texts: readonly string[];
  /** The structured content; null if there is none. */
  readonly content: Record<string, unknown> | null;
  readonly isError: boolean;
}

const failed = (text: string): ToolAnswer => ({ texts: [text], content: null, isError: true });

const schemasOf = (tool: Tool, caller: Caller) => ({
  inputSchema: listedSchema(tool.input),
  // A tool with a schema of its output must answer with structured content.
  ...(caller.isTextOnly
    ? {}
    : { outputSchema: caller.isLean ? leanSchema(tool) : listedSchema(tool.output) }),
});

/** The answer to tools/list. The library would list all tools that can be called. */
const listed = (tools: readonly Tool[], caller: Caller): ListedTool[] =>
  tools
    .filter(({ isUnlisted = false }) => !isUnlisted)
    .map((tool) => {
      const { name, title, description, annotations, isCore } = tool;
      const { inputSchema, outputSchema } = schemasOf(tool, caller);
      return {
        name,
        title,
        description,
        inputSchema: jsonOf(inputSchema, 'input'),
        ...(outputSchema && { outputSchema: jsonOf(outputSchema, 'output') }),
        annotations,
        // Claude Code shows such tools without a search.
        ...(isCore ? { _meta: { 'anthropic/alwaysLoad': true } } : {}),
      };
    });

/** Runs a tool. A failure is an answer too, so that the model can read it and try something else. */
async function answer(
  server: McpServer,
  tool: Tool,
  args: unknown,
  caller: Caller,
  request: ToolRequest,
): Promise<ToolAnswer> {
  const startMs = performance.now();
  // Never the text: input and output may be secret.
  const log = (what: string) => {
    const elapsedMs = Math.round(performance.now() - startMs);
    caller.service.log('debug', `${tool.name}: ${what}, ${elapsedMs} ms`);
  };
  try {
    caller.agent = clientNameOf(server, request) ?? caller.agent;
    const run = () => tool.run(parsedArguments(tool, args), caller, callOf(request));
    const { answer: full, ...count } = caller.options.redact
      ? await counted(run)
      : { answer: await run() };
    const answer = caller.isLean ? leanAnswer(full, tool.always, tool.never) : full;
    const content = { ...answer, ...count, ...cancelledNote(sessionOf(args), answer, caller) };
    // With structured content, the text is for hosts that are older than it.
    const texts = caller.isTextOnly ? textsOf(content) : [JSON.stringify(content)];
    log(`${texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)} bytes`);
    return { texts, content: caller.isTextOnly ? null : content, isError: false };
  } catch (thrown) {
    const text = await errorText(thrown, sessionOf(args), caller);
    log(text.slice(0, text.indexOf(':')));
    return failed(text);
  } finally {
    const session = sessionOf(args);
    const hasBegun = request.signal.aborted && tool.annotations === acts;
    if (hasBegun && session !== null) caller.cancelledIn.add(session);
  }
}

/**
 * Returns an answer as texts: a line of JSON with its facts, and the output that it contains as it is. The line comes
 * first, so output that looks like facts is not taken for them.
 */
function textsOf(answer: Readonly<Record<string, unknown>>): readonly string[] {
  const { content, read_result: read, ...facts } = answer;
  if (typeof content === 'string')
    return withOutput({ ...facts, ...defined({ read_result: read }) }, content);
  if (typeof read !== 'object' || read === null) return [JSON.stringify(answer)];
  const { content: shown, ...rest } = read as Readonly<Record<string, unknown>>;
  if (typeof shown !== 'string') return [JSON.stringify(answer)];
  return withOutput({ ...facts, read_result: rest }, shown);
}

const withOutput = (facts: object, output: string): readonly string[] =>
  output === '' ? [JSON.stringify(facts)] : [JSON.stringify(facts), output];

/** Nobody reads the answer to a cancelled call, so the next one about the session tells. */
function cancelledNote(
  session: string | null,
  { note }: Readonly<Record<string, unknown>>,
  caller: Caller,
): { note?: string } {
  if (session === null || !caller.cancelledIn.delete(session)) return {};
  const text = 'the cancelled call only stopped waiting: what it started may still run';
  return { note: typeof note === 'string' ? `${note}; ${text}` : text };
}

/** Clients of version 2026-07-28 send their name with each request, older ones once per connection. */
const clientNameOf = ({ server }: McpServer, { envelope }: ToolRequest): string | undefined =>
  clientNameIn(envelope) ?? server.getClientVersion()?.name;

function sessionOf(args: unknown): string | null {
  if (typeof args !== 'object' || args === null || !('session_id' in args)) return null;
  return typeof args.session_id === 'string' ? args.session_id : null;
}

function callOf({ signal, progressToken, notify }: ToolRequest): Call {
  let progress = 0;
  const report = (message: string) => {
    if (progressToken === undefined) return;
    progress += 1;
    ignored(
      notify({ progressToken, progress, message }),
      'the signal ends the call of a client that is gone',
    );
  };
  return { signal, report };
}

/**
 * Returns the text of a failed call: code word, what failed, which sessions exist, what to try. It is
 * sanitized, because it may contain names of programs and directories.
 */
export async function errorText(
  thrown: unknown,
  session: string | null,
  caller: Caller,
): Promise<string> {
  if (caller.options.termcp !== null) return sanitize(asTermcpFailure(thrown).text).text;
  return sanitize(await textOf(thrown, session, caller)).text;
}

async function textOf(thrown: unknown, session: string | null, caller: Caller): Promise<string> {
  const error = asVtrError(thrown);
  if (error.code !== 'SESSION_NOT_FOUND' || session === null || isGlob(session)) {
    const message = session === null ? withoutSession(error.message) : error.message;
    return `${errorTable[error.code].mcp}: ${inToolWords(message)}${hintFor(error)}`;
  }
  const called = quoted(session);
  const { renamedTo } = error.details;
  if (typeof renamedTo === 'string') {
    return `SESSION_NOT_FOUND: session ${called} was renamed to ${quoted(renamedTo)}`;
  }
  const fate = caller.service.fateOf(session);
  if (fate !== null) return `SESSION_DESTROYED: session ${called} ${ends[fate]}; create another`;
  return `SESSION_NOT_FOUND: no session ${called}; ${await whatExists(session, caller)}`;
}

/** Names of the command line in messages, and those of the tools for the same. */
const toolWords: readonly (readonly [RegExp, string])[] = [
  [/--prompt-pattern\b/g, 'prompt_pattern'],
  [
    /\b(revive the session, or )?spawn another session$/,
    'create another with terminal__create_session',
  ],
  [/\bremove it first$/, 'end it with terminal__destroy_session'],
  [/\bwait until no person drives$/, 'use terminal__wait {"wait_for_driver":true}'],
  [/ \(from the mark\)/, ''],
  [/\buse one returned by a read, a wait or a send$/, 'use "start" or the mark of an answer'],
];

const inToolWords = (message: string): string =>
  toolWords.reduce((text, [words, tool]) => text.replace(words, tool), message);

/** Removes the name of a session that could not be made: it would mislead a model. */
const withoutSession = (message: string): string =>
  message.replace(/^session (sess_\w+|\(no name\)): /, '');

const ends = {
  made: 'is gone: it was unused for long or was removed, or its daemon ended',
  destroyed: 'was destroyed',
};

/** Limit of listed names: a model reads them. */
const maxNames = 20;

async function whatExists(session: string, { host }: Caller): Promise<string> {
  const sessions = await Promise.resolve(host.reach())
    .then((coordinator) => coordinator?.list() ?? [])
    .catch(() => []);
  if (sessions.length === 0) return 'none exists; terminal__create_session creates one';
  const names = sessions.map(({ name }) => name);
  const near = nearMisses(session, names);
  if (near.length > 0) return `did you mean ${near.join(' or ')}?`;
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  return `sessions: ${names.slice(0, maxNames).join(', ')}${more}`;
}

const hints: Readonly<Record<string, string>> = {
  SESSION_NOT_RUNNING:
    '; its output is still readable, and terminal__create_session {"name":…,"revive":true} starts it again',
  NOT_AT_PROMPT: '; terminal__read shows its screen, terminal__send types into it',
  MAX_SESSIONS: '; terminal__destroy_session ends one of them',
};

function hintFor({ code, details: { mark } }: VtrError): string {
  if (code !== 'NOT_DRIVER' || typeof mark !== 'string') return hints[code] ?? '';
  return `; ${drivenSince(mark)}`;
}
