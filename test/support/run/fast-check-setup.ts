import fc from 'fast-check';

// Every run of `npm test` tries the same inputs, so that a red test is the change's fault. The long
// run of `npm run soak` takes other seeds, and many more runs.
const seed = Number(process.env['VTR_TEST_SEED'] ?? 20_261_121);

fc.configureGlobal({ seed });
