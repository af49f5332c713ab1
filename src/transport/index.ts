export { failureLine, greetingLine } from './greeting.ts';
export { openTool, reaches } from './open-tool.ts';
export { noneSelected, selectedAddress, selectedAddresses } from './selected.ts';
