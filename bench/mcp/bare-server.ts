// The smallest server of the library: one tool, whose answer is the first argument.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod/v4';

const text = process.argv[2] ?? '{}';
const structuredContent = JSON.parse(text);

serveStdio(() => {
  const server = new McpServer({ name: 'bare', version: '1' });
  const schemas = { inputSchema: z.looseObject({}), outputSchema: z.looseObject({}) };
  server.registerTool('constant', { description: 'Answers the same.', ...schemas }, () => ({
    content: [{ type: 'text', text }],
    structuredContent,
  }));
  return server;
});
