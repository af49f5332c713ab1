export {
  type ClientConfig,
  type ConfiguredCoordinator,
  clientConfigFile,
  clientOptions,
  configuredSockets,
  readClientConfig,
} from './client-config.ts';
export { readConfigFile, readOwnFile } from './config-file.ts';
export {
  archiveDirectory,
  areSessionsLeft,
  auditDirectory,
  damagedNoticeName,
  isListening,
  isWebSaved,
  logFileOf,
  newPtyHostSocket,
  openLog,
  ptyHostSockets,
  readDaemonRecord,
  readWebState,
  recordingsDirectory,
  removeDaemonRecord,
  removeLinkFiles,
  removeReportDirectory,
  reportSocketOf,
  stateDirectory,
  takeDamagedNotice,
  writeDaemonRecord,
  writeLinkFile,
  writeWebState,
} from './daemon-files.ts';
export { addCoordinator, removeCoordinator } from './edit-coordinators.ts';
export {
  type McpConfig,
  type McpFlagValues,
  type McpRow,
  mcpRows,
  mcpTokenOf,
  readMcpConfig,
} from './mcp-config.ts';
export {
  absolutePath,
  type ForwardTo,
  isDuration,
  isOneOf,
  isWholeNumber,
  keyNames,
  oneOf,
  pattern,
  text,
  texts,
  yesOrNo,
} from './options.ts';
export { parseToml, type Table, tomlLibrary, type Value } from './parse-toml.ts';
export { readServerConfig, type ServerConfig, serverOptions } from './server-config.ts';
export {
  checkNotAddress,
  checkSocketPath,
  nameOfPlace,
  ownLocalSocket,
  ownSocket,
  plainSocket,
  resolvePlace,
  resolveSocket,
  unusedDirectories,
} from './socket-paths.ts';
export {
  cacheDirectory,
  configDirectory,
  expandHome,
  homeOf,
  ownHome,
  stateHome,
  type UserEnvironment,
} from './user-environment.ts';
export {
  checkWritePath,
  createFile,
  directoryProblem,
  ensurePrivateDirectory,
  makeDirectory,
  makeDirectoryOf,
  overwriteFile,
  overwriteInDirectory,
  removeFile,
  replaceFile,
} from './write-file.ts';
