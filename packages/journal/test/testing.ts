export { faultyFiles, type Operation } from './faulty-files.ts'
export { startLockHolder } from './start-lock-holder.ts'
