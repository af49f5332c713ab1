import { join } from 'node:path';
import { run } from '../../../scripts/steps/run.mjs';
import { provided } from '../run/needs.ts';
import { tree } from '../tree.ts';

/** The newest agent that runs on Node 20 and uses the terminals of its client. */
const agentPackage = '@zed-industries/claude-code-acp@0.16.2';

export const withNetwork = provided(
  process.env['VTR_TEST_NETWORK'] === '1',
  'only with VTR_TEST_NETWORK=1: installs an agent of 124 MB from npm',
);

/** Installed in a directory that is removed when the test ends. */
export async function installedAgent(): Promise<string> {
  const directory = tree({ 'package.json': '{ "private": true }' });
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', agentPackage];
  const { status, output } = await run('npm', args, { cwd: directory });
  if (status !== 0) throw new Error(`the agent cannot be installed:\n${output}`);
  return join(directory, 'node_modules/@zed-industries/claude-code-acp/dist/index.js');
}

/** The environment of an agent whose model is at this address. */
export const agentEnvironment = (home: string, modelUrl: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: home,
  ANTHROPIC_BASE_URL: modelUrl,
  ANTHROPIC_API_KEY: 'none',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
});
