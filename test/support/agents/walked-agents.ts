import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Not a real key: agents do not start without one. */
const key = 'none-00000000000000000000';

/** A dialog of an agent's start: what it shows, and the keys that answer it. */
export interface FirstDialog {
  readonly shows: RegExp;
  /** Default: those that choose yes, and enter. */
  readonly keys?: readonly string[];
  /** What is below the dialog when it has been answered, if it stays on the screen. */
  readonly answered?: RegExp;
}

/** How a walk starts an agent, and uses it. */
export interface WalkedAgent {
  /** The id of its kind. */
  readonly kind: string;
  /** The package of npm that has its program. */
  readonly package: string;
  readonly version: string;
  /** The path of the program among the installed packages. */
  readonly program: string;
  /** Whether it needs a newer Node.js than vtr. */
  readonly needsNode22?: boolean;
  readonly args?: readonly string[];
  files(modelUrl: string, project: string): Readonly<Record<string, string>>;
  environment(modelUrl: string): Readonly<Record<string, string>>;
  readonly firstDialogs: readonly FirstDialog[];
  /** What it shows when its composer is there. */
  readonly ready: RegExp;
  /** Arguments that the model's calls of a command need to be asked about. */
  readonly askedArgs?: object;
  /** The keys that allow what it asks for. Default: enter. */
  readonly allows?: readonly string[];
  /** The keys that refuse it, one after the other. Default: escape. */
  readonly refuses?: readonly string[];
  /** The keys that end a turn. Default: escape. */
  readonly interrupts?: readonly string[];
}

const openAi = (modelUrl: string) => ({ baseURL: `${modelUrl}/v1`, apiKey: key });

/** The configuration of OpenCode and what is made from it. */
const openCodeConfig = (modelUrl: string): string =>
  JSON.stringify({
    autoupdate: false,
    share: 'disabled',
    model: 'local/scripted',
    small_model: 'local/scripted',
    enabled_providers: ['local'],
    permission: { bash: 'ask', edit: 'ask' },
    provider: {
      local: {
        npm: '@ai-sdk/openai-compatible',
        name: 'local',
        options: openAi(modelUrl),
        models: { scripted: { name: 'scripted' } },
      },
    },
  });

