import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import { version } from '#model';
import type { Caller } from './caller.ts';
import { registerPrompts, termcpInstructions, terminalInstructions } from './guidance.ts';
import { clientNameIn } from './http/rpc-message.ts';
import { leanAnswer } from './lean.ts';
import { counted } from './redacted-host.ts';
import { registerResources } from './resources/resources.ts';
import { termcpTools } from './termcp/tools.ts';
import type { Call, Tool } from './tool.ts';
import { errorText } from './tool-error.ts';
import { leanSchema, listedSchema, parsedArguments } from './tool-schema.ts';
import { terminalTools } from './tools/index.ts';

/**
 * Creates a server for one client. Nothing is started before the client makes a call.
 *
 * @param subscribe whether the client can receive resource updates
 */
export function createMcpServer(caller: Caller, subscribe: boolean): McpServer {
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
  for (const tool of isTermcp ? termcpTools : terminalTools) register(server, tool, caller);
  registerResources(server, host);
  // The prompts name tools of the toolset `terminal`.
  if (!isTermcp) registerPrompts(server);
  return server;
}

function register(server: McpServer, tool: Tool, caller: Caller): void {
  const { name, title, description, annotations, isCore, input, output } = tool;
  server.registerTool(
    name,
    {
      title,
      description,
      annotations,
      inputSchema: listedSchema(input),
      outputSchema: caller.isLean ? leanSchema(tool) : listedSchema(output),
      // Claude Code shows such tools without a search.
      ...(isCore ? { _meta: { 'anthropic/alwaysLoad': true } } : {}),
    },
    (args, context) => answer(server, tool, args, caller, context),
  );
}

/** Runs a tool. A failure is an answer too, so that the model can read it and try something else. */
async function answer(
  server: McpServer,
  tool: Tool,
  args: unknown,
  caller: Caller,
  context: ServerContext,
) {
  const startMs = performance.now();
  // Never the text: input and output may be secret.
  const log = (what: string) => {
    const elapsedMs = Math.round(performance.now() - startMs);
    caller.service.log('debug', `${tool.name}: ${what}, ${elapsedMs} ms`);
  };
  try {
    caller.agent = clientNameOf(server, context) ?? caller.agent;
    const run = () => tool.run(parsedArguments(tool, args), caller, callOf(context));
    const { answer: full, ...count } = caller.options.redact
      ? await counted(run)
      : { answer: await run() };
    const answer = caller.isLean ? leanAnswer(full, tool.always, tool.never) : full;
    const content = { ...answer, ...count };
    // The text is for hosts that are older than structured content.
    const text = JSON.stringify(content);
    log(`${Buffer.byteLength(text)} bytes`);
    return { content: [{ type: 'text' as const, text }], structuredContent: content };
  } catch (thrown) {
    const text = await errorText(thrown, sessionOf(args), caller);
    log(text.slice(0, text.indexOf(':')));
    return { content: [{ type: 'text' as const, text }], isError: true };
  }
}

/** Clients of version 2026-07-28 send their name with each request, older ones once per connection. */
const clientNameOf = ({ server }: McpServer, { mcpReq }: ServerContext): string | undefined =>
  clientNameIn(mcpReq.envelope) ?? server.getClientVersion()?.name;

function sessionOf(args: unknown): string | null {
  const given = z.object({ session_id: z.string() }).safeParse(args);
  return given.success ? given.data.session_id : null;
}

function callOf({ mcpReq }: ServerContext): Call {
  const token = mcpReq._meta?.progressToken;
  let progress = 0;
  const report = (message: string) => {
    if (token === undefined) return;
    progress += 1;
    const params = { progressToken: token, progress, message };
    // If the client is gone, the call ends by its signal.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  return { signal: mcpReq.signal, report };
}
