import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Variables with paths of the user, or that change the behaviour of vtr, npm or a shell. */
const personal = /^(VTR_|XDG_|npm_|TMUX|(ZDOTDIR|ENV|BASH_ENV)$)/i;
/** Exceptions: .ci/run describes the machine to the tests with these variables. */
const forTests = /^VTR_TEST_/;
/** Settings of npm that are needed to reach the registry, credentials for it included. */
const forRegistry =
  /^((@[^:]+:)?registry|(https?-)?proxy|no-?proxy|ca(\[\])?|cafile|strict-ssl|\/\/.*)$/;

const npmVariable = /^npm_config_/i;

/** @param {string} name of a variable */
function isKept(name) {
  if (!personal.test(name) || forTests.test(name)) return true;
  const setting = name.replace(npmVariable, '').toLowerCase().replaceAll('_', '-');
  return npmVariable.test(name) && forRegistry.test(setting);
}

/**
 * The lines of the user's npmrc that are needed to reach the registry.
 *
 * @param {NodeJS.ProcessEnv} env
 */
function registrySettings(env) {
  const file =
    env['npm_config_userconfig'] ?? env['NPM_CONFIG_USERCONFIG'] ?? join(homedir(), '.npmrc');
  if (!existsSync(file)) return '';
  const lines = readFileSync(file, 'utf8').split('\n');
  const settings = lines.filter((line) => forRegistry.test((line.split('=')[0] ?? '').trim()));
  return settings.map((line) => `${line}\n`).join('');
}

/**
 * Returns the environment of a new user: an empty HOME, an empty npm cache, and only the settings that
 * npm needs to reach the registry.
 *
 * @param {NodeJS.ProcessEnv} env of this process
 * @param {{ home: string, npmCache: string, npmConfig: string }} paths `npmConfig` is written
 * @returns {NodeJS.ProcessEnv}
 */
export function freshEnvironment(env, { home, npmCache, npmConfig }) {
  writeFileSync(npmConfig, registrySettings(env), { mode: 0o600 });
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => isKept(name))),
    HOME: home,
    npm_config_cache: npmCache,
    npm_config_userconfig: npmConfig,
  };
}
