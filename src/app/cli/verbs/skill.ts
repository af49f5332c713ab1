import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expandHome, makeDirectoryOf, replaceFile } from '#config';
import { ioErrors, VtrError } from '#model';
import { toggle } from '../arguments/flags.ts';
import type { Context } from '../context.ts';
import { defineVerb } from '../verb.ts';

export const skill = defineVerb({
  name: 'skill',
  summary: 'print or install the skill that teaches agents to use vtr',
  args: {
    action: { about: 'install', optional: true, completes: ['install'] },
    dir: {
      about: 'directory of skills to install into, such as .claude/skills',
      optional: true,
      completes: 'file',
    },
  },
  flags: { force: toggle('with install, replace a file that differs') },
  details: [
    'A skill is a text that agents read on demand. This one is for agents that have a shell and no MCP server.',
    'vtr skill install writes to ~/.claude/skills for Claude Code (CLAUDE_CONFIG_DIR is respected) and to ~/.agents/skills for Codex and others, unless DIR is given. Prints the paths of the files.',
  ],
  examples: [
    { line: 'vtr skill', about: 'print the skill' },
    { line: 'vtr skill install', about: 'install it for yourself' },
    { line: 'vtr skill install .claude/skills', about: 'install it in a project' },
  ],
  async run(context, { args: { action, dir }, flags: { force } }) {
    if (action !== undefined && action !== 'install') {
      const json = JSON.stringify(action);
      throw new VtrError('INVALID_ARGUMENT', `unknown action ${json}; use vtr skill install`);
    }
    const text = readSkill(context);
    if (action === undefined) {
      if (force) throw new VtrError('INVALID_ARGUMENT', '--force needs install');
      context.out(text);
      return undefined;
    }
    const directories = dir === undefined ? ownDirectories(context) : [resolve(context.cwd, dir)];
    const files = directories.map((each) => join(each, 'vtr/SKILL.md'));
    // All are checked before the first is written.
    const states = files.map((file) => stateOf(file, text));
    const changed = files.filter((_, at) => states[at] === 'different');
    if (changed.length > 0 && !force) {
      throw new VtrError(
        'INVALID_ARGUMENT',
        `${changed.join(' and ')} differs from the skill of vtr ${context.version}; replace it with --force`,
      );
    }
    for (const [at, file] of files.entries()) {
      if (states[at] === 'same') context.say(`unchanged: ${file}`);
      else install(file, text);
      context.out(`${file}\n`);
    }
    return undefined;
  },
});

/** The file is in the package, next to the directory of the program. */
function readSkill({ program }: Context): string {
  const file = join(dirname(realpathSync(program)), '../skills/vtr/SKILL.md');
  return ioErrors(file, 'read', () => readFileSync(file, 'utf8'));
}

/** Where Claude Code and Codex look for the skills of a user. */
function ownDirectories(context: Context): string[] {
  const claude = context.env['CLAUDE_CONFIG_DIR'] || expandHome('~/.claude', context);
  return [join(claude, 'skills'), expandHome('~/.agents/skills', context)];
}

function stateOf(file: string, text: string): 'missing' | 'same' | 'different' {
  try {
    return readFileSync(file, 'utf8') === text ? 'same' : 'different';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'different';
  }
}

/** @throws VtrError IO_ERROR */
function install(file: string, text: string): void {
  makeDirectoryOf(file);
  replaceFile(file, text);
}
