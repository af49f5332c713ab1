export { hasFailed, reporters } from './runner/reporters.ts';
export { runTests } from './runner/run-tests.ts';
