// Made by scripts/generate-version.mjs from package.json.

/** The version of this package. */
export const version = '0.1.0';
