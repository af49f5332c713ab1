import { setUp } from '../../../scripts/setup.mjs';

/** Builds the command once per run, before the tests that use it. */
export default (): Promise<void> => setUp();
