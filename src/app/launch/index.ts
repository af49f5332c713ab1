// How Node starts the programs of vtr:
//
// - vtr.cjs, termcp.cjs and vtr-ptyd.cjs contain only this room
// - the programs, and the parts of them that are loaded when they are needed, are bundles next to them

export { launch } from './bundles.ts';
export { fileState } from './code-cache.ts';
