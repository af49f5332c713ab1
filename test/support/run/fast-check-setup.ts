import fc from 'fast-check';

// Every `npm test` tries the same inputs, so that only a change can make a test fail. `npm run soak`
// uses other seeds and many more inputs.
const seed = Number(process.env['VTR_TEST_SEED'] ?? 20_261_121);

fc.configureGlobal({ seed });
