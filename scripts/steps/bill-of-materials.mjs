/**
 * A package in package-lock.json.
 *
 * @typedef {{ version: string, license?: string, integrity?: string, dev?: boolean,
 *   optional?: boolean, dependencies?: Record<string, string>,
 *   optionalDependencies?: Record<string, string> }} Locked
 */

/**
 * Returns the bill of materials in CycloneDX 1.6: the packages that npm installs with vtr, and those that
 * its bundles contain. It has neither a time nor a serial number, so that equal sources make equal files.
 *
 * @param {{ name: string, version: string, license: string }} own
 * @param {Readonly<Record<string, Locked>>} packages of package-lock.json
 * @param {ReadonlySet<string>} bundled their paths, as in package-lock.json
 */
export function bom(own, packages, bundled) {
  const root = packages[''] ?? { version: own.version };
  const parts = Object.entries(packages)
    .map(([path, locked]) => ({ path, name: path.replace(/^.*node_modules\//, ''), locked }))
    .filter(({ path, locked }) => path !== '' && (!locked.dev || bundled.has(path)));
  const refs = new Map(parts.map(({ path, name, locked }) => [path, purl(name, locked.version)]));
  const self = purl(own.name, own.version);

  /** @param {string} from the path of a package @param {string} name */
  const refOf = (from, name) => {
    // As Node finds packages: in the nearest node_modules.
    for (let at = from; ; at = at.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, '')) {
      const ref = refs.get(`${at === '' ? '' : `${at}/`}node_modules/${name}`);
      if (ref !== undefined || at === '') return ref;
    }
  };
  /** @param {string} path @param {Locked} locked */
  const needs = (path, { dependencies, optionalDependencies }) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .map((name) => refOf(path, name))
      .filter((ref) => ref !== undefined);

  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': self,
        name: own.name,
        version: own.version,
        purl: self,
        licenses: licenses(own.license),
      },
    },
    components: parts.map(({ path, name, locked }) => ({
      type: 'library',
      'bom-ref': refs.get(path),
      name,
      version: locked.version,
      purl: refs.get(path),
      scope: locked.optional ? 'optional' : 'required',
      ...(locked.license && { licenses: licenses(locked.license) }),
      ...(locked.integrity && { hashes: [hash(locked.integrity)] }),
      ...(bundled.has(path) && { properties: [{ name: 'vtr:bundled', value: 'true' }] }),
    })),
    dependencies: [
      { ref: self, dependsOn: [...new Set([...needs('', root), ...contained(parts, refs)])] },
      ...parts.map(({ path, locked }) => ({
        ref: refs.get(path),
        dependsOn: needs(path, locked),
      })),
    ],
  };
}

/**
 * The packages that only the bundles contain, which package.json names for development.
 *
 * @param {readonly { path: string, locked: Locked }[]} parts
 * @param {ReadonlyMap<string, string>} refs
 */
const contained = (parts, refs) =>
  parts.filter(({ locked }) => locked.dev).map(({ path }) => refs.get(path) ?? path);

/** The URL of a package in npm's registry. @param {string} name @param {string} version */
const purl = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** @param {string} license an identifier or an expression of SPDX */
const licenses = (license) =>
  /[ ()]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }];

/** @param {string} integrity `sha512-` and the digest in base64 */
const hash = (integrity) => ({
  alg: 'SHA-512',
  content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex'),
});
