import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { bom } from '../../scripts/steps/bill-of-materials.mjs';

const json = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const { packages } = json('package-lock.json');

/** The packages of which dist contains code, by what the bundler has read. */
const bundled: readonly string[] = ['bundle', 'web-page'].flatMap((step) =>
  json(`build/packages/${step}.json`),
);

describe('the notices', () => {
  const notices = readFileSync(join(root, 'dist/THIRD_PARTY_NOTICES'), 'utf8');

  it.each([...bundled])('have the license of %s', (path) => {
    const { version, license } = packages[path];
    const title = `${path.replace('node_modules/', '')} ${version} (${license})\n`;
    const [, text = ''] = notices.slice(notices.indexOf(title)).split(`${'-'.repeat(80)}\n`);
    expect(text).toMatch(/copyright/i);
    for (const part of license.match(/[\w.-]+/g)) expect(text).toMatch(phrases[part] ?? part);
  });

  it('have the licenses of data', () => {
    expect(notices).toContain('SIL OPEN FONT LICENSE Version 1.1');
    expect(notices).toContain('UNICODE LICENSE V3');
  });
});

/** Words of each license that no other has. */
const phrases: Readonly<Record<string, RegExp>> = {
  MIT: /Permission is hereby granted, free of charge/,
  'Apache-2.0': /Grant of Patent License/,
  'BSD-3-Clause': /endorse or promote\s+products derived/,
  AND: /./,
};

describe('the bill of materials', () => {
  const own = { name: 'vtr', version: '1.0.0', license: 'MIT' };

  it('names what npm installs and what the bundles contain, each once', () => {
    const { components } = json('dist/sbom.cdx.json');
    const refs = components.map((each: Record<string, string>) => each['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
    const needed = Object.keys(packages).filter((path) => path !== '' && !packages[path].dev);
    const expected = new Set([...needed, ...bundled]);
    expect(refs).toHaveLength(expected.size);
    expect(refs).toContain('pkg:npm/%40preact/signals-core@1.14.5');
  });

  it('names the package that Node finds where two versions are installed', () => {
    const locked = {
      '': { version: '1.0.0', dependencies: { a: '1', b: '1' } },
      'node_modules/a': { version: '1.0.0', dependencies: { b: '2' } },
      'node_modules/a/node_modules/b': { version: '2.0.0' },
      'node_modules/b': { version: '1.0.0', license: '(MIT OR Apache-2.0)' },
      'node_modules/c': { version: '3.0.0', dev: true, integrity: 'sha512-AP8=' },
      'node_modules/d': { version: '4.0.0', dev: true },
    };
    const { components, dependencies } = bom(own, locked, new Set(['node_modules/c']));
    expect(dependencies).toEqual([
      {
        ref: 'pkg:npm/vtr@1.0.0',
        dependsOn: ['pkg:npm/a@1.0.0', 'pkg:npm/b@1.0.0', 'pkg:npm/c@3.0.0'],
      },
      { ref: 'pkg:npm/a@1.0.0', dependsOn: ['pkg:npm/b@2.0.0'] },
      { ref: 'pkg:npm/b@2.0.0', dependsOn: [] },
      { ref: 'pkg:npm/b@1.0.0', dependsOn: [] },
      { ref: 'pkg:npm/c@3.0.0', dependsOn: [] },
    ]);
    expect(components[3]).toMatchObject({
      hashes: [{ alg: 'SHA-512', content: '00ff' }],
      properties: [{ name: 'vtr:bundled', value: 'true' }],
    });
  });
});
