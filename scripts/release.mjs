// `npm run release [-- --dry-run] [-- --system SYSTEM]`: makes the files of a release in build/release.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { runScript, StepFailed } from './steps/step-failed.mjs';

const usage = 'usage: npm run release [-- --dry-run] [--system linux-x64]...';

await runScript('release', async () => {
  const { isTry, systems } = readArguments();
  await setUp();
  const { makeRelease } = await import('./release/make-release.mjs');
  const { files, directory, version } = await makeRelease(root, { isTry, systems });
  for (const file of files) process.stdout.write(`${join(directory, file)}\n`);
  process.stderr.write(
    isTry
      ? `release: these would be the files of ${version}; nothing was published\n`
      : `release: nothing was published; to publish ${version}, go on as CONTRIBUTING.md says\n`,
  );
});

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        'dry-run': { type: 'boolean', default: false },
        system: { type: 'string', multiple: true },
      },
    });
    return { isTry: values['dry-run'], systems: values.system };
  } catch (error) {
    throw new StepFailed(`${/** @type {Error} */ (error).message}\n${usage}`);
  }
}