export const walkedAgents: readonly WalkedAgent[] = [
  {
    kind: 'codex',
    package: '@openai/codex',
    version: '0.171.0',
    program: 'node_modules/@openai/codex/bin/codex.js',
    files: (modelUrl) => ({
      '.codex/config.toml': [
        'model = "scripted"',
        'model_provider = "local"',
        'approval_policy = "on-request"',
        'sandbox_mode = "read-only"',
        'check_for_update_on_startup = false',
        '[model_providers.local]',
        'name = "local"',
        `base_url = "${modelUrl}/v1"`,
        'wire_api = "responses"',
        'env_key = "OPENAI_API_KEY"',
        'request_max_retries = 0',
        'stream_max_retries = 0',
      ].join('\n'),
    }),
    environment: () => ({ OPENAI_API_KEY: key }),
    firstDialogs: [{ shows: /Do you trust the contents|allow Codex to work in this folder/i }],
    ready: /Ask Codex|\? for shortcuts|context left/,
    askedArgs: { sandbox_permissions: 'require_escalated', justification: 'It wants to.' },
  },
  {
    kind: 'claude',
    package: '@anthropic-ai/claude-code',
    version: '2.1.332',
    program: `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
    files: () => ({
      '.claude.json': JSON.stringify({ hasCompletedOnboarding: true, theme: 'dark' }),
      '.claude/settings.json': JSON.stringify({ permissions: { ask: ['Bash'] } }),
    }),
    environment: (modelUrl) => ({
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      IS_SANDBOX: '1',
    }),
    firstDialogs: [
      { shows: /Accessing workspace|Do you trust the files/i },
      { shows: /Detected a custom API key/i },
    ],
    ready: /\? for shortcuts|❯\s+Try "|\(shift\+tab to cycle\)/,
  },
  {
    kind: 'gemini',
    package: '@google/gemini-cli',
    version: '0.61.0',
    program: 'node_modules/.bin/gemini',
    // Otherwise it asks a model which model to use.
    args: ['--model', 'gemini-2.5-flash'],
    files: () => ({
      '.gemini/settings.json': JSON.stringify({
        general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        security: { auth: { selectedType: 'gemini-api-key' } },
      }),
    }),
    environment: (modelUrl) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: modelUrl }),
    firstDialogs: [
      {
        shows: /Do you trust (?:the files in )?this folder/i,
        keys: ['enter'],
        answered: /is restarting|Type your message/,
      },
    ],
    ready: /Type your message/,
  },
  {
    kind: 'qwen',
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    program: 'node_modules/.bin/qwen',
    // Otherwise it asks a model instead of a person.
    args: ['--approval-mode', 'default'],
    needsNode22: true,
    files: () => ({
      '.qwen/settings.json': JSON.stringify({
        general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: true } },
        model: { name: 'scripted' },
      }),
    }),
    environment: (modelUrl) => ({
      OPENAI_BASE_URL: `${modelUrl}/v1`,
      OPENAI_API_KEY: key,
      OPENAI_MODEL: 'scripted',
    }),
    firstDialogs: [
      { shows: /Do you trust this folder/i, keys: ['enter'], answered: /is restarting/ },
    ],
    ready: /Type your message/,
  },
  {
    kind: 'opencode',
    package: 'opencode-ai',
    version: '1.18.33',
    program: `node_modules/opencode-${process.platform}-${process.arch}/bin/opencode`,
    files: (modelUrl) => ({ '.config/opencode/opencode.json': openCodeConfig(modelUrl) }),
    environment: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    firstDialogs: [],
    ready: /Ask anything/,
    interrupts: ['escape', 'escape'],
  },
  {
    kind: 'pi',
    package: '@earendil-works/pi-coding-agent',
    version: '1.6.0',
    program: 'node_modules/.bin/pi',
    needsNode22: true,
    args: ['--provider', 'local', '--model', 'scripted'],
    files: (modelUrl) => ({
      '.pi/agent/models.json': JSON.stringify({
        providers: {
          local: {
            baseUrl: `${modelUrl}/v1`,
            api: 'openai-completions',
            apiKey: key,
            models: [{ id: 'scripted' }],
          },
        },
      }),
    }),
    environment: () => ({ PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' }),
    firstDialogs: [{ shows: /trust/i }],
    ready: /scripted/,
  },
  {
    kind: 'copilot',
    package: '@github/copilot',
    version: '1.0.102',
    program: 'node_modules/.bin/copilot',
    needsNode22: true,
    files: () => ({}),
    environment: (modelUrl) => ({
      COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
      COPILOT_PROVIDER_API_KEY: key,
      COPILOT_MODEL: 'scripted',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    firstDialogs: [{ shows: /Confirm folder trust|Do you trust/i }],
    ready: /\? help|Type @|for shortcuts/,
    interrupts: ['escape', 'escape'],
  },
  {
    kind: 'kimi',
    package: '@moonshot-ai/kimi-code',
    version: '2.1.0',
    program: 'node_modules/.bin/kimi',
    needsNode22: true,
    files: (modelUrl) => ({
      '.kimi-code/config.toml': [
        'default_model = "scripted"',
        '[providers.local]',
        'type = "openai"',
        `base_url = "${modelUrl}/v1"`,
        `api_key = "${key}"`,
        '[models.scripted]',
        'provider = "local"',
        'model = "scripted"',
        'max_context_size = 100000',
      ].join('\n'),
    }),
    environment: () => ({}),
    firstDialogs: [{ shows: /trust/i }],
    ready: />\s/,
  },
  {
    kind: 'cline',
    package: 'cline',
    version: '3.0.65',
    program: `node_modules/@cline/cli-${process.platform}-${process.arch}/bin/cline`,
    args: ['--tui', '--auto-approve', 'false'],
    files: (modelUrl) => ({
      '.cline/data/settings/providers.json': JSON.stringify({
        version: 1,
        lastUsedProvider: 'openai-compatible',
        modes: {},
        providers: {
          'openai-compatible': {
            settings: {
              provider: 'openai-compatible',
              apiKey: key,
              model: 'scripted',
              baseUrl: `${modelUrl}/v1`,
            },
            updatedAt: '2026-11-01T00:00:00.000Z',
            tokenSource: 'manual',
          },
        },
      }),
    }),
    environment: () => ({ CLINE_NO_AUTO_UPDATE: '1' }),
    firstDialogs: [{ shows: /any other key to close/i, keys: ['escape'] }],
    ready: /What can I do for you\?/,
    allows: ['y'],
  },
  {
    kind: 'droid',
    package: `@factory/cli-${process.platform}-${process.arch}`,
    version: '0.225.2',
    program: `node_modules/@factory/cli-${process.platform}-${process.arch}/bin/droid`,
    files: (modelUrl) => ({
      '.factory/settings.json': JSON.stringify({
        customModels: [
          {
            model: 'scripted',
            displayName: 'Scripted',
            baseUrl: `${modelUrl}/v1`,
            apiKey: key,
            provider: 'generic-chat-completion-api',
            maxOutputTokens: 8_000,
          },
        ],
        model: 'custom:scripted',
      }),
    }),
    // Without its service, it works with models of one's own.
    environment: () => ({
      FACTORY_AIRGAP_ENABLED: '1',
      FACTORY_API_KEY: key,
      FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false',
    }),
    firstDialogs: [{ shows: /Trust this folder\?/, keys: ['enter'] }],
    ready: /\? for help/,
  },
  {
    kind: 'cn',
    package: '@continuedev/cli',
    version: '1.5.47',
    program: 'node_modules/.bin/cn',
    needsNode22: true,
    files: (modelUrl) => ({
      '.continue/.onboarding_complete': '',
      '.continue/config.yaml': JSON.stringify({
        name: 'local',
        version: '1.0.0',
        schema: 'v1',
        models: [
          {
            name: 'scripted',
            provider: 'openai',
            model: 'scripted',
            apiBase: `${modelUrl}/v1`,
            apiKey: key,
            capabilities: ['tool_use'],
          },
        ],
      }),
    }),
    environment: () => ({ CONTINUE_TELEMETRY_ENABLED: '0' }),
    firstDialogs: [],
    ready: /Ask anything/,
  },
  {
    kind: 'kilo',
    // Of the program alone: that of the launcher has no program of its version.
    package: `@kilocode/cli-${process.platform}-${process.arch}`,
    version: '7.7.9',
    program: `node_modules/@kilocode/cli-${process.platform}-${process.arch}/bin/kilo`,
    files: (modelUrl) => ({ '.config/kilo/kilo.json': openCodeConfig(modelUrl) }),
    environment: () => ({ KILO_DISABLE_AUTOUPDATE: '1', KILO_DISABLE_MODELS_FETCH: '1' }),
    firstDialogs: [],
    ready: /Ask anything/,
    // It asks then what to do instead.
    refuses: ['escape', 'enter'],
    interrupts: ['escape', 'escape'],
  },
];

/** A new user of an agent, in whose home it has never run. */
export interface WalkedUser {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

export function walkedUser(agent: WalkedAgent, place: string, modelUrl: string): WalkedUser {
  const home = join(
    place,
    createHash('sha1')
      .update(modelUrl + agent.kind)
      .digest('hex')
      .slice(0, 8),
  );
  const project = join(home, 'project');
  const files = { 'project/README.md': 'A project.\n', ...agent.files(modelUrl, project) };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const env = {
    HOME: home,
    PATH: process.env['PATH'] ?? '',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    CODEX_HOME: join(home, '.codex'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    TMPDIR: home,
    ...agent.environment(modelUrl),
  };
  return { home, project, env };
}
