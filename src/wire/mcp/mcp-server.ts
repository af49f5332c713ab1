import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import { version } from '#model';
import type { Caller } from './caller.ts';
import { registerPrompts, termcpInstructions, terminalInstructions } from './guidance.ts';

import { registerResources } from './resources/resources.ts';
import { termcpTools } from './termcp/tools.ts';
import type { Call, Tool } from './tool.ts';
import { errorText } from './tool-error.ts';
import { listedSchema, parsedArguments } from './tool-schema.ts';
import { terminalTools } from './tools/index.ts';

/**
 * A server for one client. Nothing is started or asked before the client calls.
 *
 * @param subscribe whether the client can be told of changes
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
    instructions: isTermcp ? termcpInstructions : terminalInstructions,
  });
  for (const tool of isTermcp ? termcpTools : terminalTools) register(server, tool, caller);
  registerResources(server, host);
  // They speak of the tools of the other set.
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
      outputSchema: listedSchema(output),
      // Claude Code shows such tools without having looked for them.
      ...(isCore ? { _meta: { 'anthropic/alwaysLoad': true } } : {}),
    },
    (args, context) => answer(tool, args, caller, context),
  );
}

/** A failure is an answer too: a model reads it, and tries something else. */
async function answer(tool: Tool, args: unknown, caller: Caller, context: ServerContext) {
  const startMs = performance.now();
  // Never the text: what is typed and what is shown may be secret.
  const log = (what: string) => {
    const elapsedMs = Math.round(performance.now() - startMs);
    caller.service.log('debug', `${tool.name}: ${what}, ${elapsedMs} ms`);
  };
  try {
    const content = await tool.run(parsedArguments(tool, args), caller, callOf(context));
    // Hosts show one of the two; the text is for those that are older than structured content.
    const text = JSON.stringify(content);
    log(`${Buffer.byteLength(text)} bytes`);
    return { content: [{ type: 'text' as const, text }], structuredContent: content };
  } catch (thrown) {
    const text = await errorText(thrown, sessionOf(args), caller);
    log(text.slice(0, text.indexOf(':')));
    return { content: [{ type: 'text' as const, text }], isError: true };
  }
}

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
    // A client that is gone hears nothing, and the call ends by its signal.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  return { signal: mcpReq.signal, report };
}
