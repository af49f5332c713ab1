// Records the output of a real program as a golden case: `node scripts/record-golden.mjs --help`.
import { parseArgs } from 'node:util';
import { readCase, writeCase } from './golden/case-files.mjs';
import { privateWords } from './golden/private-words.mjs';
import { setUp } from './setup.mjs';
import { runScript, StepFailed } from './steps/step-failed.mjs';

const usage = `usage: node scripts/record-golden.mjs NAME --about TEXT [options] -- PROGRAM [ARGS...]
       node scripts/record-golden.mjs NAME --again [--accept REASON]

  --about TEXT          the subject of the case
  --size COLSxROWS      the size of the terminal (default 80x24)
  --setup SCRIPT        a script that sh runs first, in the program's empty directory
  --keys TEXT           text to type once the program is quiet; repeatable.
                        <enter>, <ctrl+c>, <up> are keys, << is <
  --accept REASON       keep the case although @xterm/headless shows another screen
  --again               record an existing case again, in the same way
  --directory DIR       the directory of the cases (default test/golden/cases)
`;

const options = /** @type {const} */ ({
  about: { type: 'string' },
  size: { type: 'string', default: '80x24' },
  setup: { type: 'string' },
  keys: { type: 'string', multiple: true },
  accept: { type: 'string' },
  again: { type: 'boolean', default: false },
  directory: { type: 'string' },
  help: { type: 'boolean', default: false },
});

function parse() {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new StepFailed(/** @type {Error} */ (error).message, usage);
  }
}

/**
 * @param {ReturnType<typeof parse>} args
 * @returns {import('./golden/recipe.mjs').Recipe}
 */
function recipeOf({ values, positionals: [name = '', ...program] }) {
  if (values.again) return readCase(name, values.directory);
  const [, cols, rows] = /^(\d+)x(\d+)$/.exec(values.size) ?? [];
  if (rows === undefined) throw new StepFailed(`--size is ${values.size}; write it as 80x24`);
  if (program.length === 0 || values.about === undefined) {
    throw new StepFailed('a case needs a name, --about and, after --, a program', usage);
  }
  return {
    about: values.about,
    size: { cols: Number(cols), rows: Number(rows) },
    ...(values.setup === undefined ? {} : { setup: values.setup }),
    program,
    keys: values.keys ?? [],
  };
}

await runScript('record-golden', async () => {
  const args = parse();
  if (args.values.help) {
    process.stdout.write(usage);
    return;
  }
  const { about, size, setup, program, keys } = recipeOf(args);
  const recipe = { about, size, ...(setup === undefined ? {} : { setup }), program, keys };
  await setUp();
  // It imports the built package.
  const { record } = await import('./golden/recording.mjs');
  const { bytes, checkpoints, differences } = await record(recipe);

  const words = privateWords().filter((word) => bytes.includes(word));
  if (words.length > 0) {
    throw new StepFailed(`the output contains private words: ${words.join(', ')}`);
  }
  for (const { after, screen } of checkpoints) {
    process.stdout.write(`--- ${after === '' ? 'at the start' : `after ${after}`}\n`);
    process.stdout.write(`${screen.join('\n').trimEnd()}\n`);
  }
  const { accept: reason, directory } = args.values;
  if (differences.length > 0 && reason === undefined) {
    throw new StepFailed(
      'vtr and @xterm/headless show different screens; if vtr is right, give the reason: --accept REASON',
      differences.join('\n'),
    );
  }
  const accepted = reason === undefined ? {} : { accepted: { reason, differences } };
  const recorded = new Date().toISOString().slice(0, 10);
  const [name = ''] = args.positionals;
  writeCase(name, { ...recipe, recorded, ...accepted, checkpoints }, bytes, directory);
  process.stderr.write(`${bytes.length} bytes, ${checkpoints.length} checkpoints\n`);
});
