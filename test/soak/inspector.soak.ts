import { expect } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { run } from '../../scripts/steps/run.mjs';
import { npmTools } from '../support/command/npm-tools.ts';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { provided } from '../support/run/needs.ts';

/** The command line of MCP's inspector: 103 packages, 41 MB. Newer versions need a newer Node. */
const packages = { '@modelcontextprotocol/inspector-cli': '0.15.0' };
const isWanted = process.env['VTR_TEST_SOAK'] === '1';
const directory = isWanted ? await npmTools('inspector', packages) : null;

/** The output of the inspector for a server, which it starts for each call. */
async function inspect(place: Place, ...args: readonly string[]): Promise<unknown> {
  const server = [process.execPath, vtrFile, 'mcp'];
  const variables = ['-e', `VTR_SOCKET=${place.socket}`, '-e', `HOME=${place.directory}`];
  const inspector = `${directory}/node_modules/.bin/mcp-inspector-cli`;
  const all = [inspector, '--cli', ...variables, ...server, ...args];
  const { status, stdout, output } = await run(process.execPath, all, { cwd: root });
  expect([status, status === 0 ? '' : output]).toEqual([0, '']);
  return JSON.parse(stdout);
}

const words = (args: Readonly<Record<string, string>>): string[] =>
  Object.entries(args).flatMap(([name, value]) => ['--tool-arg', `${name}=${value}`]);

provided(directory !== null, 'needs the npm registry')(
  "MCP's inspector lists, calls, reads and prompts, with a server for each",
  async () => {
    const place = new Place();
    // biome-ignore lint/suspicious/noExplicitAny: the test checks the answers
    const call = async (tool: string, args: Readonly<Record<string, string>>): Promise<any> => {
      const method = ['--method', 'tools/call', '--tool-name', `terminal__${tool}`];
      return inspect(place, ...method, ...words(args));
    };
    const tools = await inspect(place, '--method', 'tools/list');
    expect(tools).toMatchObject({ tools: expect.arrayContaining([expect.anything()]) });
    const { session_id } = (await call('create_session', { program: 'bash' })).structuredContent;
    expect(await call('run', { session_id, line: 'echo hi; false' })).toMatchObject({
      structuredContent: { exit_code: 1, content: 'hi' },
    });
    const uri = `terminal://${session_id}/screen`;
    expect(await inspect(place, '--method', 'resources/list')).toMatchObject({
      resources: expect.arrayContaining([expect.objectContaining({ uri })]),
    });
    expect(await inspect(place, '--method', 'resources/templates/list')).toHaveProperty(
      'resourceTemplates',
    );
    expect(await inspect(place, '--method', 'resources/read', '--uri', uri)).toMatchObject({
      contents: [{ uri, text: expect.stringContaining('echo hi; false\nhi\n') }],
    });
    const prompt = ['--prompt-name', 'drive-tui', '--prompt-args', 'goal=win'];
    expect(await inspect(place, '--method', 'prompts/get', ...prompt)).toMatchObject({
      messages: [{ role: 'user' }],
    });
    expect(await call('get_info', { session_id: 'nobody' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^SESSION_NOT_FOUND: /) }],
    });
    expect(await call('destroy_session', { session_id, force: 'true' })).toMatchObject({
      structuredContent: { destroyed: true },
    });
  },
);
