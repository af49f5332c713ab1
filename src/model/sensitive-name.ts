/** Returns whether the name suggests that the value is a secret or gives access to one. */
export function isSensitiveName(name: string): boolean {
  return sensitiveNames.has(name.toUpperCase()) || sensitive.test(name);
}

const sensitiveNames = new Set(['SSH_AGENT_PID', 'GPG_AGENT_INFO']);

const sensitive = new RegExp(
  [
    'SECRET',
    'TOKEN',
    'PASSW', // PASSWORD, PASSWD
    'CREDENTIAL',
    'API_?KEY',
    'PRIVATE_?KEY',
    'ACCESS_?KEY',
    'AUTH_SOCK',
    '^AWS_',
    '^GH_',
    '^NPM_CONFIG_.*AUTH',
  ].join('|'),
  'i',
);
