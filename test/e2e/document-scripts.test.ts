import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, vi } from 'vitest';
import { type Terminal, terminal } from '#app/test/library';
import { root } from '../../scripts/root.mjs';
import { sharedCache, vtrFile } from '../support/command/vtr-command.ts';
import { conditionMs } from '../support/run/condition-ms.ts';
import { needs } from '../support/run/needs.ts';
import { type TypedCommand, typedCommands } from '../support/run/typed-commands.ts';
import { tree } from '../support/tree.ts';

/** docs/commands.md is made of the help. */
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md') && name !== 'commands.md')
    .map((name) => `docs/${name}`),
];

/** Those with blocks of commands that are only listed, without what they print. */
const typed = documents
  .map((document) => [document, typedCommands(document)] as const)
  .filter(([, commands]) => commands.some((each) => !each.isCompared));

interface Leaving {
  readonly command: RegExp;
  readonly keys: readonly string[];
  /** It may end before its reader leaves it: a recording that is played, at its end. */
  readonly mayEnd?: boolean;
}

/** Commands that end when their reader leaves them, by these keys. */
const leaving: readonly Leaving[] = [
  { command: /^vtr play [^|]*$/, keys: ['q'], mayEnd: true },
  { command: /^vtr ui(?: [\w:]+)?$/, keys: ['ctrl+b', 'q'] },
  { command: /^vtr (?:new|attach)\b/, keys: ['ctrl+b', 'd'] },
  { command: /^vtr notify$/, keys: ['ctrl+c'] },
];

const howToLeave = ({ text }: TypedCommand): Leaving | null => {
  const line = text.replace(/\s+#.*$/m, '').trim();
  return leaving.find(({ command }) => command.test(line)) ?? null;
};

/** What the shell of the reader prints when such a command has ended. */
const endedLine = /ended: (\d+)$/m;

/** `vtr` for PATH, `less` that shows all at once, and a file for each command. */
const files = tree(
  {
    'bin/vtr': `#!/bin/sh\nexec '${process.execPath}' '${vtrFile}' "$@"\n`,
    'bin/less': '#!/bin/sh\nexec cat\n',
  },
  afterAll,
);
for (const program of ['vtr', 'less']) chmodSync(join(files, 'bin', program), 0o755);

/** A new user who types in bash: nothing is in HOME, and `vtr` is in PATH. */
class Reader {
  readonly #shell: Terminal;

  private constructor(shell: Terminal) {
    this.#shell = shell;
  }

  static async open(): Promise<Reader> {
    const PATH = `${join(files, 'bin')}:${process.env['PATH']}`;
    const env = { PATH, XDG_CACHE_HOME: sharedCache };
    const reader = new Reader(await terminal({ size: { cols: 160, rows: 50 }, env }));
    // Not in a session, for the commands of vtr that they type.
    await reader.#shell.run('cd; unset $(compgen -v VTR_)');
    return reader;
  }

  /** Types a command. Returns why it did not do what a reader expects; null if it did. */
  async types(command: TypedCommand): Promise<string | null> {
    const file = join(files, command.place.replaceAll('/', '-'));
    writeFileSync(file, command.text);
    const how = howToLeave(command);
    const title = `${command.place}: ${command.text.trim()}`;
    try {
      const { exitCode, output } =
        how === null
          ? await this.#shell.run(`. ${file}`, { timeoutMs: conditionMs })
          : await this.#leaves(`. ${file}`, how);
      if (exitCode === 0 || command.isCompared) return null;
      return `${title}\nstatus ${exitCode}: ${output}`;
    } catch (error) {
      const { text } = await this.#shell.screen();
      throw new Error(`${title}\n${(error as Error).message}\n${text.join('\n').trimEnd()}`);
    }
  }

  /** Types a command that goes on, and leaves it when it shows something. */
  async #leaves(line: string, { keys, mayEnd = false }: Leaving) {
    const shell = this.#shell;
    await shell.run('clear');
    await shell.type(`${line}; echo ended: $?\r`);
    const shown = await vi.waitFor(
      async () => {
        const { alternate, text } = await shell.screen();
        // The first row has the line, if no other screen is shown.
        const shown = text.slice(alternate ? 0 : 1).join('\n');
        if (mayEnd && endedLine.test(shown)) return shown;
        // All but vtr notify draw a screen; before that, a program may print what is no sign that it reads keys.
        expect(alternate).toBe(keys[0] !== 'ctrl+c');
        expect(shown.trim()).not.toBe('');
        return shown;
      },
      { timeout: conditionMs, interval: 20 },
    );
    // A list from which a session is chosen takes letters for those of a name.
    if (!endedLine.test(shown)) {
      await shell.press(...(/^ go to:/m.test(shown) ? ['escape'] : keys));
    }
    const { text } = await shell.wait(endedLine, { timeoutMs: conditionMs });
    const status = Number(endedLine.exec(text.join('\n'))?.[1]);
    return { exitCode: status === 130 ? 0 : status, output: text.join('\n').trimEnd() };
  }

  async close(): Promise<void> {
    await this.#shell.close();
  }
}

describe.concurrent('the commands of a document work as they stand there, from its top', () => {
  for (const [document, commands] of typed) {
    needs('bash')(document, async () => {
      const reader = await Reader.open();
      const problems: string[] = [];
      try {
        for (const command of commands) {
          const problem = await reader.types(command);
          if (problem !== null) problems.push(problem);
        }
      } finally {
        await reader.close();
      }
      expect(problems).toEqual([]);
    });
  }
});
