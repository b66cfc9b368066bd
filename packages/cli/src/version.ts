export { VERSION } from '@omnigent/protocol';
