import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { npmTools } from '../command/npm-tools.ts';
import { tree } from '../tree.ts';

const packages = {
  '@openai/codex': '0.171.0',
  '@anthropic-ai/claude-code': '2.1.332',
  '@google/gemini-cli': '0.61.0',
};

/** @returns the directory of the agents; null when npm cannot fetch them */
export const installedAgents = (): Promise<string | null> => npmTools('agents', packages);

export interface RealAgent {
  readonly name: string;
  /** A row of its screen when its composer is there. */
  readonly ready: string;
  /** The path of its program among the installed packages. */
  readonly program: string;
  /** The files of a HOME in which it asks nothing at its start, without a login. */
  files(modelUrl: string, project: string): Readonly<Record<string, string>>;
  environment(modelUrl: string): Readonly<Record<string, string>>;
}

/** Not a real key: agents do not start without one. */
const key = 'none-00000000000000';

const codex: RealAgent = {
  name: 'Codex',
  ready: 'Ask Codex',
  program: 'node_modules/@openai/codex/bin/codex.js',
  files: (modelUrl, project) => ({
    '.codex/config.toml': [
      'model = "scripted"',
      'model_provider = "local"',
      'check_for_update_on_startup = false',
      '[model_providers.local]',
      'name = "local"',
      `base_url = "${modelUrl}/v1"`,
      'wire_api = "responses"',
      'request_max_retries = 0',
      'stream_max_retries = 0',
      `[projects."${project}"]`,
      'trust_level = "trusted"',
    ].join('\n'),
  }),
  environment: () => ({ OPENAI_API_KEY: key }),
};

const claude: RealAgent = {
  name: 'Claude Code',
  ready: '❯',
  // Its launcher wants a script of the installation; this is the program.
  program: `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
  files: (_modelUrl, project) => ({
    '.claude.json': JSON.stringify({
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [key] },
      projects: { [project]: { hasTrustDialogAccepted: true } },
    }),
  }),
  environment: (modelUrl) => ({
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: key,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
  }),
};

const gemini: RealAgent = {
  name: 'Gemini CLI',
  ready: 'Type your message',
  program: 'node_modules/.bin/gemini',
  files: (_modelUrl, project) => ({
    '.gemini/settings.json': JSON.stringify({
      general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      security: { auth: { selectedType: 'gemini-api-key' } },
    }),
    '.gemini/trustedFolders.json': JSON.stringify({ [project]: 'TRUST_FOLDER' }),
  }),
  environment: (modelUrl) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: modelUrl }),
};

export const realAgents: readonly RealAgent[] = [codex, claude, gemini];

/** A new user of an agent. */
export interface AgentUser {
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: string;
}

/** Makes a HOME in which an agent has never run, with its configuration. It is removed when the test ends. */
export function newUser(agent: RealAgent, directory: string, modelUrl: string): AgentUser {
  const home = tree();
  const project = join(home, 'project');
  const files = { 'project/README.md': 'A project.\n', ...agent.files(modelUrl, project) };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const env = { HOME: home, CODEX_HOME: join(home, '.codex'), ...agent.environment(modelUrl) };
  return { project, env, command: join(directory, agent.program) };
}
