// Records what a real program writes as a golden case: `node scripts/record-golden.mjs --help`.
import { parseArgs } from 'node:util';
import { readCase, writeCase } from './golden/case-files.mjs';
import { privateWords } from './golden/private-words.mjs';
import { setUp } from './setup.mjs';
import { runScript, StepFailed } from './steps/step-failed.mjs';

const usage = `usage: node scripts/record-golden.mjs NAME --about TEXT [options] -- PROGRAM [ARGS...]
       node scripts/record-golden.mjs NAME --again [--accept REASON]

  --about TEXT          what the case shows
  --size COLSxROWS      80x24 where it is left out
  --setup SCRIPT        run by sh first, in the empty folder that the program then runs in
  --keys TEXT           typed when the program has gone quiet; may be given again and again.
                        <enter>, <ctrl+c>, <up> are keys, << is <
  --accept REASON       keep the case though @xterm/headless shows something else
  --again               record an existing case anew, as it was recorded
  --folder FOLDER       where cases lie, in the place of test/golden/cases
`;

const options = /** @type {const} */ ({
  about: { type: 'string' },
  size: { type: 'string', default: '80x24' },
  setup: { type: 'string' },
  keys: { type: 'string', multiple: true },
  accept: { type: 'string' },
  again: { type: 'boolean', default: false },
  folder: { type: 'string' },
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
  if (values.again) return readCase(name, values.folder);
  const [, cols, rows] = /^(\d+)x(\d+)$/.exec(values.size) ?? [];
  if (rows === undefined) throw new StepFailed(`--size is ${values.size}; write it as 80x24`);
  if (program.length === 0 || values.about === undefined) {
    throw new StepFailed('a case has a name, --about and, after --, a program', usage);
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

  const found = privateWords().filter((word) => bytes.includes(word));
  if (found.length > 0) {
    throw new StepFailed(`the program wrote ${found.join(', ')}, which is nobody's business`);
  }
  for (const { after, screen } of checkpoints) {
    process.stdout.write(`--- ${after === '' ? 'at the start' : `after ${after}`}\n`);
    process.stdout.write(`${screen.join('\n').trimEnd()}\n`);
  }
  const { accept: reason, folder } = args.values;
  if (differences.length > 0 && reason === undefined) {
    throw new StepFailed(
      'vtr and @xterm/headless show different screens. Where vtr is right, say why: --accept REASON',
      differences.join('\n'),
    );
  }
  const accepted = reason === undefined ? {} : { accepted: { reason, differences } };
  const recorded = new Date().toISOString().slice(0, 10);
  const [name = ''] = args.positionals;
  writeCase(name, { ...recipe, recorded, ...accepted, checkpoints }, bytes, folder);
  process.stderr.write(`${bytes.length} bytes, ${checkpoints.length} checkpoints\n`);
});
