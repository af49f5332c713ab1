import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { estimatedTokens } from '#model';
import { root } from '../../../scripts/root.mjs';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';
import { vtrHere } from '../../support/command/vtr-here.ts';
import { testProgram } from '../../support/pty/pty-request.ts';
import { needs } from '../../support/run/needs.ts';

const text = readFileSync(join(root, 'skills/vtr/SKILL.md'), 'utf8');

/** The lines of the shell code in the skill, with the exit status that a comment names. */
const lines = [...text.matchAll(/^```sh\n(.*?)^```$/gms)]
  .flatMap(([, code = '']) => code.trimEnd().split('\n'))
  .map((line) => ({ line, status: Number(/# status (\d+)/.exec(line)?.[1] ?? 0) }));

/** Programs that the lines run, by name. */
const programs = {
  make: 'echo "made $*"; echo "warning: slow"',
  npm: `echo 'listening on http://localhost:3000'; while read -r line; do echo restarted; done`,
  codex: `exec '${process.execPath}' '${testProgram('coding-agent.mjs')}' prompted`,
  './setup.sh': `printf 'Continue? '; read -r answer; echo "answer: $answer"`,
};

describe('vtr skill', () => {
  it('prints a skill of at most 1,600 tokens, as vtr estimates them', async () => {
    expect(await new Place().ok('skill')).toBe(text);
    expect(estimatedTokens(text)).toBeLessThanOrEqual(1600);
  });

  it('names the file if the package lacks it', async () => {
    const { env, directory } = new Place();
    mkdirSync(join(directory, 'dist'));
    const program = join(directory, 'dist/vtr.cjs');
    writeFileSync(program, '');
    expect(await vtrHere(['skill'], { env, cwd: directory, program })).toEqual({
      status: 10,
      stdout: '',
      stderr: `vtr: ${directory}/skills/vtr/SKILL.md cannot be read: no such file or directory (ENOENT)\n`,
    });
  });

  it('has the frontmatter that Claude Code and Codex read', () => {
    const [, frontmatter = ''] = /^---\n(.*?)\n---\n/s.exec(text) ?? [];
    const fields = frontmatter.split('\n').map((line) => line.split(/: (.*)/s));
    expect(fields.map(([name]) => name)).toEqual(['name', 'description']);
    const [[, name], [, description = '']] = fields as [string[], string[]];
    // The name is that of the directory (agentskills.io, "name"); YAML reads both without quotes.
    expect(name).toBe('vtr');
    expect(description.length).toBeLessThanOrEqual(1024);
    expect(description).not.toMatch(/: | #|^[-?:,[\]{}#&*!|>'"%@`]/);
  });

  needs(
    'python3',
    'vi',
    'git',
    'bash',
  )('contains only command lines that run', async () => {
    const place = new Place();
    const work = join(place.directory, 'work');
    mkdirSync(join(work, 'app'), { recursive: true });
    mkdirSync(join(work, 'bin'));
    const script = (code: string) => `#!/bin/sh\n${code}\n`;
    for (const [name, code] of Object.entries(programs)) {
      // Before ./setup.sh the skill has changed the directory to `app`.
      writeFileSync(join(work, name.startsWith('.') ? 'app' : 'bin', name), script(code), {
        mode: 0o755,
      });
    }
    const vtr = `exec '${process.execPath}' '${vtrFile}' "$@"`;
    writeFileSync(join(work, 'bin/vtr'), script(vtr), { mode: 0o755 });
    const env = { PATH: `${work}/bin:${place.env['PATH']}`, SHELL: '/bin/bash' };
    // The repository of `git log`.
    const setUp =
      'git init -q && git -c user.name=x -c user.email=x commit -q --allow-empty -m one';
    const results: unknown[] = [];
    for (const { line } of [{ line: setUp }, ...lines]) {
      const run = await place.shellLine(line, { cwd: work, env });
      results.push([line, run.status, run.stderr]);
    }
    expect(results).toEqual([
      [setUp, 0, ''],
      ...lines.map(({ line, status }) => [line, status, expect.any(String)]),
    ]);
    expect(lines.length).toBeGreaterThan(20);
  });

  it('names only verbs and flags that exist', async () => {
    const place = new Place();
    const help = await place.ok('wait', '--help');
    const conditions = [...text.matchAll(/^\| `(--\w+)/gm)].map(([, flag]) => flag);
    expect(conditions.length).toBeGreaterThan(5);
    for (const flag of conditions) expect(help).toContain(`  ${flag}`);
  });
});

describe('the installation of the skill', () => {
  const of = (place: Place, path: string) => join(place.directory, path, 'vtr/SKILL.md');

  it('writes the files that Claude Code and Codex read, once', async () => {
    const place = new Place();
    const files = [of(place, '.claude/skills'), of(place, '.agents/skills')];
    expect(await place.ok('skill', 'install')).toBe(`${files.join('\n')}\n`);
    for (const file of files) expect(readFileSync(file, 'utf8')).toBe(text);
    const again = await place.vtr(['skill', 'install']);
    expect(again).toMatchObject({ status: 0, stdout: `${files.join('\n')}\n` });
    expect(again.stderr).toBe(files.map((file) => `vtr: unchanged: ${file}\n`).join(''));
    const moved = { CLAUDE_CONFIG_DIR: join(place.directory, 'elsewhere') };
    const { stdout } = await place.vtr(['skill', 'install'], { env: moved });
    expect(stdout).toContain(of(place, 'elsewhere/skills'));
  });

  it('writes into a directory', async () => {
    const place = new Place();
    const { stdout } = await place.vtr(['skill', 'install', '.claude/skills']);
    expect(stdout).toBe(`${of(place, '.claude/skills')}\n`);
    expect(readFileSync(of(place, '.claude/skills'), 'utf8')).toBe(text);
  });

  it('replaces a changed file only with --force, and otherwise writes none', async () => {
    const place = new Place();
    const file = of(place, '.agents/skills');
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, 'mine');
    const refused = await place.vtr(['skill', 'install']);
    expect([refused.status, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain(`${file} differs from the skill of vtr`);
    expect(refused.stderr).toContain('--force');
    expect(() => readFileSync(of(place, '.claude/skills'))).toThrow('ENOENT');
    await place.ok('skill', 'install', '--force');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('replaces a file that cannot be read only with --force', async () => {
    const place = new Place();
    const file = of(place, 'skills');
    mkdirSync(join(file, '..'), { recursive: true });
    symlinkSync('SKILL.md', file);
    expect((await place.vtr(['skill', 'install', 'skills'])).status).toBe(2);
    expect(readlinkSync(file)).toBe('SKILL.md');
  });

  it('refuses other actions, and reports a directory that cannot be written', async () => {
    const place = new Place();
    expect((await place.vtr(['skill', 'remove'])).stderr).toContain('unknown action "remove"');
    expect((await place.vtr(['skill', '--force'])).status).toBe(2);
    const { status, stderr } = await place.vtr(['skill', 'install', '/dev/null/x']);
    expect([status, stderr]).toEqual([
      10,
      'vtr: /dev/null/x/vtr/SKILL.md cannot be written: not a directory (ENOTDIR)\n',
    ]);
  });
});
