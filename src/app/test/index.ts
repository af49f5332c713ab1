export { reporters } from './runner/reporters.ts';
export { runTests } from './runner/run-tests.ts';
export { hasFailed } from './runner/test-result.ts';
